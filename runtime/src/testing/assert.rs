//! One stored state, and what has to become of it.

use std::fmt::Debug;

use super::json::differences;
use crate::registry::Registry;
use crate::upgrade::resource::Resource;
use crate::upgrade::{UpgradeRequest, UpgradeResponse};

/// Upgrades one stored state and compares what comes out.
///
/// After the model come the stored version, the stored JSON, and one of three: the model that must
/// come of it, `json` and the state as JSON, or `error` and a string that the diagnostics must
/// contain. A registry may be named first, for its client.
///
/// ```
/// use upstate::{Registry, Resource, testing::assert_upgrade};
///
/// #[derive(Debug, PartialEq, Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0, model = NoteV0)]
/// struct Note { title: String, done: bool }
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 0)]
/// struct NoteV0 { name: String }
///
/// impl TryFrom<NoteV0> for Note {
///     type Error = &'static str;
///     fn try_from(prior: NoteV0) -> Result<Self, Self::Error> {
///         if prior.name.is_empty() { Err("the note has no name") } else { Ok(Note { title: prior.name, done: false }) }
///     }
/// }
///
/// assert_upgrade!(Note, 0, r#"{"name":"x"}"# => Note { title: "x".to_owned(), done: false });
/// assert_upgrade!(Note, 0, r#"{"name":7}"# => json r#"{"title":"7","done":false}"#);
/// assert_upgrade!(Note, 0, r#"{"name":""}"# => error "the note has no name");
///
/// let registry = Registry::new().with::<Note>().with_client(7);
/// assert_upgrade!(registry; Note, 1, r#"{"title":"x","done":true}"# => json r#"{"title":"x","done":true}"#);
/// ```
#[macro_export]
macro_rules! assert_upgrade {
    ($registry:expr; $model:ty, $version:expr, $stored:expr => error $text:expr $(,)?) => {
        $crate::testing::upgrades_to_nothing::<$model>(&$registry, $version, $stored.as_ref(), $text.as_ref())
    };
    ($registry:expr; $model:ty, $version:expr, $stored:expr => json $expected:expr $(,)?) => {
        $crate::testing::upgrades_to_json::<$model>(&$registry, $version, $stored.as_ref(), $expected.as_ref())
    };
    ($registry:expr; $model:ty, $version:expr, $stored:expr => $expected:expr $(,)?) => {
        $crate::testing::upgrades_to_model::<$model>(&$registry, $version, $stored.as_ref(), &$expected)
    };
    ($model:ty, $($rest:tt)+) => {
        $crate::assert_upgrade!($crate::Registry::new().with::<$model>(); $model, $($rest)+)
    };
}

/// Asserts that the state becomes this model, for [`assert_upgrade!`](crate::assert_upgrade).
///
/// # Panics
/// If the state becomes anything else.
#[track_caller]
pub fn upgrades_to_model<T: Resource + PartialEq + Debug>(
    registry: &Registry,
    version: u64,
    stored: &[u8],
    expected: &T,
) {
    let state = state::<T>(registry, version, stored);
    match crate::from_json::<T>(&state) {
        Ok(found) if found == *expected => {}
        Ok(found) => panic!(
            "{} became another model\nexpected: {expected:#?}\n   found: {found:#?}",
            about::<T>(version)
        ),
        Err(error) => panic!(
            "{} became a state that its own model does not read: {error}",
            about::<T>(version)
        ),
    }
}

/// Asserts that the state becomes this JSON, for [`assert_upgrade!`](crate::assert_upgrade).
///
/// # Panics
/// If the state becomes anything else.
#[track_caller]
pub fn upgrades_to_json<T: Resource>(
    registry: &Registry,
    version: u64,
    stored: &[u8],
    expected: &[u8],
) {
    let state = state::<T>(registry, version, stored);
    match differences(expected, &state) {
        Ok(differences) if differences.is_empty() => {}
        Ok(differences) => panic!(
            "{} became another state\n{}",
            about::<T>(version),
            differences.join("\n")
        ),
        Err(error) => panic!(
            "the expected result for {} is not JSON: {error}",
            about::<T>(version)
        ),
    }
}

/// Asserts that the state is refused with this message, for
/// [`assert_upgrade!`](crate::assert_upgrade).
///
/// # Panics
/// If the state is upgraded, or refused for another reason.
#[track_caller]
pub fn upgrades_to_nothing<T: Resource>(
    registry: &Registry,
    version: u64,
    stored: &[u8],
    text: &str,
) {
    let response = upgrade::<T>(registry, version, stored);
    let found = response.diagnostics().to_string();
    assert!(
        response.state().is_none(),
        "{} was upgraded, but should have been refused with: {text}",
        about::<T>(version)
    );
    assert!(
        found.contains(text),
        "{} was refused for another reason\nexpected: {text}\n   found: {found}",
        about::<T>(version)
    );
}

#[track_caller]
fn state<T: Resource>(registry: &Registry, version: u64, stored: &[u8]) -> Vec<u8> {
    match upgrade::<T>(registry, version, stored).into_result() {
        Ok(state) => state,
        Err(diagnostics) => panic!("{} was refused\n{diagnostics}", about::<T>(version)),
    }
}

fn upgrade<T: Resource>(registry: &Registry, version: u64, stored: &[u8]) -> UpgradeResponse {
    registry.upgrade(&UpgradeRequest::json(T::TYPE_NAME, version, stored))
}

fn about<T: Resource>(version: u64) -> String {
    format!("the state of {} stored at version {version}", T::TYPE_NAME)
}
