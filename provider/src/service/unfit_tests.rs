//! Upgraders made at run time, whose states the model cannot hold: the message shows no secret.

use bytes::Bytes;
use upstate::schema::{Attribute, Block, Presence, Type};
use upstate::upgrade::ClosureUpgrader;
use upstate::{Diagnostics, Object, Resource, ResourceDefinition, Value};

use super::*;
use crate::proto::{RawState, UpgradeResourceStateRequest};
use crate::{Context, ManagedResource, Provider};

#[derive(Object)]
struct Config {}

#[derive(Debug, Clone, Resource)]
#[resource(type_name = "test_safe", version = 1, oldest = 1)]
struct Safe {
    /// Quotes what it does not read.
    #[attribute(with = word)]
    label: Word,
    #[attribute(sensitive)]
    pin: String,
}

#[derive(Debug, Clone)]
struct Word(String);

mod word {
    use super::Word;

    pub(super) fn read(text: String) -> Result<Word, String> {
        if text.contains(' ') {
            Err(format!("{text:?} is not a word"))
        } else {
            Ok(Word(text))
        }
    }

    pub(super) fn write(word: &Word) -> String {
        word.0.clone()
    }
}

impl ManagedResource for Safe {
    type Client = ();

    async fn create(plan: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn read(state: Self, _: &mut Context<()>) -> Result<Option<Self>, Diagnostics> {
        Ok(Some(state))
    }

    async fn update(plan: Self, _: Self, _: &mut Context<()>) -> Result<Self, Diagnostics> {
        Ok(plan)
    }

    async fn delete(_: Self, _: &mut Context<()>) -> Result<(), Diagnostics> {
        Ok(())
    }
}

/// A service whose upgrader from version 0 puts the pin into the label, too; the pin that it makes
/// is `pin`, if not the stored one.
fn service(pin: Option<&'static str>) -> Service {
    let secret = |name| Attribute::new(name, Type::String, Presence::Required).sensitive();
    let before = Schema::new(0, Block::new([secret("pin")]));
    let upgrade = ClosureUpgrader::new(0, move |mut state: Value, _| {
        let Some(members) = state.as_map_mut() else {
            return Err("the state is not an object");
        };
        let pin = pin.map_or_else(
            || members.get("pin").cloned().unwrap_or_default(),
            Value::from,
        );
        members.insert("label".to_owned(), pin.clone());
        members.insert("pin".to_owned(), pin);
        Ok(state)
    });
    let definition = ResourceDefinition::builder("test_safe", Safe::schema().clone())
        .unsupported(0..=u64::MAX)
        .upgrader(upgrade.prior_schema(&before))
        .build()
        .unwrap();
    let provider = Provider::new("example.com/test/test", async |_: Config| Ok(())).with::<Safe>();
    Service::new(provider.upgraded_by(definition).parts)
}

async fn refused(pin: Option<&'static str>, stored: &'static str) -> String {
    let raw_state = Some(RawState {
        json: Bytes::from_static(stored.as_bytes()),
        ..RawState::default()
    });
    let request = UpgradeResourceStateRequest {
        type_name: "test_safe".to_owned(),
        version: 0,
        raw_state,
    };
    let service = service(pin);
    let response = service
        .redacted(
            "UpgradeResourceState",
            &request.clone(),
            service.upgrade_state(request),
        )
        .await;
    assert_eq!(response.upgraded_state, None);
    let [diagnostic] = &response.diagnostics[..] else {
        panic!("{response:?}")
    };
    assert_eq!(diagnostic.summary, "Invalid Upgraded Resource State");
    diagnostic.detail.clone()
}

const HIDDEN: &str = "label: \"(sensitive value)\" is not a word";

#[tokio::test]
async fn a_stored_secret_is_not_shown() {
    let detail = refused(None, r#"{"pin":"open sesame 20301"}"#).await;
    assert!(
        detail.contains(HIDDEN) && !detail.contains("sesame"),
        "{detail}"
    );
}

#[tokio::test]
async fn a_secret_that_the_upgrader_makes_is_not_shown() {
    let detail = refused(Some("abracadabra 47"), r#"{"pin":"open sesame 20301"}"#).await;
    assert!(
        detail.contains(HIDDEN) && !detail.contains("abracadabra"),
        "{detail}"
    );
}
