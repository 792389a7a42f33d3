//! The provider's functions and the lives of its resources, without Terraform.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;

use random::{
    Bytes, EphemeralBytes, EphemeralPassword, Id, Integer, Password, Pet, RandomString, Shuffle,
    Uuid, Uuid4, Uuid7, provider,
};
use serde_json::{Value, json};
use upstate_provider::ManagedResource;
use upstate_provider::testing::{self, Core, Instance, PlannedAction};

/// Terraform with the provider.
fn terraform() -> Core {
    Core::of(provider(), json!({})).unwrap()
}

/// An attribute of what an instance has in its state.
fn text<R: ManagedResource>(instance: &Instance<'_, R>, name: &str) -> String {
    instance
        .state()
        .get(&name.into())
        .and_then(upstate::Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_provider_is_whole() {
    provider().check().unwrap();
}

/// Each pair of keepers, and what a change of the first to the second is: `TestAccResource…_Keepers_…` in Go.
#[test]
fn keepers_replace_what_they_are_kept_for() {
    let (none, empty, null, two_nulls) = (
        Value::Null,
        json!({}),
        json!({"key": null}),
        json!({"key1": null, "key2": null}),
    );
    let (one, other, two, half) = (
        json!({"key": "123"}),
        json!({"key": "456"}),
        json!({"a": "1", "b": "2"}),
        json!({"a": "1", "b": null}),
    );
    let kept = [
        (&empty, &empty),
        (&empty, &null),
        (&none, &none),
        (&none, &null),
        (&none, &two_nulls),
        (&null, &null),
        (&two_nulls, &two_nulls),
        (&one, &one),
        (&two, &two),
        (&half, &half),
        (&json!({"a": "1"}), &half),
        (&empty, &none),
        (&none, &empty),
    ];
    let replaced = [
        (&empty, &one),
        (&none, &one),
        (&null, &one),
        (&one, &empty),
        (&one, &none),
        (&one, &null),
        (&one, &other),
        (&none, &two),
        (&half, &two),
    ];
    let changes = kept
        .iter()
        .map(|pair| (pair, false))
        .chain(replaced.iter().map(|pair| (pair, true)));
    let terraform = terraform();
    for (&(before, after), replaces) in changes {
        let mut id = terraform.resource::<Id>();
        id.apply(json!({"byte_length": 8, "keepers": before}))
            .unwrap();
        let first = text(&id, "id");
        let applied = id
            .apply(json!({"byte_length": 8, "keepers": after}))
            .unwrap();
        assert_eq!(
            applied.action == PlannedAction::Replace,
            replaces,
            "{before} → {after}"
        );
        assert_eq!(text(&id, "id") != first, replaces, "{before} → {after}");
    }
    // The bytes of `random_bytes` are replaced by any change, as in Go.
    let mut bytes = terraform.resource::<Bytes>();
    bytes.apply(json!({"length": 8, "keepers": {}})).unwrap();
    assert_eq!(
        bytes
            .plan(json!({"length": 8, "keepers": {"key": null}}))
            .unwrap()
            .action,
        PlannedAction::Replace
    );
}

#[test]
fn ids_have_five_forms() {
    let terraform = terraform();
    let mut id = terraform.resource::<Id>();
    id.import("cloud-,p-9hUg").unwrap();
    let forms = ["id", "b64_url", "b64_std", "hex", "dec", "prefix"].map(|name| text(&id, name));
    assert_eq!(
        forms,
        [
            "p-9hUg",
            "cloud-p-9hUg",
            "cloud-p+9hUg==",
            "cloud-a7ef6152",
            "cloud-2817483090",
            "cloud-"
        ]
    );
    let same = json!({"byte_length": 4, "prefix": "cloud-"});
    assert_eq!(id.plan(same).unwrap().action, PlannedAction::Nothing);
    assert_eq!(
        id.plan(json!({"byte_length": 4})).unwrap().action,
        PlannedAction::Replace
    );
    let refused = terraform
        .resource::<Id>()
        .import("?")
        .unwrap_err()
        .to_string();
    assert!(
        refused.starts_with("Invalid Import Id: \"?\" is not the base64 of URLs:"),
        "{refused}"
    );
}

#[test]
fn integers_are_in_their_range() {
    let terraform = terraform();
    let mut integer = terraform.resource::<Integer>();
    integer
        .apply(json!({"min": 1, "max": 3, "seed": "12345"}))
        .unwrap();
    assert_eq!(text(&integer, "id"), "3");
    integer
        .apply(json!({"min": 1, "max": 3, "seed": "123456"}))
        .unwrap();
    assert_eq!(text(&integer, "id"), "2");
    integer
        .apply(json!({"min": 7_227_701_560_655_103_597_i64, "max": 7_227_701_560_655_103_598_i64}))
        .unwrap();
    assert!(integer.model().unwrap().unwrap().result >= 7_227_701_560_655_103_597);
    for (min, max) in [(3, 1), (i64::MIN, i64::MAX)] {
        let refused = terraform
            .resource::<Integer>()
            .apply(json!({"min": min, "max": max}))
            .unwrap_err()
            .to_string();
        assert!(refused.contains("Invalid Range"), "{refused}");
    }
    for id in ["1", "1,2,x", "1,2,3,4,5"] {
        assert!(terraform.resource::<Integer>().import(id).is_err(), "{id}");
    }
}

#[test]
fn letters_are_of_the_kinds_that_are_asked_for() {
    let terraform = terraform();
    let mut string = terraform.resource::<RandomString>();
    string
        .apply(json!({"length": 12, "override_special": "!#@", "lower": false, "min_lower": 2, "min_upper": 3, "min_special": 1, "min_numeric": 4}))
        .unwrap();
    let result = text(&string, "result");
    let count = |kind: fn(&char) -> bool| result.chars().filter(kind).count();
    assert_eq!(
        (result.len(), count(char::is_ascii_lowercase)),
        (12, 2),
        "{result}"
    );
    assert!(
        count(char::is_ascii_uppercase) >= 3 && count(char::is_ascii_digit) >= 4,
        "{result}"
    );
    assert!(
        result.contains(['!', '#', '@']) && !result.contains(['$', '%', '?']),
        "{result}"
    );
    let mut password = terraform.resource::<Password>();
    password.apply(json!({"length": 4, "override_special": "°", "upper": false, "lower": false, "numeric": false})).unwrap();
    assert_eq!(text(&password, "result"), "°°°°");
    // A letter has more than one byte.
    assert!(bcrypt::verify("°°°°", &text(&password, "bcrypt_hash")).unwrap());
}

#[test]
fn number_is_what_numeric_is() {
    let terraform = terraform();
    let mut string = terraform.resource::<RandomString>();
    let both = |string: &Instance<'_, RandomString>| {
        let model = string.model().unwrap().unwrap();
        (model.number, model.numeric)
    };
    string.apply(json!({"length": 4})).unwrap();
    assert_eq!(both(&string), (Some(true), Some(true)));
    let applied = string.apply(json!({"length": 4, "number": false})).unwrap();
    assert_eq!(
        (applied.action, both(&string)),
        (PlannedAction::Replace, (Some(false), Some(false)))
    );
    assert_eq!(
        string
            .apply(json!({"length": 4, "numeric": false}))
            .unwrap()
            .action,
        PlannedAction::Nothing
    );
    // Nobody configures it any more, so that it is true again.
    let applied = string.apply(json!({"length": 4})).unwrap();
    assert_eq!(
        (applied.action, both(&string)),
        (PlannedAction::Replace, (Some(true), Some(true)))
    );
    let refused = string
        .plan(json!({"length": 4, "number": true, "numeric": false}))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("number and numeric have different values"),
        "{refused}"
    );
    let warned = string
        .validate(json!({"length": 4, "number": true}))
        .unwrap()
        .to_string();
    assert!(warned.contains("Use `numeric`."), "{warned}");
}

#[test]
fn what_no_string_could_be_is_refused() {
    let terraform = terraform();
    let refused = |config: Value| {
        terraform
            .resource::<Password>()
            .validate(config)
            .unwrap_err()
            .to_string()
    };
    assert!(
        refused(json!({"length": 0})).contains("length must be at least 1"),
        "{}",
        refused(json!({"length": 0}))
    );
    assert!(
        refused(json!({"length": 2, "min_upper": 2, "min_lower": 1})).contains("Invalid Length")
    );
    let none =
        json!({"length": 2, "upper": false, "lower": false, "special": false, "numeric": false});
    assert!(
        refused(none).contains("At least one of upper, lower, special and numeric must be true.")
    );
}

#[test]
fn an_empty_override_may_become_none() {
    let terraform = terraform();
    let mut string = terraform.resource::<RandomString>();
    string
        .apply(json!({"length": 4, "override_special": ""}))
        .unwrap();
    let result = text(&string, "result");
    assert_eq!(
        string.apply(json!({"length": 4})).unwrap().action,
        PlannedAction::Update
    );
    assert_eq!(text(&string, "result"), result);
    assert_eq!(
        string
            .plan(json!({"length": 4, "override_special": "!"}))
            .unwrap()
            .action,
        PlannedAction::Replace
    );
}

#[test]
fn imports_plan_nothing() {
    let terraform = terraform();
    let mut password = terraform.resource::<Password>();
    password.import("Z=:cbrJE?Ltg").unwrap();
    assert!(bcrypt::verify("Z=:cbrJE?Ltg", &text(&password, "bcrypt_hash")).unwrap());
    assert_eq!(
        password.plan(json!({"length": 12})).unwrap().action,
        PlannedAction::Nothing
    );
    let mut string = terraform.resource::<RandomString>();
    string.import("Z=:cbrJE?Ltg").unwrap();
    assert_eq!(
        string.plan(json!({"length": 12})).unwrap().action,
        PlannedAction::Nothing
    );
    let mut bytes = terraform.resource::<Bytes>();
    bytes.import("4BLFG/d0").unwrap();
    assert_eq!(
        (
            text(&bytes, "hex"),
            bytes.plan(json!({"length": 6})).unwrap().action
        ),
        ("e012c51bf774".to_owned(), PlannedAction::Nothing)
    );
    // The id of an import of bytes is a secret.
    let refused = terraform
        .resource::<Bytes>()
        .import("ses ame")
        .unwrap_err()
        .to_string();
    assert!(!refused.contains("ame"), "{refused}");
    let uuid = "6b0f8e7c-3c9b-4a43-8f1b-0c6d7f0e9a51";
    let mut imported = terraform.resource::<Uuid>();
    imported.import(&uuid.to_uppercase()).unwrap();
    assert_eq!(
        (
            text(&imported, "result"),
            imported.plan(json!({})).unwrap().action
        ),
        (uuid.to_owned(), PlannedAction::Nothing)
    );
    assert!(terraform.resource::<Uuid4>().import("6b0f").is_err());
    // hashicorp/go-uuid reads `random_uuid`, and google/uuid the others.
    for form in [
        uuid.replace('-', ""),
        format!("{{{uuid}}}"),
        format!("urn:uuid:{uuid}"),
    ] {
        assert!(
            terraform.resource::<Uuid>().import(&form).is_err(),
            "{form}"
        );
        terraform.resource::<Uuid4>().import(&form).unwrap();
        terraform.resource::<Uuid7>().import(&form).unwrap();
    }
    assert!(terraform.resource::<Pet>().import("rex").is_err());
}

#[test]
fn pets_have_as_many_words_as_are_asked_for() {
    let terraform = terraform();
    let mut pet = terraform.resource::<Pet>();
    pet.apply(json!({})).unwrap();
    assert_eq!(text(&pet, "id").split('-').count(), 2);
    pet.apply(json!({"length": 4, "separator": "_", "prefix": "consul"}))
        .unwrap();
    let words = text(&pet, "id");
    assert!(
        words.starts_with("consul_")
            && words.split('_').count() == 5
            && words.to_lowercase() == words,
        "{words}"
    );
}

#[test]
fn lists_are_shuffled() {
    let terraform = terraform();
    let mut shuffle = terraform.resource::<Shuffle>();
    let result = |shuffle: &Instance<'_, Shuffle>| {
        let result = shuffle.model().unwrap().unwrap().result;
        result
            .into_iter()
            .map(Option::unwrap)
            .collect::<Vec<_>>()
            .concat()
    };
    let input = json!(["a", "b", "c", "d", "e"]);
    for (config, expected) in [
        (json!({"input": input, "seed": "-"}), "acbed"),
        (
            json!({"input": input, "seed": "-", "result_count": 3}),
            "acb",
        ),
        (json!({"input": input, "seed": "-", "result_count": 0}), ""),
        (json!({"input": [], "result_count": 3}), ""),
        (json!({"input": ["a"], "result_count": 3}), "aaa"),
    ] {
        shuffle.apply(config).unwrap();
        assert_eq!(result(&shuffle), expected);
    }
    shuffle
        .apply(json!({"input": input, "seed": "-", "result_count": 12}))
        .unwrap();
    // The first five again in another order, then two more.
    let twelve = result(&shuffle);
    assert_eq!((&twelve[..5], twelve.len()), ("acbed", 12));
    assert_eq!(twelve[5..10].chars().collect::<BTreeSet<_>>().len(), 5);
}

#[test]
fn uuids_are_of_their_version() {
    let terraform = terraform();
    let mut four = terraform.resource::<Uuid4>();
    four.apply(json!({})).unwrap();
    let mut seven = terraform.resource::<Uuid7>();
    seven.apply(json!({})).unwrap();
    assert_eq!(
        (
            text(&four, "id").as_bytes()[14],
            text(&seven, "id").as_bytes()[14]
        ),
        (b'4', b'7')
    );
    assert_eq!(text(&four, "id"), text(&four, "result"));
}

#[test]
fn secrets_may_be_stored_nowhere() {
    let terraform = terraform();
    let password = terraform
        .open::<EphemeralPassword>(json!({"length": 20, "special": false}))
        .unwrap();
    let model = password.model();
    assert!(
        model.result.len() == 20
            && model
                .result
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric())
    );
    assert!(bcrypt::verify(&model.result, &model.bcrypt_hash).unwrap());
    password.close().unwrap();
    let bytes = terraform
        .open::<EphemeralBytes>(json!({"length": 3}))
        .unwrap();
    assert_eq!(
        (bytes.model().hex.len(), bytes.model().base64.len()),
        (6, 4)
    );
    assert!(
        terraform
            .open::<EphemeralBytes>(json!({"length": 0}))
            .is_err()
    );
}

#[test]
fn functions_are_called_one_by_one() {
    let mut context = testing::context(());
    let plan = Pet {
        keepers: None,
        length: 1,
        prefix: Some("a".to_owned()),
        separator: ".".to_owned(),
        id: String::new(),
    };
    let made = testing::run(Pet::create(plan, &mut context)).unwrap();
    assert!(
        made.id.starts_with("a.") && !made.id[2..].contains('.'),
        "{}",
        made.id
    );
    let mut plan = testing::creation::<Password>(json!({"length": 4, "numeric": false}));
    testing::run(Password::modify_plan(&mut plan, &mut context)).unwrap();
    assert_eq!(plan.get("number"), &false.into());
}
