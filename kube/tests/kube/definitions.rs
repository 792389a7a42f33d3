//! Definitions: what is in them, and what is refused.

use std::path::Path;

use serde_json::{Value, json};
use upstate::Document;
use upstate_kube::{CustomResource, Webhook};

use crate::boat::{Boat, Forms};

fn webhook() -> Webhook {
    Webhook::service("ferry", "webhook")
}

/// The definition's text in a file; `UPDATE=1` writes it.
fn recorded(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/kube")
        .join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{file} differs; UPDATE=1 writes it:\n{text}"
    );
}

pub(crate) fn spec_of(definition: &Value, version: &str) -> Value {
    let versions = definition["spec"]["versions"].as_array().unwrap();
    let found = versions
        .iter()
        .find(|found| found["name"] == version)
        .unwrap();
    found["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

#[test]
fn a_definition_has_the_same_bytes_each_time() {
    let definition = Boat::crd_with(&webhook()).unwrap();
    recorded("boats.yaml", &definition.to_yaml());
    recorded("boats.json", &definition.to_json());
    recorded("forms.yaml", &Forms::crd().unwrap().to_yaml());
    let read: Value = serde_json::from_str(&definition.to_json()).unwrap();
    assert_eq!(&read, definition.value());
    assert_eq!(
        &serde_saphyr::from_str::<Value>(&definition.to_yaml()).unwrap(),
        definition.value()
    );
    assert_eq!(
        definition.to_yaml(),
        Boat::crd_with(&webhook()).unwrap().to_yaml()
    );
}

/// Versions 1 and 2 are differences, and each has the members and the defaults of its own.
#[test]
fn each_version_has_the_schema_of_its_own_shape() {
    let definition = Boat::crd_with(&webhook()).unwrap();
    let names = |version: &str| {
        let spec = spec_of(definition.value(), version);
        let names: Vec<String> = spec["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        (names.join(" "), spec["required"].clone())
    };
    assert_eq!(
        names("v1"),
        ("hull length masts name paint".to_owned(), json!(["paint"]))
    );
    assert_eq!(
        names("v1beta1"),
        (
            "berth hull length masts paint title".to_owned(),
            json!(["paint"])
        )
    );
    assert_eq!(
        names("v1alpha1"),
        (
            "berth colour hull len masts title".to_owned(),
            json!(["colour"])
        )
    );
    for (version, member) in [("v1", "length"), ("v1beta1", "length"), ("v1alpha1", "len")] {
        assert_eq!(
            spec_of(definition.value(), version)["properties"][member]["default"],
            7,
            "{version}"
        );
    }
}

/// Scenario 1: no list of types, and an `Option` is not required.
#[test]
fn an_option_is_a_member_that_may_be_absent() {
    let spec = spec_of(Boat::crd_with(&webhook()).unwrap().value(), "v1");
    assert_eq!(spec["properties"]["name"], json!({"type": "string"}));
    assert!(
        !spec["required"]
            .as_array()
            .unwrap()
            .contains(&json!("name"))
    );
}

/// Scenario 7: the server does not enforce a format.
#[test]
fn integers_have_the_limits_of_their_type() {
    let spec = spec_of(Forms::crd().unwrap().value(), "v1");
    let limits = |name: &str| {
        (
            spec["properties"][name]["minimum"].as_i64(),
            spec["properties"][name]["maximum"].as_i64(),
        )
    };
    assert_eq!(limits("small"), (Some(-128), Some(127)));
    assert_eq!(
        limits("word"),
        (Some(i64::from(i32::MIN)), Some(i64::from(i32::MAX)))
    );
    assert_eq!(limits("long"), (None, None));
}

/// Scenario 10: the server would drop what only one of the versions has.
#[test]
fn versions_that_differ_need_a_webhook() {
    assert_eq!(
        Boat::crd().unwrap_err().to_string(),
        "Boat: versions v1 and v1beta1 differ, and no webhook converts them, so the server would drop values\n\
         help: write `Boat::crd_with(&Webhook::service(\"namespace\", \"name\"))`, and serve the webhook there"
    );
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.same", version = 1)]
#[upgrade_from(0 => 1, carry)]
#[kube(group = "ferry.example.com", kind = "Same", version(0 = "v1beta1", served = false), version(1 = "v1", storage))]
struct Same {
    name: String,
}

#[test]
fn versions_of_one_shape_need_none() {
    let definition = Same::crd().unwrap();
    assert_eq!(
        definition.value()["spec"]["conversion"],
        json!({"strategy": "None"})
    );
    assert_eq!(definition.value()["spec"]["versions"][1]["served"], false);
    assert_eq!(
        definition.value()["metadata"]["name"],
        "sames.ferry.example.com"
    );
}

#[derive(Document)]
#[document(type_name = "ferry.dated", version = 0)]
#[kube(
    group = "ferry.example.com",
    kind = "Dated",
    plural = "dated",
    version(0 = "v1", storage)
)]
struct Dated {
    /// The colour of the hull.
    #[deprecated(since = "1.2.0", note = "use `paint`")]
    colour: Option<String>,
    #[deprecated]
    berth: Option<u8>,
    /// The former name.
    ///
    /// Deprecated: it is `name` now.
    #[deprecated = "use `name`"]
    title: Option<String>,
    name: String,
}

#[test]
fn a_deprecated_field_says_so_in_its_description() {
    let definition = Dated::crd().unwrap();
    let spec = spec_of(definition.value(), "v1");
    let description = |name: &str| spec["properties"][name]["description"].clone();
    assert_eq!(
        description("colour"),
        "The colour of the hull.\n\nDeprecated: use `paint`"
    );
    assert_eq!(description("berth"), "Deprecated.");
    assert_eq!(
        description("title"),
        "The former name.\n\nDeprecated: it is `name` now."
    );
    assert_eq!(description("name"), Value::Null);
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.lost", version = 1)]
#[upgrade_from(0 => 1, drop(port: String, "it is in the route"))]
#[kube(
    group = "ferry.example.com",
    kind = "Lost",
    version(0 = "v1beta1"),
    version(1 = "v1", storage),
    column(name = "Name", path = ".spec.title", type = "string")
)]
struct Lost {
    name: String,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.gone", version = 1)]
#[upgrade_from(0 => 1, drop(port: String, "it is in the route"))]
#[kube(group = "ferry.example.com", kind = "Gone", version(0 = "v1beta1"), version(1 = "v1", storage))]
struct Gone {
    name: String,
}

#[test]
fn a_version_that_can_hold_no_object_is_refused() {
    let message = Gone::crd_with(&webhook()).unwrap_err().to_string();
    assert!(
        message.starts_with(
            "Gone, version v1beta1: no object of the current version can be read in it: "
        ),
        "{message}"
    );
    assert!(
        message.contains("`drop(x, \"why\", back = value)`"),
        "{message}"
    );
}

#[test]
fn a_path_that_names_no_field_is_refused() {
    assert_eq!(
        Lost::crd_with(&webhook()).unwrap_err().to_string(),
        "Lost, version v1: the path `.spec.title` of the column names no field\n\
         help: the server takes such a path and shows nothing; write the stored names of the current version"
    );
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.sorted", version = 1)]
#[upgrade_from(0 => 1, nest(colour => paint), unwrap(tag: Vec<String>, many = first))]
#[kube(
    group = "ferry.example.com",
    kind = "Sorted",
    plural = "sorted",
    version(0 = "v1beta1"),
    version(1 = "v1", storage),
    selectable(".spec.paint.colour", ".spec.length", ".spec.tag")
)]
struct Sorted {
    length: i32,
    paint: SortedPaint,
    tag: Option<String>,
}

#[derive(Debug, Document)]
struct SortedPaint {
    colour: String,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.unsorted", version = 0)]
#[kube(
    group = "ferry.example.com",
    kind = "Unsorted",
    plural = "unsorted",
    version(0 = "v1", storage),
    selectable(".spec.name", ".spec.labels.a")
)]
struct Unsorted {
    name: String,
    labels: std::collections::BTreeMap<String, String>,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.oversorted", version = 0)]
#[kube(
    group = "ferry.example.com",
    kind = "Oversorted",
    plural = "oversorted",
    version(0 = "v1", storage),
    selectable(
        ".spec.a", ".spec.b", ".spec.c", ".spec.d", ".spec.e", ".spec.f", ".spec.g", ".spec.h", ".spec.i"
    )
)]
struct Oversorted {
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
}

/// The server refuses the whole definition otherwise, from Kubernetes 1.30 on.
#[test]
fn clients_select_by_strings_booleans_and_integers() {
    let definition = Sorted::crd_with(&webhook()).unwrap();
    let selectable = |version: usize| {
        definition.value()["spec"]["versions"][version]["selectableFields"].clone()
    };
    let paths = |paths: &[&str]| {
        paths
            .iter()
            .map(|path| json!({"jsonPath": path}))
            .collect::<Value>()
    };
    assert_eq!(
        selectable(0),
        paths(&[".spec.paint.colour", ".spec.length", ".spec.tag"])
    );
    assert_eq!(
        selectable(1),
        paths(&[".spec.length"]),
        "the tags are a list in it"
    );
    assert_eq!(
        Unsorted::crd().unwrap_err().to_string(),
        "Unsorted, version v1: the path `.spec.labels.a` of a selectable field does not lead through objects to a string, a boolean or an \
         integer\nhelp: Kubernetes selects by such fields alone; name one, or remove `selectable`"
    );
    assert_eq!(
        Oversorted::crd().unwrap_err().to_string(),
        "Oversorted: it has 9 selectable fields, and Kubernetes takes 8\nhelp: remove some of the paths from `selectable`"
    );
}

#[test]
fn a_webhook_that_the_server_cannot_call_is_refused() {
    for url in [
        "http://a/convert",
        "https://",
        "https:///x",
        "https://user@a/",
        "https://a/?x=1",
        "https://a/#x",
    ] {
        let message = Boat::crd_with(&Webhook::url(url)).unwrap_err().to_string();
        assert_eq!(
            message,
            "Boat: Kubernetes does not call this URL of the webhook\nhelp: write `https://`, a host and a path, without a user and a query"
        );
    }
    let message = Boat::crd_with(&webhook().ca_bundle("cGVt"))
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("Boat: the CA bundle of the webhook is not PEM\nhelp: "),
        "{message}"
    );
    let pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let webhook = Webhook::url("https://ferry.example.com/convert").ca_bundle(pem);
    let definition = Boat::crd_with(&webhook).unwrap();
    let config = &definition.value()["spec"]["conversion"]["webhook"]["clientConfig"];
    assert_eq!(config["url"], "https://ferry.example.com/convert");
    assert_eq!(
        config["caBundle"],
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="
    );
}

#[test]
fn a_service_is_called_at_its_port_and_path() {
    for path in ["", "/", "/convert", "/a/b-c/d.e", "/a/"] {
        let definition = Boat::crd_with(&webhook().path(path).port(65_535)).unwrap();
        let service =
            &definition.value()["spec"]["conversion"]["webhook"]["clientConfig"]["service"];
        assert_eq!(
            (&service["path"], &service["port"]),
            (&json!(path), &json!(65_535)),
            "{path}"
        );
    }
    for path in [
        "convert",
        "//",
        "/a//b",
        "/a b",
        "/A",
        "/a?x=1",
        "/a_b",
        "/-a",
        "/a.",
        "/\u{e4}",
        &format!("/{}", "a".repeat(254)),
    ] {
        let message = Boat::crd_with(&webhook().path(path))
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            format!(
                "Boat: Kubernetes does not call the webhook's service at port 443 and path {path:?}\n\
                 help: write a port from 1 on, and a path of `/` and segments of small letters, digits, `-` and `.`, such as `/convert`"
            )
        );
    }
    assert!(
        Boat::crd_with(&webhook().port(0))
            .unwrap_err()
            .to_string()
            .contains("at port 0 and path \"/convert\"")
    );
}

/// Kubernetes reads YAML 1.1, where more words are no strings than in 1.2.
#[derive(Debug, Document)]
#[document(type_name = "ferry.words", version = 0)]
#[kube(group = "ferry.example.com", kind = "Words", plural = "words", version(0 = "v1", storage))]
struct Words {
    word: Word,
}

#[derive(Debug, upstate::StringEnum)]
enum Word {
    #[value(name = "yes")]
    Yes,
    #[value(name = "on")]
    On,
    #[value(name = "n")]
    N,
    #[value(name = "1e3")]
    Float,
    #[value(name = "012")]
    Octal,
    #[value(name = "1:30")]
    Sexagesimal,
    #[value(name = "2026-01-01")]
    Date,
    #[value(name = "~")]
    Null,
    #[value(name = "a: b")]
    Pair,
    #[value(name = "1_000")]
    Underscore,
    #[value(name = "=")]
    Equals,
}

#[test]
fn words_that_other_readers_of_yaml_take_for_values_are_quoted() {
    let yaml = Words::crd().unwrap().to_yaml();
    let lines = yaml
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("enum:"))
        .skip(1);
    let words: Vec<&str> = lines
        .map(str::trim_start)
        .take_while(|line| line.starts_with("- "))
        .collect();
    assert_eq!(words.len(), 11, "{yaml}");
    for word in words {
        assert!(
            word.starts_with("- \"") || word.starts_with("- '"),
            "{word} is not quoted"
        );
    }
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.blank", version = 0)]
#[kube(group = "ferry.example.com", kind = "Blank", version(0 = "v1", storage))]
struct Blank {
    #[attribute(default)]
    name: String,
    #[attribute(default)]
    count: u8,
    #[attribute(default)]
    is_new: bool,
}

/// Kubernetes 1.20 says of `default: ""` that it is null, and no string.
#[test]
fn an_empty_string_is_no_default() {
    let spec = spec_of(Blank::crd().unwrap().value(), "v1");
    assert_eq!(spec["properties"]["name"], json!({"type": "string"}));
    assert_eq!(
        (
            &spec["properties"]["count"]["default"],
            &spec["properties"]["is_new"]["default"]
        ),
        (&json!(0), &json!(false))
    );
    assert_eq!(spec.get("required"), None);
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.fleet", version = 1)]
#[upgrade_from(0 => 1, set(note = null))]
#[kube(
    group = "ferry.example.com",
    kind = "Fleet",
    status = FleetStatus,
    version(0 = "v1beta1"),
    version(1 = "v1", storage),
    scale(spec = ".spec.boats", status = ".status.boats", selector = ".status.selector")
)]
struct Fleet {
    boats: u32,
    note: Option<String>,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.fleet_status", version = 0)]
struct FleetStatus {
    boats: u32,
    selector: String,
}

#[derive(Debug, Document)]
#[document(type_name = "ferry.flotilla", version = 1)]
#[upgrade_from(0 => 1, rename(ships => boats))]
#[kube(
    group = "ferry.example.com",
    kind = "Flotilla",
    status = FleetStatus,
    version(0 = "v1beta1"),
    version(1 = "v1", storage),
    scale(spec = ".spec.boats", status = ".status.boats")
)]
struct Flotilla {
    boats: u32,
}

#[test]
fn each_version_is_scaled_at_the_same_paths() {
    let definition = Fleet::crd_with(&webhook()).unwrap();
    let [spec, status, selector] = [".spec.boats", ".status.boats", ".status.selector"];
    let scale = json!({"specReplicasPath": spec, "statusReplicasPath": status, "labelSelectorPath": selector});
    for version in definition.value()["spec"]["versions"].as_array().unwrap() {
        assert_eq!(
            version["subresources"],
            json!({"status": {}, "scale": scale})
        );
    }
    assert_eq!(
        Flotilla::crd_with(&webhook()).unwrap_err().to_string(),
        "Flotilla, version v1beta1: the scale subresource has the path `.spec.boats`, which names no field\n\
         help: the server takes such a path and scales nothing; keep the field's name in all versions"
    );
}

/// `kubectl apply` keeps a definition in an annotation, and etcd in one value.
#[test]
fn a_definition_that_is_too_large_is_said_to_be() {
    let with = |bytes: usize| {
        let pem = format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
            "A".repeat(bytes)
        );
        Boat::crd_with(&webhook().ca_bundle(pem))
    };
    assert_eq!(with(1_000).unwrap().warning(), None);
    let large = with(200_000).unwrap();
    let size = large.value().to_string().len();
    assert_eq!(
        large.warning(),
        Some(format!(
            "The definition has {size} bytes, which `kubectl apply` cannot keep in an annotation; write `kubectl apply --server-side`."
        ))
    );
    let message = with(800_000).unwrap_err().to_string();
    assert!(
        message.starts_with("Boat: the definition has "),
        "{message}"
    );
    assert!(
        message.contains(" bytes, and etcd takes 1048576\nhelp: "),
        "{message}"
    );
}
