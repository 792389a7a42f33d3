//! The typed client of kube-rs with the current struct, against a server that keeps what it gets.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, Config, CustomResourceExt, Resource as _, ResourceExt as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use upstate::Document;
use upstate_kube::{CustomObject, NoStatus};

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.boat", version = 1)]
#[upgrade_from(0 => 1, rename(colour => paint))]
#[kube(group = "ferry.example.com", kind = "Boat", status = BoatStatus, version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Boat {
    paint: String,
    length: Option<u32>,
    masts: Option<Vec<Option<u8>>>,
    #[attribute(default = 2)]
    decks: u8,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct BoatStatus {
    afloat: bool,
    message: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.sea", version = 0)]
#[kube(group = "ferry.example.com", kind = "Sea", short_names("se"), scope = Cluster, version(0 = "v1", storage))]
struct Sea {
    depth: u32,
}

#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.beacon", version = 0)]
#[kube(group = "ferry.example.com", kind = "Beacon", version(0 = "v1", storage))]
struct Beacon {
    #[attribute(default = Some(7))]
    #[kube(nullable)]
    light: Option<u8>,
    mast: Option<u8>,
}

fn boat() -> CustomObject<Boat> {
    CustomObject::new(
        "b0",
        Boat {
            paint: "red".to_owned(),
            length: None,
            masts: Some(vec![Some(3), None]),
            decks: 2,
        },
    )
}

#[test]
fn the_names_are_those_of_the_current_version() {
    type Boats = CustomObject<Boat>;
    assert_eq!(
        (
            &*Boats::group(&()),
            &*Boats::version(&()),
            &*Boats::kind(&())
        ),
        ("ferry.example.com", "v1", "Boat")
    );
    assert_eq!(
        Boats::url_path(&(), Some("default")),
        "/apis/ferry.example.com/v1/namespaces/default/boats"
    );
    assert_eq!(
        CustomObject::<Sea>::url_path(&(), None),
        "/apis/ferry.example.com/v1/seas"
    );
    assert_eq!(
        (
            Boats::api_resource().api_version,
            Boats::api_resource().plural
        ),
        ("ferry.example.com/v1".to_owned(), "boats".to_owned())
    );
    let owner = boat().object_ref(&());
    assert_eq!(
        (owner.kind.as_deref(), owner.name.as_deref()),
        (Some("Boat"), Some("b0"))
    );
}

fn named<K: CustomResourceExt>() -> (&'static str, &'static [&'static str], String) {
    (
        K::crd_name(),
        K::shortnames(),
        K::api_resource().api_version,
    )
}

#[test]
fn an_object_has_what_kube_rs_wants_of_a_custom_resource() {
    assert_eq!(
        named::<CustomObject<Boat>>(),
        (
            "boats.ferry.example.com",
            &[][..],
            "ferry.example.com/v1".to_owned()
        )
    );
    assert_eq!(
        named::<CustomObject<Sea>>(),
        (
            "seas.ferry.example.com",
            &["se"][..],
            "ferry.example.com/v1".to_owned()
        )
    );
    let definition = <CustomObject<Sea> as CustomResourceExt>::crd();
    assert_eq!(
        (definition.metadata.name.as_deref(), &*definition.spec.scope),
        (Some("seas.ferry.example.com"), "Cluster")
    );
    let depth = definition.spec.versions[0]
        .schema
        .as_ref()
        .unwrap()
        .open_api_v3_schema
        .as_ref()
        .unwrap();
    assert_eq!(
        serde_json::to_value(depth).unwrap()["properties"]["spec"]["properties"]["depth"],
        json!({"type": "integer", "minimum": 0.0, "maximum": 4_294_967_295.0})
    );
}

/// Without a webhook the server would drop what the other version does not have.
#[test]
#[should_panic(expected = "Boat: versions v1 and v1alpha1 differ")]
fn a_definition_without_the_conversion_that_it_needs_is_refused() {
    let _ = CustomObject::<Boat>::crd();
}

/// Server-side apply owns each member that is there, also one that is null.
#[test]
fn an_object_is_written_without_nulls_and_read_again() {
    let written = serde_json::to_value(boat()).unwrap();
    assert_eq!(
        written,
        json!({
            "apiVersion": "ferry.example.com/v1", "kind": "Boat", "metadata": {"name": "b0"},
            "spec": {"paint": "red", "masts": [3, null], "decks": 2},
        })
    );
    let mut stored = written;
    stored["status"] = json!({"afloat": true});
    stored["spec"].as_object_mut().unwrap().remove("decks");
    let read: CustomObject<Boat> = serde_json::from_value(stored).unwrap();
    assert_eq!(read.spec, boat().spec);
    assert_eq!(
        read.status,
        Some(BoatStatus {
            afloat: true,
            message: None
        })
    );
    let sea: CustomObject<Sea> = CustomObject {
        status: Some(NoStatus {}),
        ..CustomObject::new("north", Sea { depth: 3 })
    };
    assert_eq!(serde_json::to_value(sea).unwrap()["status"], json!({}));
}

#[test]
fn null_is_written_where_absence_is_the_default() {
    let written = serde_json::to_value(CustomObject::new(
        "a",
        Beacon {
            light: None,
            mast: None,
        },
    ))
    .unwrap();
    assert_eq!(written["spec"], json!({"light": null}));
    let read: CustomObject<Beacon> = serde_json::from_value(written).unwrap();
    assert_eq!(
        read.spec,
        Beacon {
            light: None,
            mast: None
        }
    );
}

#[test]
fn an_object_of_another_version_is_refused() {
    let message = |object: Value| {
        serde_json::from_value::<CustomObject<Boat>>(object)
            .unwrap_err()
            .to_string()
    };
    let mut older = serde_json::to_value(boat()).unwrap();
    older["apiVersion"] = json!("ferry.example.com/v1alpha1");
    assert_eq!(
        message(older),
        "the object is a Boat of ferry.example.com/v1alpha1, and expected is a Boat of ferry.example.com/v1"
    );
    let mut wrong = serde_json::to_value(boat()).unwrap();
    wrong["spec"]["paint"] = json!(7);
    let message = message(wrong);
    assert!(
        message.starts_with("spec: ") && message.contains("paint"),
        "{message}"
    );
}

type Objects = Arc<Mutex<BTreeMap<String, Value>>>;

async fn handle(
    State(objects): State<Objects>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> (StatusCode, String) {
    let mut objects = objects.lock().unwrap();
    let path = uri.path().trim_end_matches("/status").to_owned();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let answer = match method.as_str() {
        "POST" => {
            let name = body["metadata"]["name"].as_str().unwrap().to_owned();
            objects.insert(format!("{path}/{name}"), body.clone());
            body
        }
        "PATCH" if uri.path().ends_with("/status") => {
            let stored = objects.get_mut(&path).unwrap();
            stored["status"] = body["status"].clone();
            stored.clone()
        }
        "PATCH" => {
            assert!(
                uri.query().unwrap().contains("fieldManager=harbour"),
                "{uri}"
            );
            objects.insert(path, body.clone());
            body
        }
        _ if objects.contains_key(&path) => objects[&path].clone(),
        _ => {
            let items: Vec<&Value> = objects.values().collect();
            json!({"apiVersion": "ferry.example.com/v1", "kind": "BoatList", "metadata": {"resourceVersion": "7"}, "items": items})
        }
    };
    (StatusCode::OK, answer.to_string())
}

#[tokio::test]
async fn a_typed_client_creates_applies_reads_and_lists() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let objects = Objects::default();
    let router = Router::new()
        .fallback(handle)
        .with_state(Arc::clone(&objects));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let client = Client::try_from(Config::new(url.parse().unwrap())).unwrap();

    let boats: Api<CustomObject<Boat>> = Api::namespaced(client.clone(), "default");
    let made = boats.create(&PostParams::default(), &boat()).await.unwrap();
    assert_eq!(
        (made.name_any(), &made.spec),
        ("b0".to_owned(), &boat().spec)
    );
    let mut blue = boat();
    blue.spec.paint = "blue".to_owned();
    boats
        .patch("b0", &PatchParams::apply("harbour"), &Patch::Apply(&blue))
        .await
        .unwrap();
    let status = json!({"status": {"afloat": true}});
    let floating = boats
        .patch_status("b0", &PatchParams::default(), &Patch::Merge(&status))
        .await
        .unwrap();
    assert_eq!(
        floating.status,
        Some(BoatStatus {
            afloat: true,
            message: None
        })
    );
    assert_eq!(boats.get("b0").await.unwrap().spec, blue.spec);
    let listed = boats.list(&ListParams::default()).await.unwrap();
    assert_eq!(
        listed
            .items
            .iter()
            .map(|boat| &*boat.spec.paint)
            .collect::<Vec<_>>(),
        ["blue"]
    );
    assert_eq!(
        objects.lock().unwrap().keys().collect::<Vec<_>>(),
        ["/apis/ferry.example.com/v1/namespaces/default/boats/b0"]
    );

    let seas: Api<CustomObject<Sea>> = Api::all(client);
    seas.create(
        &PostParams::default(),
        &CustomObject::new("north", Sea { depth: 30 }),
    )
    .await
    .unwrap();
    assert_eq!(seas.get("north").await.unwrap().spec.depth, 30);
}
