//! A server in this process, its clock, and clients that speak to it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use md5::{Digest as _, Md5};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tower::ServiceExt as _;
use upstate::Registry;
use upstate_compat::lock::Lock;
use upstate_server::__internal::api::{self, Options};
use upstate_server::__internal::content::hex;
use upstate_server::__internal::model::{Permissions, Timestamp};
use upstate_server::__internal::service::{Conduct, Service, TokenFor};
use upstate_server::__internal::store::sqlite::{FILE_NAME, Sqlite};
use upstate_server::__internal::traffic::Peer;

use crate::{described, memory};

/// Where clients think that the server is. Not what `Host` says.
pub(crate) const BASE: &str = "http://up.test";

/// The number of looks at the clock after which something is done, and that.
type Meanwhile = Mutex<Option<(usize, Box<dyn FnOnce() + Send>)>>;

/// A server.
pub(crate) struct World {
    pub(crate) service: Service,
    pub(crate) folder: TempDir,
    router: Router,
    clock: Arc<AtomicI64>,
    meanwhile: Arc<Meanwhile>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Bytes,
}

impl Answer {
    /// The body.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// The attributes of its one resource.
    #[track_caller]
    pub(crate) fn attributes(&self) -> Value {
        self.json()["data"]["attributes"].clone()
    }

    /// The id of its one resource.
    #[track_caller]
    pub(crate) fn id(&self) -> String {
        self.json()["data"]["id"]
            .as_str()
            .expect("an id")
            .to_owned()
    }

    /// What its one error says.
    #[track_caller]
    pub(crate) fn detail(&self) -> String {
        self.json()["errors"][0]["detail"]
            .as_str()
            .expect("an error")
            .to_owned()
    }

    /// This answer, if it has this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(
            self.status,
            status,
            "{}",
            String::from_utf8_lossy(&self.bytes)
        );
        self
    }

    /// That it is refused with this status, and says this.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, says: &str) -> Self {
        let answer = self.expect(status);
        assert!(
            answer.detail().contains(says),
            "{says:?} is not in {:?}",
            answer.detail()
        );
        assert_eq!(answer.json()["errors"][0]["status"], status.to_string());
        answer
    }

    /// A header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .get(name)
            .map(|value| value.to_str().expect("text"))
    }
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(Conduct::default()).await
    }

    /// A server that knows the types of a registry.
    pub(crate) async fn knowing(registry: Registry) -> Self {
        Self::made(Conduct::default(), registry, Lock::default()).await
    }

    /// A server that knows what the releases of a registry stored, too.
    pub(crate) async fn remembering(registry: Registry, lock: Lock) -> Self {
        Self::made(Conduct::default(), registry, lock).await
    }

    pub(crate) async fn with(conduct: Conduct) -> Self {
        Self::made(conduct, Registry::new(), Lock::default()).await
    }

    pub(crate) async fn made(conduct: Conduct, registry: Registry, lock: Lock) -> Self {
        let folder = memory::folder();
        std::fs::write(
            folder.path().join(FILE_NAME),
            TABLES.get_or_init(tables).await,
        )
        .expect("a file");
        let store = Arc::new(Sqlite::open(folder.path()).await.expect("a store"));
        let clock = Arc::new(AtomicI64::new(1_795_312_863_045));
        let meanwhile = Arc::<Meanwhile>::default();
        let (reads, due) = (Arc::clone(&clock), Arc::clone(&meanwhile));
        let now = Arc::new(move || {
            if let Some(what) = taken_if_due(&due) {
                what();
            }
            // Each look at the clock is a millisecond later, so that nothing depends on two things
            // at the same time.
            Timestamp::from_millis(reads.fetch_add(1, Ordering::Relaxed))
        });
        let service = Service::with_clock(store, conduct, now)
            .await
            .expect("a service")
            .knowing(registry, lock);
        let router = api::router(service.clone(), Options::new(BASE));
        Self {
            service,
            folder,
            router,
            clock,
            meanwhile,
        }
    }

    /// Time goes by.
    pub(crate) fn wait(&self, duration: Duration) {
        let millis = i64::try_from(duration.as_millis()).expect("a time");
        self.clock.fetch_add(millis, Ordering::Relaxed);
    }

    /// Somebody sets the clock back.
    pub(crate) fn set_back(&self, duration: Duration) {
        let millis = i64::try_from(duration.as_millis()).expect("a time");
        self.clock.fetch_sub(millis, Ordering::Relaxed);
    }

    /// Somebody else does something after so many looks at the clock, while the server is at work.
    pub(crate) fn meanwhile(&self, looks: usize, what: impl FnOnce() + Send + 'static) {
        *self.meanwhile.lock().expect("it is whole") = Some((looks, Box::new(what)));
    }

    /// The token of a user with permissions in an organization.
    pub(crate) async fn token(&self, user: &str, org: &str, can: &str) -> String {
        let (organization, _) = self
            .service
            .ensure_organization("test", org)
            .await
            .expect("an organization");
        let permissions: Permissions = can.parse().expect("permissions");
        // Everybody is in one team that may do everything; the token keeps a part of it.
        let team = self
            .service
            .ensure_team("test", &organization.id, "zz-everybody", Permissions::ALL)
            .await
            .expect("a team");
        self.service
            .join("test", &team, user)
            .await
            .expect("a member");
        let owner = TokenFor::Member {
            name: user.to_owned(),
            organization: organization.id,
            within: permissions,
        };
        self.service
            .create_token("test", owner, "", None, None)
            .await
            .expect("a token")
            .secret
    }

    /// A client with all permissions in the organization `acme`.
    pub(crate) async fn owner(&self) -> Client<'_> {
        let token = self
            .token(
                "ann",
                "acme",
                "read-state,write-state,read-outputs,lock,force-unlock,admin",
            )
            .await;
        self.client(&token)
    }

    /// A client with some permissions in the organization `acme`.
    pub(crate) async fn user(&self, name: &str, can: &str) -> Client<'_> {
        let token = self.token(name, "acme", can).await;
        self.client(&token)
    }

    /// The client of a token.
    /// A connection to its database beside that of the service.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.folder.path().join(FILE_NAME)).expect("the database")
    }

    pub(crate) fn client(&self, token: &str) -> Client<'_> {
        Client {
            world: self,
            authorization: Some(format!("Bearer {token}")),
            address: None,
        }
    }

    /// A client without a token.
    pub(crate) const fn nobody(&self) -> Client<'_> {
        Client {
            world: self,
            authorization: None,
            address: None,
        }
    }
}

/// The file of an empty store, made once: the statements that make its tables take 14 ms where
/// `SQLite` is optimized, and here it is not.
static TABLES: OnceCell<Vec<u8>> = OnceCell::const_new();

async fn tables() -> Vec<u8> {
    let folder = memory::folder();
    drop(Sqlite::open(folder.path()).await.expect("a store"));
    let copy = folder.path().join("copy.db");
    let database = rusqlite::Connection::open(folder.path().join(FILE_NAME)).expect("the database");
    database
        .execute("VACUUM INTO ?1", [copy.to_str().expect("text")])
        .expect("a copy");
    std::fs::read(copy).expect("the copy")
}

/// The work that is due at this look at the clock.
fn taken_if_due(meanwhile: &Meanwhile) -> Option<Box<dyn FnOnce() + Send>> {
    let mut meanwhile = meanwhile.lock().expect("it is whole");
    match meanwhile.take()? {
        (0, what) => Some(what),
        (looks, what) => {
            *meanwhile = Some((looks - 1, what));
            None
        }
    }
}

/// A client.
#[derive(Clone)]
pub(crate) struct Client<'w> {
    world: &'w World,
    authorization: Option<String>,
    address: Option<SocketAddr>,
}

impl<'w> Client<'w> {
    /// The client at an address.
    pub(crate) fn at(&self, address: SocketAddr) -> Client<'w> {
        Client {
            address: Some(address),
            ..self.clone()
        }
    }

    /// Sends a request; the path may be a whole URL of this server.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let path = path.strip_prefix(BASE).unwrap_or(path);
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", "evil.example");
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        if let Some(address) = self.address {
            request = request.extension(Peer(address));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).expect("a request");
        let response = self
            .world
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("an answer");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        let answer = Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            bytes,
        };
        described::check(method, path, &answer);
        answer
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], Body::empty()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[], body.to_string()).await
    }

    /// The document at a path.
    pub(crate) async fn json(&self, path: &str) -> Value {
        self.get(path).await.expect(200).json()
    }

    /// The attributes of what is at a path.
    pub(crate) async fn attributes(&self, path: &str) -> Value {
        self.get(path).await.expect(200).attributes()
    }

    /// Posts what makes something; its id.
    pub(crate) async fn made(&self, path: &str, body: &Value) -> String {
        self.post(path, body).await.expect(201).id()
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send("PATCH", path, &[], body.to_string()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], Body::empty()).await
    }

    /// Uploads to a signed URL, as go-tfe does: without a token.
    pub(crate) async fn put(&self, url: &str, bytes: &[u8]) -> Answer {
        let nobody = Self {
            authorization: None,
            ..self.clone()
        };
        nobody
            .send(
                "PUT",
                url,
                &[("content-type", "application/octet-stream")],
                bytes.to_vec(),
            )
            .await
    }

    /// Makes a workspace in `acme`; its id.
    pub(crate) async fn workspace(&self, name: &str) -> String {
        let body = json!({ "data": { "type": "workspaces", "attributes": { "name": name } } });
        self.post("/api/v2/organizations/acme/workspaces", &body)
            .await
            .expect(201)
            .id()
    }

    /// Makes a workspace in `acme` and locks it; its id.
    pub(crate) async fn locked(&self, name: &str) -> String {
        let id = self.workspace(name).await;
        self.lock(&id).await.expect(200);
        id
    }

    pub(crate) async fn lock(&self, id: &str) -> Answer {
        self.post(
            &format!("/api/v2/workspaces/{id}/actions/lock"),
            &json!({ "reason": "test" }),
        )
        .await
    }

    pub(crate) async fn unlock(&self, id: &str) -> Answer {
        self.act(&format!("/api/v2/workspaces/{id}/actions/unlock"))
            .await
    }

    pub(crate) async fn force_unlock(&self, id: &str) -> Answer {
        self.act(&format!("/api/v2/workspaces/{id}/actions/force-unlock"))
            .await
    }

    /// Upgrades the state of a workspace.
    pub(crate) async fn upgrade(&self, id: &str) -> Answer {
        self.act(&crate::schemas::path(id, "/actions/upgrade"))
            .await
    }

    async fn act(&self, path: &str) -> Answer {
        self.send("POST", path, &[], Body::empty()).await
    }

    /// Creates a version with its state.
    pub(crate) async fn create(&self, id: &str, state: &State) -> Answer {
        self.post(
            &format!("/api/v2/workspaces/{id}/state-versions"),
            &state.inline(),
        )
        .await
    }

    /// Creates a version with its state; the version's id.
    pub(crate) async fn stored(&self, id: &str, state: &State) -> String {
        self.create(id, state).await.expect(201).id()
    }

    /// Creates a version that waits for its state.
    pub(crate) async fn begin(&self, id: &str, state: &State) -> Answer {
        self.post(
            &format!("/api/v2/workspaces/{id}/state-versions"),
            &state.request(),
        )
        .await
    }

    /// The current version.
    pub(crate) async fn current(&self, id: &str) -> Answer {
        self.get(&format!("/api/v2/workspaces/{id}/current-state-version"))
            .await
    }

    /// The bytes of a version.
    pub(crate) async fn bytes(&self, version: &str) -> Bytes {
        self.get(&format!("/objects/state-versions/{version}/state"))
            .await
            .expect(200)
            .bytes
    }

    /// Rolls back.
    pub(crate) async fn rollback(&self, id: &str, to: &str) -> Answer {
        let body = json!({ "data": {
            "type": "state-versions",
            "relationships": { "rollback-state-version": { "data": { "type": "state-versions", "id": to } } },
        }});
        self.patch(&format!("/api/v2/workspaces/{id}/state-versions"), &body)
            .await
    }

    /// Every version of a workspace in `acme`, newest first.
    pub(crate) async fn versions(&self, name: &str) -> Vec<Value> {
        let path = format!(
            "/api/v2/state-versions?filter[workspace][name]={name}&filter[organization][name]=acme&page[size]=100"
        );
        self.get(&path).await.expect(200).json()["data"]
            .as_array()
            .expect("a list")
            .clone()
    }
}

/// A state and what is said of it.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) serial: i64,
    pub(crate) lineage: String,
    pub(crate) bytes: Vec<u8>,
}

impl State {
    /// A state with one output.
    pub(crate) fn new(serial: i64, lineage: &str, value: &str) -> Self {
        let bytes = format!(
            "{{\n  \"version\": 4,\n  \"terraform_version\": \"1.15.5\",\n  \"serial\": {serial},\n  \"lineage\": \"{lineage}\",\n  \
             \"outputs\": {{\n    \"value\": {{ \"value\": \"{value}\", \"type\": \"string\" }}\n  }},\n  \"resources\": []\n}}\n"
        );
        Self {
            serial,
            lineage: lineage.to_owned(),
            bytes: bytes.into_bytes(),
        }
    }

    pub(crate) fn of(serial: i64, lineage: &str, text: &str) -> Self {
        Self {
            serial,
            lineage: lineage.to_owned(),
            bytes: text.as_bytes().to_vec(),
        }
    }

    pub(crate) fn md5(&self) -> String {
        hex(&Md5::digest(&self.bytes))
    }

    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// A request without the bytes.
    pub(crate) fn request(&self) -> Value {
        let mut attributes = json!({ "serial": self.serial, "md5": self.md5() });
        if !self.lineage.is_empty() {
            attributes["lineage"] = json!(self.lineage);
        }
        json!({ "data": { "type": "state-versions", "attributes": attributes } })
    }

    /// A request with the bytes.
    pub(crate) fn inline(&self) -> Value {
        let mut request = self.request();
        request["data"]["attributes"]["state"] = json!(self.base64());
        request
    }

    /// A request with the bytes that is forced.
    pub(crate) fn forced(&self) -> Value {
        let mut request = self.inline();
        request["data"]["attributes"]["force"] = json!(true);
        request
    }
}

/// A string of an answer.
#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no text"))
        .to_owned()
}
