//! Keywords and words of the grammar as names of fields.

/// A thing.
#[derive(::upstate::Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0,
    rename(r#type => r#match, r#in.r#fn => r#as),
    copy(existing => r#where),
    default(r#when = "now", when = null),
    null_if((empty, null), ""),
    reformat(keep, "{type}/{name}" => "{type}:{name}:{existing}", "{_..}" => "{existing}"),
    only_if(has(r#mod), set(r#else = "b")),
    drop(r#mod, "a keyword"),
    drop(r#else, "replaced where there is a `mod`"),
)]
pub struct Thing {
    /// A keyword.
    pub r#match: ::std::string::String,
    /// A keyword.
    pub r#as: ::std::string::String,
    /// An option of `rename`.
    pub existing: ::std::string::String,
    /// A keyword.
    pub r#where: ::std::string::String,
    /// An option of `default`.
    pub r#when: ::std::string::String,
    /// A word for values.
    pub empty: ::std::option::Option<::std::string::String>,
    /// A word for values.
    pub null: ::std::option::Option<::std::string::String>,
    /// A word for what is done.
    #[attribute(name = "kept")]
    pub keep: ::std::string::String,
    /// A keyword.
    pub r#else: ::std::option::Option<::std::string::String>,
}

/// A prior thing.
#[derive(::upstate::Resource)]
#[resource(type_name = "thing", version = 0)]
pub struct ThingV0 {
    /// A keyword.
    pub r#type: ::std::string::String,
    /// A keyword.
    pub r#in: Inner,
    /// An option of `rename`.
    pub existing: ::std::string::String,
    /// An option of `default`.
    pub r#when: ::std::option::Option<::std::string::String>,
    /// A word for values.
    pub empty: ::std::string::String,
    /// A word for values.
    pub null: ::std::string::String,
    /// A word for what is done.
    #[attribute(name = "kept")]
    pub keep: ::std::string::String,
    /// A keyword.
    pub r#mod: ::std::option::Option<::std::string::String>,
    /// A keyword.
    pub r#else: ::std::option::Option<::std::string::String>,
}

/// An object.
#[derive(::upstate::Object)]
pub struct Inner {
    /// A keyword.
    pub r#fn: ::std::string::String,
}

#[test]
fn keywords_are_names_like_others() {
    let thing: Thing = super::upgraded(
        0,
        r#"{
            "type": "t", "in": {"fn": "f"}, "existing": "e", "when": null, "empty": "", "null": "n", "kept": "k", "mod": "m",
            "else": "a"
        }"#,
    );
    ::std::assert_eq!(
        (
            &*thing.r#match,
            &*thing.r#as,
            &*thing.existing,
            &*thing.r#where
        ),
        ("t", "f", "e", "e")
    );
    ::std::assert_eq!((&*thing.when, &*thing.keep), ("now", "e"));
    ::std::assert_eq!(
        (thing.empty, thing.null.as_deref()),
        (
            ::std::option::Option::None,
            ::std::option::Option::Some("n")
        )
    );
    ::std::assert_eq!(thing.r#else.as_deref(), ::std::option::Option::Some("b"));
}
