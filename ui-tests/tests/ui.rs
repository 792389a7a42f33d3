//! What must not compile, and how the compiler says so.
//!
//! One mistake a file, in the folder of what it is a mistake about. `TRYBUILD=overwrite cargo test -p upstate-ui-tests --test ui`
//! writes the messages again; read each one before it is committed: what is wrong, where, and what to type instead.

use std::collections::BTreeMap;
use std::path::Path;

use upstate_ui_arguments::arguments;
use upstate_ui_tests::together::Compiler;

#[test]
fn mistakes_are_explained() {
    // Some are to be written, or one is looked at.
    let by_trybuild = std::env::var_os("TRYBUILD").is_some()
        || std::env::args().any(|argument| argument.starts_with("trybuild="));
    if by_trybuild {
        lay_down_the_lock();
        // No case that compiles is among them, because one would have trybuild build all cases one after the other, in 240 seconds in place of 86.
        trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    let compiler = Compiler::of(&arguments!(), &folder).unwrap();
    let left = compiler
        .differing(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ui")))
        .unwrap();
    if left.is_empty() {
        return;
    }
    lay_down_the_lock();
    let cases = trybuild::TestCases::new();
    for case in left {
        cases.compile_fail(
            case.strip_prefix(env!("CARGO_MANIFEST_DIR"))
                .unwrap_or(&case),
        );
    }
}

/// The derive looks for a lock in the folder of the package that is compiled, which is one that trybuild makes.
fn lay_down_the_lock() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .unwrap_or(Path::new("target"));
    let package = target.join("tests/trybuild/upstate-ui-tests");
    let copied = std::fs::create_dir_all(&package)
        .and_then(|()| std::fs::copy("upstate.lock", package.join("upstate.lock")));
    assert!(copied.is_ok(), "the lock cannot be laid down: {copied:?}");
}

#[test]
fn mistakes_of_users_of_other_tools_are_counted_by_their_grades() {
    let text = include_str!("outside.txt");
    let (heading, _) = text.split_once("\n## ").unwrap();
    let mut grades: BTreeMap<&str, usize> =
        BTreeMap::from([("excellent", 0), ("ok", 0), ("poor", 0), ("compiles", 0)]);
    for (nth, case) in (1..).zip(text.split("\n## ").skip(1)) {
        let (title, program) = case.split_once('\n').unwrap();
        let (number, rest) = title.split_once(' ').unwrap();
        let (grade, name) = rest.split_once(": ").unwrap();
        assert_eq!(number, format!("{nth:03}"), "{title}");
        *grades
            .get_mut(grade)
            .unwrap_or_else(|| panic!("no such grade: {title}")) += 1;
        assert!(!name.is_empty() && program.contains("#[derive("), "{title}");
    }
    let [excellent, ok, poor, compile] =
        ["excellent", "ok", "poor", "compiles"].map(|grade| grades[grade]);
    let all: usize = grades.values().sum();
    let refused = all - compile;
    let counted = format!(
        "# Of {all} programs {compile} compile. Of the other {refused}: {excellent} excellent, {ok} ok, {poor} poor."
    );
    assert!(
        heading.contains(&counted),
        "there are other numbers in the heading: {counted}"
    );
}
