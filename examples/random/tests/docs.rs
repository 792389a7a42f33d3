//! The pages of the registry are those of the models.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::Path;

#[test]
fn the_pages_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (docs, pages) = (folder.join("docs"), random::provider().docs(&folder.join("examples")).unwrap());
    if std::env::var_os("UPDATE").is_some() {
        pages.write(&docs).unwrap();
    }
    assert_eq!(pages.problems(&docs).unwrap(), [""; 0], "UPDATE=1 writes them, and so does `terraform-provider-random docs`");
}

/// The lines that are neither blank nor comments, as `find src -name '*.rs' | xargs cat | grep -vcE '^\s*(//|$)'` counts them. Those in Go are the ones of
/// `find internal -name '*.go' | grep -vE '_test.go|randomtest' | xargs cat | grep -vcE '^\s*(//|$)'` in the sources of v3.9.0.
fn lines(files: impl Iterator<Item = std::path::PathBuf>) -> usize {
    let text: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn the_guide_counts_its_lines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = || std::fs::read_dir(folder.join("src")).unwrap().map(|entry| entry.unwrap().path());
    let all = lines(sources().filter(|path| path.is_file()).chain([folder.join("src/bin/random-schemas.rs")]));
    let password = lines([folder.join("src/password.rs")].into_iter());
    let page = folder.join("../../docs/src/start-provider.md");
    let rows = [("| all | 3390 | ", all), ("| `random_password`, with three upgraders | 866 | ", password)];
    let text = std::fs::read_to_string(&page).unwrap();
    let counted = text.lines().map(|line| match rows.iter().find(|(row, _)| line.starts_with(row)) {
        Some((row, count)) => format!("{row}{count} |\n"),
        None => format!("{line}\n"),
    });
    let counted: String = counted.collect();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&page, &counted).unwrap();
    }
    assert!(
        rows.iter().all(|(row, _)| counted.contains(row)) && (text == counted || std::env::var_os("UPDATE").is_some()),
        "UPDATE=1 counts again"
    );
}
