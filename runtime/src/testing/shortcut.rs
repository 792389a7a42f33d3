//! Two ways to one state.

use super::json::differences;
use crate::registry::Registry;
use crate::upgrade::UpgradeRequest;
use crate::upgrade::resource::Resource;

/// Checks that the direct way of `version` to `T` and the one through the earlier model `Prior`
/// lead to the same, for each state.
///
/// ```
/// use upstate::{Resource, testing::assert_shortcut};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 2)]
/// #[upgrade_from(0, model = NoteV0)]
/// #[upgrade_from(1, model = NoteV1)]
/// struct Note { title: String, done: bool }
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0, model = NoteV0)]
/// struct NoteV1 { title: String }
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 0)]
/// struct NoteV0 { name: String }
///
/// # impl From<NoteV0> for NoteV1 {
/// #     fn from(prior: NoteV0) -> Self { Self { title: prior.name } }
/// # }
/// # impl From<NoteV1> for Note {
/// #     fn from(prior: NoteV1) -> Self { Self { title: prior.title, done: false } }
/// # }
/// # impl From<NoteV0> for Note {
/// #     fn from(prior: NoteV0) -> Self { Self { title: prior.name, done: false } }
/// # }
/// assert_shortcut::<Note, NoteV1>(0, [r#"{"name":"x"}"#, r#"{"name":null}"#]);
/// ```
///
/// # Panics
/// If a state becomes something else by the other way, or is refused by one of them only.
#[track_caller]
pub fn assert_shortcut<T: Resource, Prior: Resource>(
    version: u64,
    states: impl IntoIterator<Item = impl AsRef<[u8]>>,
) {
    let problems: Vec<String> = states
        .into_iter()
        .filter_map(|state| {
            let state = state.as_ref();
            compare::<T, Prior>(version, state)
                .map(|problem| format!("{}\n{problem}", String::from_utf8_lossy(state)))
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// The difference between a state that is upgraded directly and one that is upgraded through
/// `Prior`; nothing if there is none.
pub(super) fn compare<T: Resource, Prior: Resource>(version: u64, state: &[u8]) -> Option<String> {
    let direct = registry_of::<T>()
        .upgrade(&UpgradeRequest::json(T::TYPE_NAME, version, state))
        .into_result();
    let through = registry_of::<Prior>()
        .upgrade(&UpgradeRequest::json(Prior::TYPE_NAME, version, state))
        .into_result();
    let chained = through.and_then(|through| {
        registry_of::<T>()
            .upgrade(&UpgradeRequest::json(
                T::TYPE_NAME,
                Prior::VERSION,
                &through,
            ))
            .into_result()
    });
    let ways = format!(
        "version {version} of {}, directly and through version {}",
        T::TYPE_NAME,
        Prior::VERSION
    );
    match (direct, chained) {
        (Ok(direct), Ok(chained)) => {
            let differences = differences(&chained, &direct)
                .ok()
                .filter(|differences| !differences.is_empty())?;
            Some(format!(
                "{ways}: expected is the result of the chain\n{}",
                differences.join("\n")
            ))
        }
        (Err(_), Err(_)) => None,
        (Ok(_), Err(diagnostics)) => {
            Some(format!("{ways}: only the chain refuses it\n{diagnostics}"))
        }
        (Err(diagnostics), Ok(_)) => Some(format!(
            "{ways}: only the direct way refuses it\n{diagnostics}"
        )),
    }
}

/// Earlier models too: what is upgraded to them is compared, not served.
fn registry_of<T: Resource>() -> Registry {
    let mut registry = Registry::new();
    registry.insert(T::DEFINITION.clone());
    registry
}
