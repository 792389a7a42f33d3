//! An upgrade that is run twice: straight over the bytes, and over values.

use upstate::{CurrentModel, Registry, Resource, UpgradeRequest};

/// What becomes of a state of version 0, with what is dropped; the same both times.
pub(crate) fn upgraded<T: Resource + CurrentModel>(json: &str) -> Result<String, String> {
    let registry = Registry::new().with::<T>().with_client("eu".to_owned());
    let upgrade = |json: &str| {
        let response = registry.upgrade(&UpgradeRequest::json(T::TYPE_NAME, 0, json.as_bytes()));
        let discarded: Vec<String> = response
            .dropped()
            .iter()
            .map(|dropped| format!(" {}: {}", dropped.path, dropped.reason))
            .collect();
        let state = response
            .state()
            .map(|state| String::from_utf8_lossy(state).into_owned());
        state
            .map(|state| state + &discarded.concat())
            .ok_or_else(|| response.diagnostics().to_string())
    };
    let answer = upgrade(json);
    let interpreted = upgrade(&json.replacen('{', r#"{"zzz":1,"#, 1));
    assert_eq!(answer.as_ref().ok(), interpreted.as_ref().ok());
    answer
}
