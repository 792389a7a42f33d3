//! Questions to the real AWS provider, which is written in Go, and to models of two of its resources: answers field by field.
//!
//! `tests/recorded/aws.txt` has what differs: `UPDATE=1 cargo test -p upstate-tests --test terraform recorded` writes it. Read it then as a list of
//! deviations; `docs/src/provider-protocol.md` says why each is meant.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value as Json, json};
use upstate::schema::{Field, Type};

use super::messages::{Messages, Values};
use super::real::aws;
use super::real::terraform::V1_15;
use super::wire::descriptor;

/// A provider that is running.
struct Running {
    child: Child,
    sender: SendRequest<Full<Bytes>>,
    _folder: tempfile::TempDir,
}

impl Running {
    async fn start(program: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .env_clear()
            .env("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
            .env("PLUGIN_PROTOCOL_VERSIONS", "5")
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let parts: Vec<&str> = line.trim().split('|').collect();
        // Its handshake: core protocol 1, plugin protocol 5, a socket, gRPC; a certificate only if the host sent one.
        assert_eq!((parts[0], parts[1], parts[2], parts[4]), ("1", "5", "unix", "grpc"), "{line}");
        assert!(parts.get(5).is_none_or(|certificate| certificate.is_empty()), "{line}");
        let stream = tokio::net::UnixStream::connect(parts[3]).await.unwrap();
        let builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
        let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Self { child, sender, _folder: folder }
    }

    /// The answer, or the status that the call failed with.
    async fn call(&mut self, messages: &Messages, method: &str, request: &Json, values: &Values<'_>) -> Json {
        let encoded = match method {
            "GetSchema" => messages.encode("GetProviderSchema.Request", request, values),
            _ => messages.encode(&format!("{method}.Request"), request, values),
        };
        let mut body = vec![0];
        body.extend_from_slice(&u32::try_from(encoded.len()).unwrap().to_be_bytes());
        body.extend_from_slice(&encoded);
        let request = Request::post(format!("http://localhost/tfplugin5.Provider/{method}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(Full::new(Bytes::from(body)))
            .unwrap();
        let response = self.sender.send_request(request).await.unwrap();
        let in_headers = response.headers().get("grpc-status").cloned();
        let body = response.into_body().collect().await.unwrap();
        let status = in_headers.or_else(|| body.trailers().and_then(|trailers| trailers.get("grpc-status").cloned()));
        let status = status.unwrap().to_str().unwrap().to_owned();
        let bytes = body.to_bytes();
        if status != "0" {
            return json!({ "status": status });
        }
        let name = if method == "GetSchema" { "GetProviderSchema" } else { method };
        messages.decode(&format!("{name}.Response"), &bytes[5..], values)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn patch_group() -> Type {
    object(&["baseline_id", "id", "patch_group"], &[])
}

fn key_pair() -> Type {
    object(&["arn", "fingerprint", "id", "key_name", "key_name_prefix", "key_pair_id", "public_key"], &["tags", "tags_all"])
}

fn object(strings: &[&'static str], maps: &[&'static str]) -> Type {
    let strings = strings.iter().map(|name| Field::new(*name, Type::String));
    let maps = maps.iter().map(|name| Field::new(*name, Type::map(Type::String)));
    Type::object(strings.chain(maps).collect::<Vec<_>>())
}

/// A question: what it is about, the method, its request, and the resource whose values it holds.
type Question = (&'static str, &'static str, Json, fn() -> Type);

fn questions() -> Vec<Question> {
    let group = "aws_ssm_patch_group";
    let pair = "aws_key_pair";
    let upgrade = |version: i64, json: &str| json!({"type_name": group, "version": version, "raw_state": {"json": json}});
    let group_of = |baseline: &str, id: Json, name: &str| json!({"baseline_id": baseline, "id": id, "patch_group": name});
    let plan = |prior: Json, proposed: Json, config: Json| json!({"type_name": group, "prior_state": prior, "proposed_new_state": proposed, "config": config, "prior_private": ""});
    let pair_of = |name: Json, prefix: Json, key: Json, tags: Json| {
        json!({
            "arn": null, "fingerprint": null, "id": null, "key_name": name, "key_name_prefix": prefix, "key_pair_id": null, "public_key": key,
            "tags": tags, "tags_all": null,
        })
    };
    let validate = |config: Json| json!({"type_name": pair, "config": config});
    let stored = |tags: Json, all: Json| {
        json!({
            "arn": "arn:1", "fingerprint": "f", "id": "k", "key_name": "k", "key_name_prefix": null, "key_pair_id": "key-1", "public_key": "ssh-rsa A",
            "tags": tags, "tags_all": all,
        })
    };
    let null = Json::Null;
    let (was, same) = (group_of("pb-1", json!("web,pb-1"), "web"), group_of("pb-1", null.clone(), "web"));
    vec![
        (
            "valid",
            "ValidateResourceTypeConfig",
            validate(pair_of(json!("k"), null.clone(), json!("ssh-rsa A"), null.clone())),
            key_pair,
        ),
        (
            "not known yet",
            "ValidateResourceTypeConfig",
            validate(pair_of(json!("?"), null.clone(), json!("?"), null.clone())),
            key_pair,
        ),
        (
            "required, missing",
            "ValidateResourceTypeConfig",
            validate(pair_of(json!("k"), null.clone(), null.clone(), null.clone())),
            key_pair,
        ),
        (
            "in conflict",
            "ValidateResourceTypeConfig",
            validate(pair_of(json!("k"), json!("p"), json!("ssh-rsa A"), null.clone())),
            key_pair,
        ),
        (
            "version 0",
            "UpgradeResourceState",
            upgrade(0, r#"{"baseline_id":"pb-1","id":"web","patch_group":"web"}"#),
            patch_group,
        ),
        (
            "current version",
            "UpgradeResourceState",
            upgrade(1, r#"{"baseline_id":"pb-1","id":"web,pb-1","patch_group":"web"}"#),
            patch_group,
        ),
        ("an attribute less", "UpgradeResourceState", upgrade(1, r#"{"baseline_id":"pb-1","patch_group":"web"}"#), patch_group),
        (
            "an attribute more",
            "UpgradeResourceState",
            upgrade(1, r#"{"baseline_id":"pb-1","id":"w","patch_group":"web","old":[1]}"#),
            patch_group,
        ),
        (
            "another type",
            "UpgradeResourceState",
            upgrade(1, r#"{"baseline_id":["pb-1"],"id":"w","patch_group":"web"}"#),
            patch_group,
        ),
        (
            "a number for a string",
            "UpgradeResourceState",
            upgrade(1, r#"{"baseline_id":7,"id":"w","patch_group":true}"#),
            patch_group,
        ),
        (
            "a later version",
            "UpgradeResourceState",
            upgrade(2, r#"{"baseline_id":"pb-1","id":"w","patch_group":"web"}"#),
            patch_group,
        ),
        ("not JSON", "UpgradeResourceState", upgrade(1, "{"), patch_group),
        ("create", "PlanResourceChange", plan(null.clone(), same.clone(), same.clone()), patch_group),
        ("no change", "PlanResourceChange", plan(was.clone(), was.clone(), same.clone()), patch_group),
        (
            "another name",
            "PlanResourceChange",
            plan(was.clone(), group_of("pb-1", json!("web,pb-1"), "db"), group_of("pb-1", null.clone(), "db")),
            patch_group,
        ),
        (
            "a name not known yet",
            "PlanResourceChange",
            plan(was.clone(), group_of("pb-1", json!("web,pb-1"), "?"), group_of("pb-1", null.clone(), "?")),
            patch_group,
        ),
        ("destroy", "PlanResourceChange", plan(was.clone(), null.clone(), null.clone()), patch_group),
        (
            "create with tags",
            "PlanResourceChange",
            json!({
                "type_name": pair, "prior_state": null, "prior_private": "",
                "proposed_new_state": pair_of(null.clone(), json!("p"), json!("ssh-rsa A"), json!({"a": "b"})),
                "config": pair_of(null.clone(), json!("p"), json!("ssh-rsa A"), json!({"a": "b"})),
            }),
            key_pair,
        ),
        (
            "another tag",
            "PlanResourceChange",
            json!({
                "type_name": pair, "prior_private": "", "prior_state": stored(json!({"a": "b"}), json!({"a": "b"})),
                "proposed_new_state": stored(json!({"a": "c"}), json!({"a": "b"})),
                "config": pair_of(json!("k"), null.clone(), json!("ssh-rsa A"), json!({"a": "c"})),
            }),
            key_pair,
        ),
        (
            "a type that there is not",
            "UpgradeResourceState",
            json!({"type_name": "aws_nothing", "version": 0, "raw_state": {"json": "{}"}}),
            patch_group,
        ),
        ("to stop", "Stop", json!({}), patch_group),
    ]
}

/// Leaves of two documents that differ, in order: path, theirs, ours.
fn differences(path: &str, theirs: Option<&Json>, ours: Option<&Json>, lines: &mut Vec<String>) {
    match (theirs, ours) {
        (Some(Json::Object(a)), Some(Json::Object(b))) => {
            let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                differences(&format!("{path}.{name}"), a.get(name), b.get(name), lines);
            }
        }
        (Some(Json::Array(a)), Some(Json::Array(b))) => {
            for index in 0..a.len().max(b.len()) {
                differences(&format!("{path}[{index}]"), a.get(index), b.get(index), lines);
            }
        }
        (theirs, ours) if theirs != ours => {
            let word = |value: Option<&Json>| value.map_or_else(|| "absent".to_owned(), ToString::to_string);
            lines.push(format!("  {}\n    Go:   {}\n    Rust: {}", path.trim_start_matches('.'), word(theirs), word(ours)));
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_those_of_the_provider_in_go_but_for_what_is_recorded() {
    let messages = Messages::new(&descriptor(V1_15, 5));
    let program: PathBuf = aws::program("3.39.0");
    let mut theirs = Running::start(&program).await;
    let mut ours = Running::start(Path::new(env!("CARGO_BIN_EXE_aws_in_rust"))).await;
    let mut text = String::new();

    let nothing = patch_group();
    let values = Values(&nothing);
    let mut schemas = (
        theirs.call(&messages, "GetSchema", &json!({}), &values).await,
        ours.call(&messages, "GetSchema", &json!({}), &values).await,
    );
    for name in ["aws_ssm_patch_group", "aws_key_pair"] {
        let sorted = |schemas: &mut Json| {
            let mut schema = schemas["resource_schemas"][name].take();
            // A list on the wire, and the order of a map in Go is another each time.
            schema["block"]["attributes"].as_array_mut().unwrap().sort_by_key(|attribute| attribute["name"].to_string());
            schema
        };
        let (theirs, ours) = (sorted(&mut schemas.0), sorted(&mut schemas.1));
        assert_eq!(
            theirs["block"]["attributes"].as_array().unwrap().len(),
            ours["block"]["attributes"].as_array().unwrap().len()
        );
        let mut lines = Vec::new();
        differences("", Some(&theirs), Some(&ours), &mut lines);
        text += &format!("GetSchema, {name}:{}\n", outcome(&lines));
    }
    for schemas in [&mut schemas.0, &mut schemas.1] {
        for of_one in ["resource_schemas", "data_source_schemas", "provider"] {
            schemas.as_object_mut().unwrap().remove(of_one);
        }
    }
    let mut lines = Vec::new();
    differences("", Some(&schemas.0), Some(&schemas.1), &mut lines);
    text += &format!("GetSchema, beside the schemas:{}\n", outcome(&lines));

    // Without a client, neither plans: the provider in Go asks it for default tags.
    configure(&mut theirs, &messages).await;
    configure(&mut ours, &messages).await;
    for (what, method, request, ty) in questions() {
        let ty = ty();
        let values = Values(&ty);
        let (theirs, ours) =
            (theirs.call(&messages, method, &request, &values).await, ours.call(&messages, method, &request, &values).await);
        let mut lines = Vec::new();
        differences("", Some(&parsed(theirs)), Some(&parsed(ours)), &mut lines);
        text += &format!("{method}, {what}:{}\n", outcome(&lines));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded/aws.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap());
}

fn outcome(lines: &[String]) -> String {
    if lines.is_empty() { " the same".to_owned() } else { format!("\n{}", lines.join("\n")) }
}

/// JSON inside of a message is compared as JSON, and lists are sorted that the provider in Go has in the order of a map, another each time.
fn parsed(mut answer: Json) -> Json {
    if let Some(paths) = answer.get_mut("requires_replace").and_then(Json::as_array_mut) {
        paths.sort_by_key(ToString::to_string);
    }
    if let Some(diagnostics) = answer.get_mut("diagnostics").and_then(Json::as_array_mut) {
        diagnostics.sort_by_key(|diagnostic| diagnostic["attribute"].to_string());
    }
    for name in ["planned_private", "private"] {
        if let Some(text) = answer.get(name).and_then(Json::as_str)
            && let Ok(inner) = serde_json::from_str::<Json>(text)
        {
            answer[name] = inner;
        }
    }
    answer
}

/// Configures a provider so that it asks nobody.
async fn configure(provider: &mut Running, messages: &Messages) {
    let nothing = patch_group();
    let schema = provider.call(messages, "GetSchema", &json!({}), &Values(&nothing)).await;
    let block = &schema["provider"]["block"];
    let ty = block_type(block);
    let value = |field: &Field| match field.name() {
        "region" => json!("eu-west-1"),
        "access_key" | "secret_key" => json!("mock"),
        name if name.starts_with("skip_") => json!(true),
        _ if matches!(field.ty(), Type::List(_) | Type::Set(_)) && is_block(block, field.name()) => json!([]),
        _ => Json::Null,
    };
    let Type::Object(fields) = &ty else { panic!("a configuration is an object") };
    let config: serde_json::Map<String, Json> = fields.iter().map(|field| (field.name().to_owned(), value(field))).collect();
    let request = json!({"terraform_version": "1.15.5", "config": config});
    let answer = provider.call(messages, "Configure", &request, &Values(&ty)).await;
    assert_eq!(answer, json!({}), "the provider refuses its configuration");
}

fn is_block(block: &Json, name: &str) -> bool {
    block["block_types"].as_array().into_iter().flatten().any(|nested| nested["type_name"] == json!(name))
}

fn block_type(block: &Json) -> Type {
    let attribute = |attribute: &Json| {
        let ty: Type = serde_json::from_str(attribute["type"].as_str().unwrap()).unwrap();
        Field::new(attribute["name"].as_str().unwrap().to_owned(), ty)
    };
    let nested = |nested: &Json| {
        let inner = block_type(&nested["block"]);
        // 3 is a set.
        let ty = if nested["nesting"] == json!(3) { Type::set(inner) } else { Type::list(inner) };
        Field::new(nested["type_name"].as_str().unwrap().to_owned(), ty)
    };
    let list = |name: &str| block[name].as_array().cloned().unwrap_or_default();
    let mut fields: Vec<Field> = list("attributes").iter().map(attribute).collect();
    fields.extend(list("block_types").iter().map(nested));
    Type::object(fields)
}
