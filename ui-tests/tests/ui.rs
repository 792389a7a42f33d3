//! What must not compile, and how the compiler says so.
//!
//! One mistake a file, in the folder of what it is a mistake about. `TRYBUILD=overwrite cargo test -p upstate-ui-tests --test ui`
//! writes the messages anew; read each one before it is committed: what is wrong, where, and what to type instead.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
