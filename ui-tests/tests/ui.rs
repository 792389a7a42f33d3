//! What must not compile, and how the compiler says so.
//!
//! One mistake a file, in the folder of what it is a mistake about. `TRYBUILD=overwrite cargo test -p upstate-ui-tests --test ui`
//! writes the messages again; read each one before it is committed: what is wrong, where, and what to type instead.

use std::path::Path;

#[test]
fn mistakes_are_explained() {
    lay_down_the_lock();
    // No case that compiles is among them, because one would have trybuild build all cases one after the other, in 240 seconds in place of 86.
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*/*.rs");
}

/// The derive looks for a lock in the folder of the package that is compiled, which is one that trybuild makes.
fn lay_down_the_lock() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(Path::new("target"));
    let package = target.join("tests/trybuild/upstate-ui-tests");
    let copied = std::fs::create_dir_all(&package).and_then(|()| std::fs::copy("upstate.lock", package.join("upstate.lock")));
    assert!(copied.is_ok(), "the lock cannot be laid down: {copied:?}");
}
