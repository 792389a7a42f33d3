//! The picture of the crates in the guide's page "Architecture": drawn from what they depend on, by
//! the order of CONTRIBUTING.md.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A crate in the picture, and what it is for.
const SHOWN: [(&str, &str); 10] = [
    ("upstate-words", "words of derive and runtime"),
    ("upstate-macros", "the derives"),
    ("upstate-runtime", "schemas, codecs, upgrades"),
    ("upstate", "all of it, for programs"),
    ("upstate-state", "state files, documents"),
    ("upstate-compat", "lock, rules, guide"),
    ("upstate-cli", "commands"),
    ("upstate-kube", "custom resources"),
    ("upstate-provider", "plugin protocol"),
    ("upstate-server", "State Versions service"),
];

const WIDTH: usize = 196;
const HEIGHT: usize = 48;
const GAP: usize = 24;
const RISE: usize = 64;

/// What each shown crate depends on, without what only tests need, and without what another
/// dependency brings along.
fn dependencies(packages: &[serde_json::Value]) -> BTreeMap<&str, BTreeSet<&str>> {
    let shown = |name: &str| {
        SHOWN
            .iter()
            .find(|(shown, _)| *shown == name)
            .map(|(shown, _)| *shown)
    };
    let direct: BTreeMap<&str, BTreeSet<&str>> = packages
        .iter()
        .filter_map(|package| {
            let on = package["dependencies"]
                .as_array()?
                .iter()
                .filter(|dependency| dependency["kind"].as_str() != Some("dev"));
            let on = on
                .filter_map(|dependency| shown(dependency["name"].as_str()?))
                .collect();
            Some((shown(package["name"].as_str()?)?, on))
        })
        .collect();
    let reaches = |from: &str, to: &str| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
        while let Some(name) = left.pop() {
            left.extend(
                direct
                    .get(name)
                    .into_iter()
                    .flatten()
                    .filter(|next| seen.insert(**next))
                    .copied(),
            );
        }
        seen.contains(to)
    };
    let short = |on: &BTreeSet<&'static str>| {
        on.iter()
            .filter(|to| !on.iter().any(|other| other != *to && reaches(other, to)))
            .copied()
            .collect()
    };
    direct.iter().map(|(name, on)| (*name, short(on))).collect()
}

/// The picture: one row a floor, the lowest at the bottom, and a line from each crate to each that
/// it depends on.
pub(crate) fn draw(packages: &[serde_json::Value]) -> String {
    let dependencies = dependencies(packages);
    let mut floor: BTreeMap<&str, usize> = BTreeMap::new();
    // From the bottom: above everything that it depends on.
    while floor.len() < SHOWN.len() {
        for (name, _) in SHOWN
            .iter()
            .filter(|(name, _)| !floor.contains_key(name))
            .collect::<Vec<_>>()
        {
            let below: Option<Vec<usize>> = dependencies[name]
                .iter()
                .map(|on| floor.get(on).copied())
                .collect();
            if let Some(below) = below {
                floor.insert(
                    name,
                    below.into_iter().max().map_or(0, |highest| highest + 1),
                );
            }
        }
    }
    let floors = floor.values().max().map_or(0, |highest| highest + 1);
    let row = |number: usize| {
        SHOWN
            .iter()
            .filter(|(name, _)| floor[name] == number)
            .copied()
            .collect::<Vec<_>>()
    };
    let widest = (0..floors)
        .map(|number| row(number).len())
        .max()
        .unwrap_or_default();
    let (width, height) = (
        widest * (WIDTH + GAP) + GAP,
        floors * (HEIGHT + RISE) - RISE + 2 * GAP,
    );
    let mut place: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for number in 0..floors {
        let crates = row(number);
        let left = (width - (crates.len() * (WIDTH + GAP) - GAP)) / 2;
        for (index, (name, _)) in crates.iter().enumerate() {
            place.insert(
                name,
                (
                    left + index * (WIDTH + GAP),
                    height - GAP - HEIGHT - number * (HEIGHT + RISE),
                ),
            );
        }
    }
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"14\">\n<title>The crates of \
         upstate; a line leads down to what a crate depends on</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (name, on) in &dependencies {
        for to in on {
            let (from, to) = (place[name], place[to]);
            let (x1, y1, x2, y2) = (from.0 + WIDTH / 2, from.1 + HEIGHT, to.0 + WIDTH / 2, to.1);
            writeln!(
                svg,
                "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"#888\"/>"
            )
            .unwrap();
        }
    }
    for (name, what) in SHOWN {
        let (x, y) = place[name];
        let middle = x + WIDTH / 2;
        writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"4\" fill=\"#eef3fa\" stroke=\"#456\"/>\n<text x=\"{middle}\" y=\"{}\" \
             text-anchor=\"middle\" font-weight=\"bold\">{name}</text>\n<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"12\">{what}</text>",
            y + 20,
            y + 38
        )
        .unwrap();
    }
    svg + "</svg>\n"
}

#[test]
fn the_picture_of_the_crates_is_what_they_depend_on() {
    let path = super::root().join("docs/src/images/architecture.svg");
    let picture = draw(&super::packages());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &picture).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap_or_default() == picture,
        "UPDATE=1 draws docs/src/images/architecture.svg"
    );
    // Every crate that is published is shown.
    let published = |package: &serde_json::Value| package["publish"].is_null();
    let published: BTreeSet<String> = super::packages()
        .iter()
        .filter(|package| published(package))
        .map(|package| package["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        published,
        SHOWN.iter().map(|(name, _)| (*name).to_owned()).collect()
    );
}

#[test]
fn a_dependency_that_another_one_brings_along_has_no_line() {
    let package = |name: &str, on: &[(&str, Option<&str>)]| {
        let on: Vec<_> = on
            .iter()
            .map(|(name, kind)| serde_json::json!({"name": name, "kind": kind}))
            .collect();
        serde_json::json!({"name": name, "dependencies": on})
    };
    let packages = [
        package("upstate-words", &[]),
        package(
            "upstate",
            &[
                ("upstate-words", None),
                ("upstate-state", Some("dev")),
                ("serde", None),
            ],
        ),
        package(
            "upstate-state",
            &[("upstate", None), ("upstate-words", None)],
        ),
    ];
    let found = dependencies(&packages);
    assert_eq!(found["upstate"], ["upstate-words"].into());
    assert_eq!(found["upstate-state"], ["upstate"].into());
}
