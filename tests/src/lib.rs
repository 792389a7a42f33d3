//! Behaviour that needs more than one crate is tested in `tests/`. What is here keeps the guide and
//! the derives' pages true: every block of Rust in them is a doctest. `build.rs` writes the pages
//! that are included here: what an example needs and a reader does not is in a comment of the page.

macro_rules! chapters {
    ($($name:ident: $path:literal,)+) => {$(
        #[doc = include_str!(concat!(env!("OUT_DIR"), "/guide/", $path))]
        #[cfg(doctest)]
        pub struct $name;
    )+};
}

/// The pages of the derives, tested here because the derives' own crate would need the runtime
/// built for the host.
#[doc = include_str!("../../macros/docs/resource.md")]
#[doc = include_str!("../../macros/docs/upgraders.md")]
#[doc = include_str!("../../macros/docs/operators.md")]
#[doc = include_str!("../../macros/docs/facts.md")]
#[doc = include_str!("../../macros/docs/resource-attributes.md")]
#[doc = include_str!("../../macros/docs/object.md")]
#[doc = include_str!("../../macros/docs/string_enum.md")]
#[doc = include_str!("../../macros/docs/document.md")]
#[doc = include_str!("../../macros/docs/union.md")]
#[doc = include_str!("../../macros/docs/any_of.md")]
#[cfg(doctest)]
pub struct Derives;

chapters! {
    StartSettings: "start-settings.md",
    StartProvider: "start-provider.md",
    StartOperator: "start-operator.md",
    FirstModel: "first-model.md",
    Engine: "engine.md",
    FromGo: "from-go.md",
    FromSerde: "from-serde.md",
    FieldTypes: "field-types.md",
    Comparison: "comparison.md",
    Rename: "changes/rename.md",
    Remove: "changes/remove.md",
    Retype: "changes/retype.md",
    Split: "changes/split.md",
    Merge: "changes/merge.md",
    Nest: "changes/nest.md",
    List: "changes/list.md",
    TwoShapes: "changes/two-shapes.md",
    Add: "changes/add.md",
    Client: "changes/client.md",
    Operators: "operators.md",
    Documents: "documents.md",
    Downgrades: "downgrades.md",
    Testing: "testing.md",
    StateFiles: "state-files.md",
    StateVersionsUpgrades: "state-versions-upgrades.md",
    Lock: "lock.md",
    CompileErrors: "compile-errors.md",
    Provider: "provider.md",
    ProviderBeside: "provider-beside.md",
    ProviderShipping: "provider-shipping.md",
}
