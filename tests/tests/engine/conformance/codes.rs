//! What the neutral codes of the case files are here. A code that is not known is a failure: any
//! error would do for it.

use serde_json::Value as Json;
use upstate::codec::DecodeErrorKind as Kind;

/// The failure of a case whose code means nothing here.
pub fn unknown(code: &str) -> String {
    format!(
        "the code {code:?} is not known to this runner: say in `codes.rs` which error it is here"
    )
}

/// The kind of error that reading JSON gives.
pub fn kind(code: &str) -> Option<Kind> {
    Some(match code {
        "bad_number" => Kind::BadNumber,
        "bad_bool" => Kind::BadBool,
        "unsupported_attribute" => Kind::UndefinedAttribute,
        "wrong_json_kind" => Kind::WrongKind,
        "tuple_length" => Kind::TupleLength,
        "mixed_element_types" => Kind::MixedElements,
        "bad_dynamic" => Kind::BadDynamic,
        "syntax" | "invalid_json" => Kind::Syntax,
        "too_deep" => Kind::Depth,
        _ => return None,
    })
}

/// What the text of an error says that has no kind: of MessagePack, of flat state, of values that
/// are written.
pub fn reason(code: &str) -> Option<&'static str> {
    Some(match code {
        "object_length" => "attributes, got",
        "tuple_length" => "a tuple of",
        "unsupported_attribute" => "unsupported attribute",
        "mixed_element_types" => "do not all have the same types",
        "unknown_value" => "unknown value",
        "wrong_type" => "expected ",
        "bad_count" => "invalid count value for",
        "bad_bool" => "a bool",
        "bad_number" => "a number",
        "dynamic_in_flatmap" => "is dynamic, which flat state cannot hold",
        _ => return None,
    })
}

/// The headings of the diagnostics that the engine itself makes.
pub fn headings(code: &str) -> Option<&'static [&'static str]> {
    Some(match code {
        "state_unreadable_with_current_schema" | "state_unreadable_with_prior_schema" => &[
            "Unable to Read Previously Saved State",
            "Unable to Read Previously Saved Identity",
        ],
        "no_upgrade_support" | "no_upgrader_for_version" => &[
            "Unable to Upgrade Resource State",
            "Unable to Upgrade Resource Identity",
            "Resource State Is Newer",
        ],
        "upgrader_returned_nothing" => &[
            "Missing Upgraded Resource State",
            "Missing Upgraded Resource Identity",
        ],
        "upgraded_value_does_not_fit_schema" => &["Unable to Upgrade Resource State"],
        "unknown_value_in_flatmap" => &["Unable to Read Previously Saved State"],
        "unknown_resource_type" => &["Resource Type Not Found"],
        "move_source_not_supported" | "no_move_support" => &["Unable to Move Resource State"],
        "identity_without_identity_schema" => &["Unexpected Move State Response"],
        "identity_already_current" => &["Unexpected Identity Upgrade Request"],
        "no_identity_schema" => &["Unable to Create Empty Identity"],
        _ => return None,
    })
}

/// What a detail must name, in whatever words: of the reference's text the names between quotes,
/// type names, and versions.
pub fn facts(reference: &Json) -> Vec<String> {
    let fragments = reference
        .as_array()
        .map_or(std::slice::from_ref(reference), Vec::as_slice);
    let mut facts = Vec::new();
    for fragment in fragments.iter().filter_map(Json::as_str) {
        facts.extend(fragment.split('"').skip(1).step_by(2).map(str::to_owned));
        if fragment == "no JSON or flatmap" {
            facts.push("neither JSON nor a flat map".to_owned());
        } else if fragment.starts_with("version ")
            || (fragment.contains('_') && !fragment.contains(' '))
        {
            facts.push(fragment.to_owned());
        }
    }
    facts
}
