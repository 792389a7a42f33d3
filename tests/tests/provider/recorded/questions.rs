//! The questions that both providers are asked.

use serde_json::{Value as Json, json};
use upstate::schema::{Field, Type};

/// What it is about, the method, its request, and the type of the values in it.
pub(super) struct Question {
    pub(super) about: &'static str,
    pub(super) method: &'static str,
    pub(super) request: Json,
    pub(super) ty: Type,
}

const GROUP: &str = "aws_ssm_patch_group";
const PAIR: &str = "aws_key_pair";
/// As long as the provider in Go wants them to be, to call the API at all.
const BASELINE: &str = "pb-0123456789abcdef0";
const REFUSED: &str = "pb-refused0000000000";

pub(super) fn all() -> Vec<Question> {
    [
        validations(),
        upgrades(),
        plans(),
        reads(),
        applies(),
        imports(),
        data_sources(),
        others(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn about(about: &'static str, method: &'static str, ty: Type, request: Json) -> Question {
    Question {
        about,
        method,
        request,
        ty,
    }
}

fn group_type() -> Type {
    object(&["baseline_id", "id", "patch_group"], &[])
}

fn pair_type() -> Type {
    object(
        &[
            "arn",
            "fingerprint",
            "id",
            "key_name",
            "key_name_prefix",
            "key_pair_id",
            "public_key",
        ],
        &["tags", "tags_all"],
    )
}

fn arn_type() -> Type {
    object(
        &[
            "account",
            "arn",
            "id",
            "partition",
            "region",
            "resource",
            "service",
        ],
        &[],
    )
}

fn object(strings: &[&'static str], maps: &[&'static str]) -> Type {
    let strings = strings.iter().map(|name| Field::new(*name, Type::String));
    let maps = maps
        .iter()
        .map(|name| Field::new(*name, Type::map(Type::String)));
    Type::object(strings.chain(maps).collect::<Vec<_>>())
}

fn group(baseline: &str, id: Option<&str>, name: &str) -> Json {
    json!({"baseline_id": baseline, "id": id, "patch_group": name})
}

fn stored_group(name: &str) -> Json {
    group(BASELINE, Some(&format!("{name},{BASELINE}")), name)
}

/// A key pair as a configuration has it.
fn pair(name: Option<&str>, prefix: Option<&str>, key: Option<&str>, tags: Json) -> Json {
    json!({
        "arn": null, "fingerprint": null, "id": null, "key_name": name, "key_name_prefix": prefix, "key_pair_id": null, "public_key": key,
        "tags": tags, "tags_all": null,
    })
}

fn stored_pair(name: &str, tags: Json, all: Json) -> Json {
    json!({
        "arn": "arn:1", "fingerprint": "f", "id": name, "key_name": name, "key_name_prefix": null, "key_pair_id": "key-1",
        "public_key": "ssh-rsa A", "tags": tags, "tags_all": all,
    })
}

fn validations() -> Vec<Question> {
    let ask = |what, config: Json| {
        about(
            what,
            "ValidateResourceTypeConfig",
            pair_type(),
            json!({"type_name": PAIR, "config": config}),
        )
    };
    let key = Some("ssh-rsa A");
    vec![
        ask("valid", pair(Some("k"), None, key, Json::Null)),
        ask(
            "not known yet",
            pair(Some("?"), None, Some("?"), Json::Null),
        ),
        ask("required, missing", pair(Some("k"), None, None, Json::Null)),
        ask("in conflict", pair(Some("k"), Some("p"), key, Json::Null)),
    ]
}

fn upgrades() -> Vec<Question> {
    let of = |what, type_name: &str, version: i64, raw_state: Json| {
        let request = json!({"type_name": type_name, "version": version, "raw_state": raw_state});
        about(what, "UpgradeResourceState", group_type(), request)
    };
    let ask = |what, version, state: &str| of(what, GROUP, version, json!({"json": state}));
    let flat = |what, version, state: Json| of(what, GROUP, version, json!({"flatmap": state}));
    vec![
        ask(
            "version 0",
            0,
            r#"{"baseline_id":"pb-1","id":"web","patch_group":"web"}"#,
        ),
        ask(
            "current version",
            1,
            r#"{"baseline_id":"pb-1","id":"web,pb-1","patch_group":"web"}"#,
        ),
        ask(
            "an attribute less",
            1,
            r#"{"baseline_id":"pb-1","patch_group":"web"}"#,
        ),
        ask(
            "an attribute more",
            1,
            r#"{"baseline_id":"pb-1","id":"w","patch_group":"web","old":[1]}"#,
        ),
        ask(
            "another type",
            1,
            r#"{"baseline_id":["pb-1"],"id":"w","patch_group":"web"}"#,
        ),
        ask(
            "a number for a string",
            1,
            r#"{"baseline_id":7,"id":"w","patch_group":true}"#,
        ),
        ask(
            "a later version",
            2,
            r#"{"baseline_id":"pb-1","id":"w","patch_group":"web"}"#,
        ),
        ask("not JSON", 1, "{"),
        flat(
            "version 0, flat",
            0,
            json!({"baseline_id": "pb-1", "id": "web", "patch_group": "web"}),
        ),
        flat(
            "current version, flat",
            1,
            json!({"baseline_id": "pb-1", "id": "web,pb-1", "patch_group": "web"}),
        ),
        of(
            "a type that there is not",
            "aws_nothing",
            0,
            json!({"json": "{}"}),
        ),
    ]
}

fn plans() -> Vec<Question> {
    let of = |what, type_name: &str, ty: Type, prior: Json, proposed: Json, config: Json| {
        let request = json!({
            "type_name": type_name, "prior_state": prior, "proposed_new_state": proposed, "config": config, "prior_private": "",
        });
        about(what, "PlanResourceChange", ty, request)
    };
    let ask =
        |what, prior, proposed, config| of(what, GROUP, group_type(), prior, proposed, config);
    let (was, same) = (stored_group("web"), group(BASELINE, None, "web"));
    let prefixed = pair(None, Some("p"), Some("ssh-rsa A"), json!({"a": "b"}));
    vec![
        ask("create", Json::Null, same.clone(), same.clone()),
        ask("no change", was.clone(), was.clone(), same),
        ask(
            "another name",
            was.clone(),
            group(BASELINE, Some("web,pb-0123456789abcdef0"), "db"),
            group(BASELINE, None, "db"),
        ),
        ask(
            "a name not known yet",
            was.clone(),
            group(BASELINE, Some("web,pb-0123456789abcdef0"), "?"),
            group(BASELINE, None, "?"),
        ),
        ask("destroy", was, Json::Null, Json::Null),
        of(
            "create with tags",
            PAIR,
            pair_type(),
            Json::Null,
            prefixed.clone(),
            prefixed,
        ),
        of(
            "another tag",
            PAIR,
            pair_type(),
            stored_pair("k", json!({"a": "b"}), json!({"a": "b"})),
            stored_pair("k", json!({"a": "c"}), json!({"a": "b"})),
            pair(Some("k"), None, Some("ssh-rsa A"), json!({"a": "c"})),
        ),
    ]
}

fn reads() -> Vec<Question> {
    let ask = |what, type_name: &str, ty: Type, state: Json| {
        let request = json!({"type_name": type_name, "current_state": state, "private": r#"{"schema_version":"1"}"#});
        about(what, "ReadResource", ty, request)
    };
    let tags = |value: &str| json!({ "a": value });
    vec![
        ask("as it was", GROUP, group_type(), stored_group("web")),
        ask("gone", GROUP, group_type(), stored_group("gone")),
        ask(
            "a tag that somebody changed",
            PAIR,
            pair_type(),
            stored_pair("k", tags("b"), tags("b")),
        ),
        ask(
            "refused",
            PAIR,
            pair_type(),
            stored_pair("refused", tags("b"), tags("b")),
        ),
    ]
}

fn applies() -> Vec<Question> {
    let of = |what, type_name: &str, ty: Type, prior: Json, planned: Json, config: Json| {
        let request = json!({
            "type_name": type_name, "prior_state": prior, "planned_state": planned, "config": config, "planned_private": "",
        });
        about(what, "ApplyResourceChange", ty, request)
    };
    let ask = |what, prior, planned, config| of(what, GROUP, group_type(), prior, planned, config);
    let update = |what, name: &str| {
        let stored = |tag: &str| stored_pair(name, json!({ "a": tag }), json!({ "a": tag }));
        let config = pair(Some(name), None, Some("ssh-rsa A"), json!({"a": "c"}));
        of(what, PAIR, pair_type(), stored("b"), stored("c"), config)
    };
    let refused = group(REFUSED, Some("web,pb-refused0000000000"), "web");
    vec![
        ask(
            "create",
            Json::Null,
            group(BASELINE, Some("?"), "web"),
            group(BASELINE, None, "web"),
        ),
        ask(
            "create, refused",
            Json::Null,
            group(REFUSED, Some("?"), "web"),
            group(REFUSED, None, "web"),
        ),
        update("update", "k"),
        update("update, refused", "refused"),
        ask("destroy", stored_group("web"), Json::Null, Json::Null),
        ask("destroy, refused", refused, Json::Null, Json::Null),
    ]
}

fn imports() -> Vec<Question> {
    let ask = |what, type_name: &str, ty: Type, id: &str| {
        about(
            what,
            "ImportResourceState",
            ty,
            json!({"type_name": type_name, "id": id}),
        )
    };
    vec![
        ask("by id", PAIR, pair_type(), "k"),
        ask("a resource that can't be", GROUP, group_type(), "web,pb-1"),
        ask("a type that there is not", "aws_nothing", group_type(), "a"),
    ]
}

fn data_sources() -> Vec<Question> {
    let ask = |method, what, arn: Json| {
        let config = json!({
            "account": null, "arn": arn, "id": null, "partition": null, "region": null, "resource": null, "service": null,
        });
        about(
            what,
            method,
            arn_type(),
            json!({"type_name": "aws_arn", "config": config}),
        )
    };
    let (validate, read) = ("ValidateDataSourceConfig", "ReadDataSource");
    let valid = "arn:aws:rds:eu-west-1:123456789012:db:mysql-db";
    vec![
        ask(validate, "valid", json!(valid)),
        ask(validate, "not known yet", json!("?")),
        ask(validate, "required, missing", Json::Null),
        ask(validate, "not an ARN", json!("db")),
        ask(read, "an ARN", json!(valid)),
        ask(read, "not an ARN", json!("db")),
    ]
}

/// What later releases of the protocol have, and what is asked last.
fn others() -> Vec<Question> {
    let ask = |method, request| about("", method, group_type(), request);
    vec![
        ask("GetMetadata", json!({})),
        ask("GetResourceIdentitySchemas", json!({})),
        ask("GetFunctions", json!({})),
        ask(
            "MoveResourceState",
            json!({"target_type_name": GROUP, "source_type_name": "a"}),
        ),
        ask("Stop", json!({})),
    ]
}
