//! The pages of the registry are those of the models.

use std::path::Path;

#[test]
fn the_pages_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (docs, pages) = (
        folder.join("docs"),
        harbor::provider().docs(&folder.join("examples")).unwrap(),
    );
    if std::env::var_os("UPDATE").is_some() {
        pages.write(&docs).unwrap();
    }
    assert_eq!(
        pages.problems(&docs).unwrap(),
        [""; 0],
        "UPDATE=1 writes them, and so does `terraform-provider-harbor docs`"
    );
}

#[test]
fn every_example_is_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages: String = harbor::provider()
        .docs(&folder.join("examples"))
        .unwrap()
        .pages()
        .map(|(_, text)| text.to_owned())
        .collect();
    let mut folders = vec![folder.join("examples")];
    let mut shown = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(
                pages.contains(text.trim_end()),
                "{} is on no page",
                path.display()
            );
            shown += 1;
        }
    }
    assert!(shown > 5, "{shown}");
}
