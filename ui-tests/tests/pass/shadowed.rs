//! Names of the standard library, and of the generated code, that mean something else.

/// Not the `Option`.
#[derive(::upstate::Object)]
#[upgrade_from(model = Result, rename(value => some))]
pub struct Option {
    /// Not the `Some`.
    pub some: i64,
}

/// Not the `Result`.
#[derive(::upstate::Object)]
pub struct Result {
    /// A member.
    pub value: i64,
}

/// Not the `String`.
#[derive(::upstate::Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = Vec, rename(value => option), set(literal = TEXT), only_if(has(stage), set(operation = "a")), drop(operation, "replaced"))]
#[move_from(type_name = "box", model = Box, async, with = unbox)]
pub struct String {
    /// A member.
    pub option: Option,
    /// A member.
    pub literal: ::std::string::String,
    /// A member.
    pub stage: ::std::option::Option<::std::string::String>,
    /// A member.
    pub operation: ::std::option::Option<::std::string::String>,
}

/// Not the `Vec`.
#[derive(::upstate::Resource)]
#[resource(type_name = "string", version = 0)]
pub struct Vec {
    /// A member.
    pub value: Result,
    /// A member.
    pub stage: ::std::option::Option<::std::string::String>,
    /// A member.
    pub operation: ::std::option::Option<::std::string::String>,
}

/// Not the `Box`.
#[derive(::upstate::Resource)]
#[resource(version = 0)]
pub struct Box {
    /// A member.
    pub value: i64,
}

async fn unbox(
    prior: Box,
    _context: &mut ::upstate::UpgradeContext<'_>,
) -> ::std::result::Result<String, &'static str> {
    ::std::future::ready(()).await;
    ::std::result::Result::Ok(String {
        option: Option { some: prior.value },
        literal: ::std::convert::Into::into(TEXT),
        stage: ::std::option::Option::None,
        operation: ::std::option::Option::None,
    })
}

const TEXT: &str = "text";

/// Not the one of the generated code.
pub struct Operation;
/// Not the one of the generated code.
pub struct Stage;
/// Not the one of the generated code.
pub struct Upgrader;

/// Neither are these.
#[must_use]
#[expect(
    non_snake_case,
    reason = "it is a name that generated code could take for a variant"
)]
pub fn Some() -> bool {
    true
}

/// No macro of this name is called.
#[macro_export]
macro_rules! concat {
    () => {};
}

#[test]
fn other_meanings_are_no_trouble() {
    let string: String = super::upgraded(
        0,
        r#"{"value": {"value": 1}, "stage": "s", "operation": null}"#,
    );
    ::std::assert_eq!((string.option.some, &*string.literal), (1, "text"));
    ::std::assert_eq!(
        string.operation.as_deref(),
        ::std::option::Option::Some("a")
    );
}
