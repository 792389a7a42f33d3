//! The order of the rooms: no import climbs, and no crate depends on one above it.
//!
//! The order is the block `layers` in CONTRIBUTING.md. Paths are found in tokens, not in syntax
//! trees, so that those inside of macros count as well; what `#[cfg(test)]` has may look at the
//! house from above.

mod circles;
mod imports;
mod operators;
mod order;
mod picture;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use circles::circles;
use imports::Source;
use order::{Floors, Order};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn order() -> Order {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md"))
        .expect("CONTRIBUTING.md can be read");
    Order::parse(&text).expect("CONTRIBUTING.md has the layers")
}

/// Every import that climbs between the rooms of a folder of a crate, as a line for the reader.
fn climbing(floors: &Floors, source: &Source, folder: &[String]) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for import in &source.imports {
        let (Some(from), Some(to)) = (
            source.room(folder, &import.from),
            source.room(folder, &import.to),
        ) else {
            continue;
        };
        if let (Some(lower), Some(upper)) = (floors.of(&from), floors.of(&to))
            && upper > lower
        {
            lines.insert(format!("{import}: `{to}` is above `{from}`"));
        }
    }
    lines
}

#[test]
fn no_import_climbs() {
    let mut problems = Vec::new();
    let order = order();
    // Each crate once, because one has up to a dozen folders.
    let mut sources: BTreeMap<&str, Source> = BTreeMap::new();
    for (name, floors) in &order.rooms {
        let (package, inside) = name.split_once('/').unwrap_or((name, ""));
        let source = &*sources
            .entry(package)
            .or_insert_with(|| Source::read(&root().join(package).join("src")));
        let folder: Vec<String> = inside
            .split('/')
            .filter(|step| !step.is_empty())
            .map(str::to_owned)
            .collect();
        problems.extend(
            climbing(floors, source, &folder)
                .into_iter()
                .map(|problem| format!("{package}/src/{problem}")),
        );
        let (listed, there) = (floors.names(), source.rooms(&folder));
        problems.extend(
            there
                .difference(&listed)
                .map(|room| format!("{name}: CONTRIBUTING.md does not list `{room}`")),
        );
        problems.extend(
            listed
                .difference(&there)
                .map(|room| format!("{name}: there is no `{room}`, which CONTRIBUTING.md lists")),
        );
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let seen: usize = sources.values().map(|source| source.imports.len()).sum();
    assert!(
        seen > 500,
        "the house has more imports than {seen}: the test no longer finds them"
    );
}

/// Files that import each other can only be understood together.
#[test]
fn circles_of_files_get_no_larger() {
    let mut problems = Vec::new();
    for (package, ceiling) in &order().circles {
        let source = Source::read(&root().join(package).join("src"));
        let largest = circles(&source.uses())
            .into_iter()
            .max_by_key(Vec::len)
            .unwrap_or_default();
        if largest.len() > *ceiling {
            let files: Vec<String> = largest.iter().map(|module| module.join("/")).collect();
            problems.push(format!(
                "{package}: {} files import each other, {ceiling} may: {}",
                files.len(),
                files.join(" ")
            ));
        }
        if largest.len() < *ceiling {
            problems.push(format!(
                "{package}: its largest circle has {} files: write that in place of {ceiling}",
                largest.len()
            ));
        }
    }
    let order = order();
    let without = order
        .rooms
        .keys()
        .filter(|name| !name.contains('/') && !order.circles.contains_key(*name));
    problems.extend(without.map(|name| format!("{name} has no number")));
    assert!(
        problems.is_empty(),
        "The block `circles` of CONTRIBUTING.md has the numbers.\n{}",
        problems.join("\n")
    );
}

#[test]
fn the_picture_of_the_architecture_shows_every_room_of_the_runtime_in_its_order() {
    let page =
        std::fs::read_to_string(root().join("docs/architecture.md")).expect("the page can be read");
    let picture: Vec<&str> = page
        .split("```")
        .nth(1)
        .expect("the page has a picture")
        .lines()
        .collect();
    let floors = &order().rooms["runtime"];
    let rooms: Vec<String> = floors
        .names()
        .into_iter()
        .filter(|room| room != "lib" && room != "testing")
        .collect();
    let line_of = |room: &str| {
        let has = |line: &&str| {
            line.split(|letter: char| !letter.is_alphanumeric())
                .any(|word| word == room)
        };
        picture
            .iter()
            .rposition(has)
            .unwrap_or_else(|| panic!("the picture has no `{room}`"))
    };
    for (upper, lower) in rooms
        .iter()
        .flat_map(|upper| rooms.iter().map(move |lower| (upper, lower)))
    {
        if floors.of(upper) > floors.of(lower) {
            assert!(
                line_of(upper) <= line_of(lower),
                "the picture has `{upper}` below `{lower}`"
            );
        }
    }
}

/// The crates of the workspace, as cargo describes them.
fn packages() -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    metadata["packages"]
        .as_array()
        .expect("there are packages")
        .clone()
}

/// Cargo puts all programs into one folder, where one overwrites another of its name without a
/// warning.
#[test]
fn no_two_programs_have_one_name() {
    let mut of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages() {
        for target in package["targets"].as_array().expect("there are targets") {
            let kinds = target["kind"].as_array().expect("there are kinds");
            if kinds
                .iter()
                .any(|kind| matches!(kind.as_str(), Some("bin" | "example")))
            {
                let [name, owner] = [&target["name"], &package["name"]]
                    .map(|name| name.as_str().unwrap_or_default().to_owned());
                of.entry(name).or_default().push(owner);
            }
        }
    }
    assert!(of.len() > 20, "cargo names only {} programs", of.len());
    of.retain(|_, owners| owners.len() > 1);
    assert!(
        of.is_empty(),
        "several crates have a program of one name: {of:#?}"
    );
}

/// The files of a program: its root, and those of the modules that it declares.
fn files_of(root: &Path) -> Vec<PathBuf> {
    let mut files = vec![root.to_owned()];
    let mut number = 0;
    while let Some(file) = files.get(number).cloned() {
        number += 1;
        let text = std::fs::read_to_string(&file).expect("a file of the program can be read");
        let around = file.parent().unwrap_or(root);
        let folder = if file == root || file.ends_with("mod.rs") {
            around.to_owned()
        } else {
            file.with_extension("")
        };
        let declared = text
            .lines()
            .filter_map(|line| line.split_once("mod "))
            .filter(|(before, _)| before.is_empty() || before.starts_with("pub"));
        for name in declared.filter_map(|(_, name)| name.strip_suffix(';')) {
            let places = [
                folder.join(name).with_extension("rs"),
                folder.join(name).join("mod.rs"),
            ];
            let found: Vec<PathBuf> = places
                .into_iter()
                .filter(|place| place.exists() && !files.contains(place))
                .collect();
            files.extend(found);
        }
    }
    files
}

/// Cargo does not run the tests of a program whose manifest says that it has none.
#[test]
fn programs_that_are_not_tested_have_no_tests() {
    let mut seen = 0;
    for package in packages() {
        for target in package["targets"].as_array().expect("there are targets") {
            let kinds = target["kind"].as_array().expect("there are kinds");
            let is = |kind: &str| kinds.iter().any(|one| one == kind);
            // Those of a program's documentation are never run.
            let (has_no_tests, has_no_examples) = (
                (is("bin") || is("lib")) && target["test"] == false,
                is("lib") && target["doctest"] == false,
            );
            if !has_no_tests && !has_no_examples {
                continue;
            }
            seen += 1;
            for file in files_of(Path::new(target["src_path"].as_str().unwrap_or_default())) {
                let text =
                    std::fs::read_to_string(&file).expect("a file of the program can be read");
                let is_tested = ["#[test]", "::test]", "::test(", "#[cfg(test)]"]
                    .iter()
                    .any(|test| text.contains(test));
                assert!(
                    !(has_no_tests && is_tested),
                    "{}: remove `test = false` from the manifest of {}",
                    file.display(),
                    target["name"]
                );
                let is_example =
                    |line: &str| line.trim_start().starts_with("//") && line.contains("```");
                assert!(
                    !(has_no_examples && text.lines().any(is_example)),
                    "{}: remove `doctest = false` from the manifest of {}",
                    file.display(),
                    target["name"]
                );
            }
        }
    }
    assert!(seen > 20, "cargo names only {seen} programs without tests");
}

#[test]
fn no_crate_depends_on_one_above_it() {
    let packages = packages();
    let crates: BTreeMap<&str, &serde_json::Value> = packages
        .iter()
        .map(|package| (package["name"].as_str().unwrap_or_default(), package))
        .collect();
    let floors = order().crates;
    let mut problems = Vec::new();
    let listed = floors.names();
    let there: BTreeSet<String> = crates.keys().map(|name| (*name).to_owned()).collect();
    problems.extend(
        there
            .difference(&listed)
            .map(|name| format!("CONTRIBUTING.md does not list the crate `{name}`")),
    );
    for (name, package) in &crates {
        for dependency in package["dependencies"]
            .as_array()
            .expect("there are dependencies")
        {
            let on = dependency["name"].as_str().unwrap_or_default();
            // What only tests need may come from above.
            let is_for_tests = dependency["kind"].as_str() == Some("dev");
            if let (Some(from), Some(to)) = (floors.of(name), floors.of(on))
                && to >= from
                && !is_for_tests
            {
                problems.push(format!("`{name}` depends on `{on}`, which is not below it"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The climbs in one file of a crate with the rooms `low < middle beside < lib < top`, whose root
/// passes on `middle::Thing`.
fn judged(module: &[&str], text: &str) -> BTreeSet<String> {
    let order = Order::parse(
        "```layers\ncrates: a\nx: low < middle beside < lib < top\n```\n```circles\n```\n",
    )
    .unwrap();
    let mut source = Source::default();
    for room in [
        vec![],
        vec!["low"],
        vec!["low", "deep"],
        vec!["low", "file"],
        vec!["middle"],
        vec!["beside"],
        vec!["top"],
    ] {
        source
            .modules
            .insert(room.into_iter().map(str::to_owned).collect());
    }
    source
        .add(Path::new("lib.rs"), "pub use middle::Thing;", &[], "own")
        .unwrap();
    let module: Vec<String> = module.iter().map(|step| (*step).to_owned()).collect();
    source
        .add(Path::new("file.rs"), text, &module, "own")
        .unwrap();
    climbing(&order.rooms["x"], &source, &[])
}

#[test]
fn a_planted_climb_is_found_however_it_is_written() {
    for climb in [
        "use crate::middle::Thing;",
        "use crate::{low::A, top};",
        "use crate::{\n    low::A,\n    middle::{B, C},\n};",
        "use super::middle::Thing;",
        "pub use super::{beside as other};",
        "fn f() -> crate::top::T { todo!() }",
        "fn f() { m!(a, crate::middle::g()); }",
        "macro_rules! m { () => { $crate::middle::g() } }",
        "mod inner { use super::super::middle::Thing; }",
        "use crate::Thing;",
        "use own::middle::Thing;",
        "use ::own::Thing;",
        "use crate::from_json;",
        "use super::from_json;",
    ] {
        assert_eq!(judged(&["low"], climb).len(), 1, "{climb}");
    }
    assert_eq!(
        judged(&["low", "deep"], "use super::super::middle::Thing;").len(),
        1
    );
    assert_eq!(
        judged(&["low"], "fn f() {}\n\nuse crate::top::T;"),
        ["file.rs:3: `top` is above `low`".to_owned()].into()
    );
    assert_eq!(
        judged(&["middle"], "use crate::{low, top, beside, middle};"),
        ["file.rs:1: `top` is above `middle`".to_owned()].into()
    );
}

#[test]
fn what_stays_or_goes_down_is_no_climb() {
    for fine in [
        "use crate::low::A;",
        "use super::inner::A;",
        "use self::inner::A;",
        "use std::middle::A;",
        "use other::middle::A;",
        "mod middle { pub struct A; }\nuse middle::A;",
        "/// See [`crate::top::T`].\nfn f() {}",
        "const TEXT: &str = \"use crate::top;\";",
        "pub(in crate::low) fn f() {}",
        "#[cfg(test)]\nmod tests { use crate::top::T; }",
    ] {
        let module: &[&str] = if fine.contains("super::inner") {
            &["low", "file"]
        } else {
            &["low"]
        };
        assert_eq!(judged(module, fine), BTreeSet::new(), "{fine}");
    }
    assert_eq!(
        judged(&["middle"], "use crate::{low, beside, Thing};"),
        BTreeSet::new()
    );
    assert_eq!(
        judged(&["top"], "use crate::{low, from_json, Thing};"),
        BTreeSet::new()
    );
    assert_eq!(
        judged(&[], "pub use top::T; use crate::middle::A;"),
        ["file.rs:1: `top` is above `lib`".to_owned()].into()
    );
}

#[test]
fn a_list_that_says_a_room_twice_is_refused() {
    assert!(Order::parse("```layers\ncrates: a\nx: low < low\n```").is_err());
    assert!(Order::parse("no block").is_err());
    assert!(Order::parse("```layers\nx low\n```").is_err());
    assert!(Order::parse("```layers\nx: low <\n```").is_err());
}

#[test]
fn files_that_lead_to_each_other_are_found_through_passed_on_names() {
    let module = |name: &str| -> Vec<String> {
        name.split('/')
            .filter(|step| !step.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let mut source = Source::default();
    source
        .modules
        .extend(["", "a", "b", "b/deep", "c"].map(module));
    for (file, text) in [
        ("", "pub use b::Passed;"),
        ("a", "use crate::Passed; use crate::c::Low;"),
        ("b", "mod deep; pub use deep::Passed;"),
        ("b/deep", "fn f() -> crate::a::Thing { m!(super::Other) }"),
        (
            "c",
            "pub struct Low;\n#[cfg(test)]\nmod tests { use crate::a::Thing; }",
        ),
    ] {
        source
            .add(Path::new(file), text, &module(file), "own")
            .unwrap();
    }
    let found: Vec<Vec<String>> = circles(&source.uses())
        .into_iter()
        .map(|circle| circle.iter().map(|module| module.join("/")).collect())
        .collect();
    assert_eq!(
        found,
        [["a", "b/deep"]],
        "`b` passes a name on and uses nothing: {source:?}"
    );
}

/// Two crates of one release agree only where one uses the inside of the other: `=` is for these,
/// and for no other.
#[test]
fn an_exact_version_is_for_those_who_use_the_inside() {
    let mut problems = Vec::new();
    let mut exact = 0;
    for package in packages()
        .iter()
        .filter(|package| package["publish"].is_null())
    {
        let name = package["name"].as_str().expect("a package has a name");
        let manifest = Path::new(
            package["manifest_path"]
                .as_str()
                .expect("a package has a manifest"),
        );
        let source = imports::text_below(&manifest.with_file_name("src"));
        for dependency in package["dependencies"]
            .as_array()
            .expect("there are dependencies")
        {
            let (on, kind) = (
                dependency["name"].as_str().unwrap_or_default(),
                dependency["kind"].as_str(),
            );
            if !on.starts_with("upstate") || kind == Some("dev") {
                continue;
            }
            let inside = matches!(on, "upstate-words" | "upstate-macros" | "upstate-runtime")
                || source.contains(&format!("{}::__", on.replace('-', "_")));
            let is_exact = dependency["req"]
                .as_str()
                .is_some_and(|version| version.starts_with('='));
            exact += usize::from(is_exact);
            if inside != is_exact {
                problems.push(format!(
                    "{name}: `{on}` has `{}`, and the inside of it is used: {inside}",
                    dependency["req"]
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(exact >= 6, "only {exact} exact versions were seen");
}

/// Programs ask `upstate` for the features of the runtime.
#[test]
fn each_feature_of_the_runtime_can_be_had_by_its_name() {
    let packages = packages();
    let features = |name: &str| {
        packages
            .iter()
            .find(|package| package["name"] == name)
            .and_then(|package| package["features"].as_object())
            .expect("the crate has features")
    };
    let (own, inside) = (features("upstate"), features("upstate-runtime"));
    assert!(!inside.is_empty());
    for feature in inside.keys() {
        let forwarded = format!("upstate-runtime/{feature}");
        assert!(
            own.get(feature)
                .and_then(serde_json::Value::as_array)
                .is_some_and(|asked| asked.iter().any(|one| *one == forwarded)),
            "`upstate` does not pass on {feature}"
        );
    }
}

/// Cargo packs only files of the crate's own folder.
#[test]
fn published_crates_have_their_licenses_and_a_readme() {
    for package in packages()
        .iter()
        .filter(|package| package["publish"].is_null())
    {
        let manifest = Path::new(
            package["manifest_path"]
                .as_str()
                .expect("a package has a manifest"),
        );
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let own = std::fs::read(manifest.with_file_name(name)).unwrap_or_default();
            assert!(
                own == std::fs::read(root().join(name)).expect("the license is there"),
                "{}: {name}",
                package["name"]
            );
        }
        let readme = package["readme"]
            .as_str()
            .expect("a published crate has a README");
        assert!(
            manifest.with_file_name(readme).is_file(),
            "{}: {readme}",
            package["name"]
        );
    }
}

/// docs.rs shows the platforms that a crate names: those that are tested, as the guide says, and no
/// others.
#[test]
fn published_crates_are_documented_for_the_platform_that_is_tested() {
    let page = std::fs::read_to_string(root().join("docs/src/stability.md"))
        .expect("the page can be read");
    assert!(
        page.contains("The tests run on x86-64 Linux"),
        "docs/src/stability.md names the platforms that are tested"
    );
    let published: Vec<_> = packages()
        .into_iter()
        .filter(|package| package["publish"].is_null())
        .collect();
    assert!(
        published.len() >= 9,
        "cargo names only {} published crates",
        published.len()
    );
    for package in published {
        let targets = &package["metadata"]["docs"]["rs"]["targets"];
        assert_eq!(
            *targets,
            serde_json::json!(["x86_64-unknown-linux-gnu"]),
            "{}: `package.metadata.docs.rs`",
            package["name"]
        );
    }
}
