//! The first pages as `.ci/first-pages` reads them, which runs for minutes: the listings that it
//! takes are there.

use std::collections::BTreeSet;
use std::fs;

#[test]
fn the_listings_that_are_tried_are_on_the_first_pages() {
    let read = |path: &str| fs::read_to_string(super::root().join(path)).unwrap();
    let mut tried = BTreeSet::new();
    for call in read(".ci/first-pages").split("listings(\"").skip(1) {
        let (page, rest) = call.split_once("\", \"").unwrap();
        let (language, _) = rest.split_once("\")").unwrap();
        let text = super::repeats::visible(&read(&format!("docs/src/{page}.md")));
        assert!(
            text.lines()
                .any(|line| line.strip_prefix("```") == Some(language)),
            "{page}.md has no listing of {language:?}"
        );
        tried.insert(page.to_owned());
    }
    let page = |(_, target): (usize, String)| {
        Some(
            target
                .strip_prefix("docs/src/")?
                .strip_suffix(".md")?
                .to_owned(),
        )
    };
    let linked: BTreeSet<String> = super::links(&read("README.md"))
        .into_iter()
        .filter_map(page)
        .filter(|page| page.starts_with("start-"))
        .collect();
    assert_eq!(
        tried, linked,
        "the README leads to other first pages than those that are tried"
    );
}
