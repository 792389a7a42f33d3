//! The provider that runs beside this one: what it serves, and requests to it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use http::{HeaderMap, Response};
use http_body_util::BodyExt as _;
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use tokio::process::ChildStdout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tonic::body::Body;
use tonic::{Code, Status};
use upstate::schema::{Block, Type};
use upstate::{Diagnostic, Diagnostics, Value};

use super::Beside;
use super::connection::{Connection, collected, next_message};
use super::output::Output;
use super::process::{Line, Network, Process};
use super::schema::{self, lowered, raised};
use crate::diagnostics;
use crate::proto::plugin::StdioData;
use crate::proto::schema::{v5, v6};
use crate::proto::{
    DynamicValue, Empty, GetResourceIdentitySchemasResponse, MoveResourceStateRequest, RawState,
    ResourceIdentitySchema, ServerCapabilities, StopProviderResponse, UpgradeResourceStateRequest,
};
use crate::secrets::Secrets;
use crate::tls;
use crate::wire::value::from_wire;

/// The time for the program to take note that it is to end.
const NOTICE: Duration = Duration::from_millis(400);

/// The time for the program to stop what it does, if the user wants that.
const STOPPING: Duration = Duration::from_secs(5);

/// The longest piece of output taken.
const LONGEST_PIECE: usize = 1 << 20;

/// The kinds of types that a provider serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Resource,
    DataSource,
    EphemeralResource,
    ListResource,
    Action,
    Function,
}

/// The values of a type that it serves.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) block: Block,
    pub(crate) ty: Type,
}

type Read = HashMap<(Kind, String), Option<Arc<Served>>>;

/// A provider that runs beside this one.
#[derive(Debug)]
pub(crate) struct Companion {
    process: Process,
    connection: Connection,
    protocol: u8,
    output: Arc<Output>,
    schema: v6::GetProviderSchemaResponse,
    identities: BTreeMap<String, ResourceIdentitySchema>,
    provider: Served,
    meta: Option<Served>,
    /// The types that were needed so far; none for one that can't be read.
    served: Mutex<Read>,
}

/// The names in a description of schemas, of which a map would keep one each.
#[derive(Clone, PartialEq, Message)]
struct Names {
    #[prost(message, repeated, tag = "2")]
    resources: Vec<Name>,
    #[prost(message, repeated, tag = "3")]
    data_sources: Vec<Name>,
    #[prost(message, repeated, tag = "7")]
    functions: Vec<Name>,
    #[prost(message, repeated, tag = "8")]
    ephemeral_resources: Vec<Name>,
    #[prost(message, repeated, tag = "9")]
    list_resources: Vec<Name>,
    #[prost(message, repeated, tag = "11")]
    actions: Vec<Name>,
}

#[derive(Clone, PartialEq, Message)]
struct Name {
    #[prost(string, tag = "1")]
    name: String,
}

impl Companion {
    /// Starts the program for a host that speaks this protocol, and asks it what it serves.
    ///
    /// # Errors
    /// The program can't be used; it has ended then.
    pub(crate) async fn start(beside: &Beside, host: u8) -> Result<Self, Diagnostics> {
        let own = std::env::current_exe().unwrap_or_default();
        let program = beside.file(&own);
        let failed = |problem: String| {
            Diagnostics::from(diagnostics::beside_not_started(&program, &problem))
        };
        let output = Arc::new(Output::new());
        let client = tls::Client::new().map_err(&failed)?;
        let protocols = if host == 5 { "5" } else { "5,6" };
        let (process, stdout) =
            Process::start(beside, &program, protocols, &client.pem(), &output).map_err(&failed)?;
        match tokio::time::timeout(
            beside.patience,
            Started {
                process: &process,
                client: &client,
                output: &output,
            }
            .describe(stdout),
        )
        .await
        {
            Ok(Ok((connection, protocol, schema, identities))) => {
                let provider = served(schema.provider.as_ref().and_then(|it| it.block.as_ref()))
                    .map_err(&failed)?;
                let meta = schema
                    .provider_meta
                    .as_ref()
                    .map(|it| served(it.block.as_ref()))
                    .transpose()
                    .map_err(&failed)?;
                let served = Mutex::default();
                Ok(Self {
                    process,
                    connection,
                    protocol,
                    output,
                    schema,
                    identities,
                    provider,
                    meta,
                    served,
                })
            }
            Ok(Err(NotStarted::Problem(problem))) => Err(failed(problem)),
            Ok(Err(NotStarted::Reported(reported))) => Err(reported),
            Err(_) => Err(failed(format!(
                "It did not report its address and schema within {:?}.{}",
                beside.patience,
                process.last_lines()
            ))),
        }
    }

    /// The description of all types that it serves, in messages of protocol 6.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "as for protocol 5, which may have problems"
    )]
    pub(crate) fn schema_v6(&self) -> Result<v6::GetProviderSchemaResponse, Diagnostics> {
        Ok(self.schema.clone())
    }

    /// The description of all types that it serves, in messages of protocol 5.
    pub(crate) fn schema_v5(&self) -> Result<v5::GetProviderSchemaResponse, Diagnostics> {
        lowered::response(self.schema.clone()).map_err(|path| {
            let program = self.program().display();
            let detail = format!("{path}, which {program} serves, has nested attributes, and plugin protocol 5 has none.");
            diagnostics::needs_protocol_6(detail).into()
        })
    }

    pub(crate) fn identities(&self) -> &BTreeMap<String, ResourceIdentitySchema> {
        &self.identities
    }

    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        self.schema.server_capabilities.unwrap_or_default()
    }

    /// The configuration that it takes.
    pub(crate) fn provider(&self) -> &Served {
        &self.provider
    }

    /// The block in which modules can say something to it.
    pub(crate) fn meta(&self) -> Option<&Served> {
        self.meta.as_ref()
    }

    pub(crate) fn program(&self) -> &Path {
        self.process.program()
    }

    /// True if it serves a type.
    pub(crate) fn serves(&self, kind: Kind, name: &str) -> bool {
        match kind {
            Kind::Function => self.schema.functions.contains_key(name),
            Kind::Action => self.schema.action_schemas.contains_key(name),
            Kind::Resource | Kind::DataSource | Kind::EphemeralResource | Kind::ListResource => {
                self.message(kind, name).is_some()
            }
        }
    }

    fn message(&self, kind: Kind, name: &str) -> Option<&v6::Schema> {
        match kind {
            Kind::Resource => self.schema.resource_schemas.get(name),
            Kind::DataSource => self.schema.data_source_schemas.get(name),
            Kind::EphemeralResource => self.schema.ephemeral_resource_schemas.get(name),
            Kind::ListResource => self.schema.list_resource_schemas.get(name),
            Kind::Action => self.schema.action_schemas.get(name)?.schema.as_ref(),
            Kind::Function => None,
        }
    }

    /// The schema version of a resource type.
    pub(crate) fn version(&self, name: &str) -> i64 {
        self.message(Kind::Resource, name)
            .map(|schema| schema.version)
            .unwrap_or_default()
    }

    /// A type that it serves; none for a function, and for a type that can't be read.
    pub(crate) fn served(&self, kind: Kind, name: &str) -> Option<Arc<Served>> {
        let mut all = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        let message = self.message(kind, name)?;
        let read = || served(message.block.as_ref()).ok().map(Arc::new);
        all.entry((kind, name.to_owned()))
            .or_insert_with(read)
            .clone()
    }

    /// Calls one of its methods, named as in either protocol.
    pub(crate) async fn call<Response: Message + Default>(
        &self,
        method: &str,
        request: &impl Message,
    ) -> Result<Response, Status> {
        match call(&self.connection, &self.path(method), request).await {
            Err(status) if status.code() == Code::Unavailable => {
                Err(self.gone(method, &status).await)
            }
            other => other,
        }
    }

    /// Hands a request over as it is, and gives the response as it is.
    pub(crate) async fn forward(
        &self,
        method: &str,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Response<Body> {
        let response = match self
            .connection
            .send(&self.path(method), Some(headers), body)
            .await
        {
            Ok(response) => response,
            Err(status) => return self.gone(method, &status).await.into_http(),
        };
        if matches!(method, "ListResource" | "InvokeAction") {
            return response.map(Body::new);
        }
        let (parts, body) = response.into_parts();
        match collected(body).await {
            Ok(whole) => Response::from_parts(parts, whole.into_body()),
            Err(status) => self.gone(method, &status).await.into_http(),
        }
    }

    /// The error of a call whose connection broke.
    async fn gone(&self, method: &str, status: &Status) -> Status {
        let how = match self.process.ended().await {
            Some(status) => format!("ended ({status})"),
            None => format!("broke the connection ({})", status.message()),
        };
        // Terraform explains a status of this code by nothing but this message.
        Status::aborted(format!(
            "{}, which serves what this provider does not serve itself, {how} before it answered {method}. Work that it began may be half \
             done. Its last output is in Terraform's log, with TF_LOG=warn.",
            self.program().display()
        ))
    }

    fn path(&self, method: &str) -> String {
        let method = named_in(self.protocol, method);
        format!("/tfplugin{}.Provider/{method}", self.protocol)
    }

    /// Keeps what is secret in a configuration of the provider out of the log.
    pub(crate) fn hide_config(&self, config: Option<&DynamicValue>) {
        self.hide_all(&self.provider, config);
    }

    /// Keeps what is secret in the values of a request out of the log.
    pub(crate) fn hide(&self, kind: Kind, name: &str, method: &str, message: &Bytes) {
        let Some(served) = self.served(kind, name) else {
            return;
        };
        if let Some((source, stored)) = stored(method, message) {
            // The program may not know the type that state is moved from: what both types call the
            // same is taken for the same.
            let source = source.and_then(|source| self.served(kind, &source));
            for served in source.iter().chain([&served]) {
                self.output.hide(&secrets_of_stored(served, &stored));
            }
            return;
        }
        if !served.block.has_secret() {
            self.output.hide(&Secrets::default());
            return;
        }
        for value in values(message.clone()) {
            self.hide_all(&served, Some(&value));
        }
    }

    fn hide_all(&self, served: &Served, value: Option<&DynamicValue>) {
        let mut secrets = Secrets::default();
        if let Ok(value) = from_wire(value, &served.ty, "value") {
            secrets.add(&served.block, &value);
        }
        self.output.hide(&secrets);
    }

    /// Asks it to come to an end with all that it does.
    pub(crate) async fn stop(&self) -> Option<StopProviderResponse> {
        tokio::time::timeout(STOPPING, self.call("StopProvider", &Empty {}))
            .await
            .ok()?
            .ok()
    }

    /// Ends the program.
    pub(crate) async fn end(&self) {
        let noticed = self
            .connection
            .call("/plugin.GRPCController/Shutdown", &Empty {});
        // One that does not answer is ended all the same.
        let _ = tokio::time::timeout(NOTICE, noticed).await;
        self.process.end().await;
    }
}

/// The reason why a program can't be used.
enum NotStarted {
    Problem(String),
    /// The errors that it reports about itself.
    Reported(Diagnostics),
}

impl From<String> for NotStarted {
    fn from(problem: String) -> Self {
        Self::Problem(problem)
    }
}

/// A program that was started.
struct Started<'s> {
    process: &'s Process,
    client: &'s tls::Client,
    output: &'s Arc<Output>,
}

type Description = (
    Connection,
    u8,
    v6::GetProviderSchemaResponse,
    BTreeMap<String, ResourceIdentitySchema>,
);

impl Started<'_> {
    /// Connects, and asks what the program serves.
    async fn describe(&self, stdout: ChildStdout) -> Result<Description, NotStarted> {
        let line = self.process.handshake(stdout).await?;
        let protocol = line.protocol;
        let connection = self.connect(&line).await?;
        tokio::spawn(printed(connection.clone(), Arc::clone(self.output)));
        let path = |method| {
            format!(
                "/tfplugin{protocol}.Provider/{}",
                named_in(protocol, method)
            )
        };
        let unanswered =
            |status: &Status| format!("It does not report its schema: {}.", status.message());
        let bytes = connection
            .call(&path("GetProviderSchema"), &Empty {})
            .await
            .map_err(|status| unanswered(&status))?;
        let unread =
            |problem: &dyn std::fmt::Display| format!("Its schema can't be read: {problem}.");
        let schema = if protocol == 5 {
            let schema = v5::GetProviderSchemaResponse::decode(bytes.clone())
                .map_err(|error| unread(&error))?;
            raised::response(schema).map_err(|problem| unread(&problem))?
        } else {
            v6::GetProviderSchemaResponse::decode(bytes.clone()).map_err(|error| unread(&error))?
        };
        let errors = schema
            .diagnostics
            .iter()
            .filter(|it| it.severity == 1)
            .map(|it| Diagnostic::error(&*it.summary, &*it.detail));
        let errors: Diagnostics = errors.collect();
        if !errors.is_empty() {
            return Err(NotStarted::Reported(errors));
        }
        once_each(Names::decode(bytes).map_err(|error| unread(&error))?)?;
        let identities: Result<GetResourceIdentitySchemasResponse, Status> =
            call(&connection, &path("GetResourceIdentitySchemas"), &Empty {}).await;
        let identities = match identities {
            Ok(response) => response.identity_schemas,
            // Older than identities.
            Err(status) if status.code() == Code::Unimplemented => BTreeMap::new(),
            Err(status) => return Err(unanswered(&status).into()),
        };
        Ok((connection, protocol, schema, identities))
    }

    async fn connect(&self, line: &Line) -> Result<Connection, String> {
        let failed = |error: &dyn std::fmt::Display| {
            format!("It can't be connected to at {:?}: {error}.", line.address)
        };
        let connector = TlsConnector::from(Arc::new(self.client.trusting(&line.certificate)?));
        let name = ServerName::try_from("localhost").map_err(|error| failed(&error))?;
        let connection = match line.network {
            #[cfg(unix)]
            Network::Unix => {
                let stream = tokio::net::UnixStream::connect(&line.address)
                    .await
                    .map_err(|error| failed(&error))?;
                let stream = connector.connect(name, stream).await;
                Connection::open(stream.map_err(|error| failed(&error))?).await
            }
            #[cfg(not(unix))]
            Network::Unix => {
                return Err("It listens on a Unix socket, and this system has none.".to_owned());
            }
            Network::Tcp => {
                let stream = tokio::net::TcpStream::connect(&line.address)
                    .await
                    .map_err(|error| failed(&error))?;
                let stream = connector.connect(name, stream).await;
                Connection::open(stream.map_err(|error| failed(&error))?).await
            }
        };
        connection.map_err(|error| failed(&error))
    }
}

/// The error of a description that has a name twice: a map would keep one of them.
fn once_each(names: Names) -> Result<(), String> {
    for (what, names) in [
        ("resources", names.resources),
        ("data sources", names.data_sources),
        ("functions", names.functions),
        ("ephemeral resources", names.ephemeral_resources),
        ("list resources", names.list_resources),
        ("actions", names.actions),
    ] {
        let mut before = BTreeSet::new();
        for Name { name } in names {
            if before.contains(&name) {
                return Err(format!(
                    "Two of its {what} are named {name}, so that one of them would not be served."
                ));
            }
            before.insert(name);
        }
    }
    Ok(())
}

/// Takes what the program prints by ways of go-plugin, which has it for the host.
async fn printed(connection: Connection, output: Arc<Output>) {
    let stream = connection
        .send(
            "/plugin.GRPCStdio/StreamStdio",
            None,
            super::connection::framed(&Empty {}),
        )
        .await;
    let Ok(stream) = stream else { return };
    let mut body = stream.into_body();
    let (mut bytes, mut lines) = (BytesMut::new(), [String::new(), String::new()]);
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        bytes.extend_from_slice(&data);
        while let Some(message) = next_message(&mut bytes) {
            let Ok(StdioData { channel, data }) = StdioData::decode(message) else {
                return;
            };
            // 1 is the standard output, 2 the standard error.
            let [out, err] = &mut lines;
            let line = if channel == 1 { out } else { err };
            line.push_str(&String::from_utf8_lossy(&data));
            while let Some((first, rest)) = line.split_once('\n') {
                output.line(first);
                *line = rest.to_owned();
            }
            if line.len() > LONGEST_PIECE {
                output.line(&std::mem::take(line));
            }
        }
        if bytes.len() > LONGEST_PIECE {
            return;
        }
    }
}

async fn call<Response: Message + Default>(
    connection: &Connection,
    path: &str,
    request: &impl Message,
) -> Result<Response, Status> {
    let bytes = connection.call(path, request).await?;
    Response::decode(bytes)
        .map_err(|error| Status::internal(format!("the response can't be read: {error}")))
}

fn served(block: Option<&v6::Block>) -> Result<Served, String> {
    let block = block
        .map(schema::block)
        .transpose()
        .map_err(|problem| format!("Its schema is not valid: {problem}."))?;
    let block = block.unwrap_or_else(|| Block::new([]));
    Ok(Served {
        ty: block.implied_type(),
        block,
    })
}

/// A method's name in a protocol.
fn named_in(protocol: u8, method: &str) -> &str {
    /// The names of methods that the protocols call differently, 6 and 5.
    const OTHERS: [(&str, &str); 6] = [
        ("GetProviderSchema", "GetSchema"),
        ("ValidateProviderConfig", "PrepareProviderConfig"),
        ("ConfigureProvider", "Configure"),
        ("StopProvider", "Stop"),
        ("ValidateResourceConfig", "ValidateResourceTypeConfig"),
        ("ValidateDataResourceConfig", "ValidateDataSourceConfig"),
    ];
    let pair = OTHERS
        .into_iter()
        .find(|(new, old)| [*new, *old].contains(&method));
    pair.map_or(method, |(new, old)| if protocol == 5 { old } else { new })
}

/// The stored state that a request brings, and the type that it was of if that is another one.
fn stored(method: &str, message: &Bytes) -> Option<(Option<String>, RawState)> {
    match method {
        "UpgradeResourceState" => {
            let request = UpgradeResourceStateRequest::decode(message.clone()).ok()?;
            Some((None, request.raw_state?))
        }
        "MoveResourceState" => {
            let request = MoveResourceStateRequest::decode(message.clone()).ok()?;
            Some((Some(request.source_type_name), request.source_state?))
        }
        _ => None,
    }
}

/// The secrets of stored state as a type has them, in JSON or in the flat form of Terraform 0.11.
fn secrets_of_stored(served: &Served, stored: &RawState) -> Secrets {
    let flat = || Value::from_flatmap(&stored.flatmap, &served.ty).ok();
    let value = if stored.json.is_empty() {
        flat()
    } else {
        Value::from_any_json(&stored.json).ok()
    };
    let mut secrets = Secrets::default();
    if served.block.has_secret() {
        secrets.add(&served.block, &value.unwrap_or_default());
    }
    secrets
}

/// The fields of a message that can be values; what is not one is not of the type either.
fn values(mut message: Bytes) -> Vec<DynamicValue> {
    let mut found = Vec::new();
    while message.has_remaining() {
        let Ok((tag, wire)) = decode_key(&mut message) else {
            break;
        };
        if wire != WireType::LengthDelimited {
            if skip_field(wire, tag, &mut message, DecodeContext::default()).is_err() {
                break;
            }
            continue;
        }
        let length = decode_varint(&mut message)
            .ok()
            .and_then(|length| usize::try_from(length).ok());
        let Some(length) = length.filter(|length| *length <= message.remaining()) else {
            break;
        };
        found.extend(DynamicValue::decode(message.split_to(length)));
    }
    found
}

#[cfg(test)]
mod tests {
    use upstate::schema::{Attribute, Presence};

    use super::*;
    use crate::proto::{PlanResourceChangeRequest, ReadResourceRequest};

    #[test]
    fn the_values_of_a_request_are_found_in_whatever_field_they_are() {
        let value = |bytes: &'static [u8]| {
            Some(DynamicValue {
                msgpack: Bytes::from_static(bytes),
                json: Bytes::new(),
            })
        };
        let request = PlanResourceChangeRequest {
            type_name: "a_b".to_owned(),
            prior_state: value(b"\x01"),
            config: value(b"\x02"),
            prior_private: Bytes::from_static(b"{}"),
            ..PlanResourceChangeRequest::default()
        };
        let found: Vec<Bytes> = values(request.encode_to_vec().into())
            .into_iter()
            .map(|it| it.msgpack)
            .collect();
        assert!(
            found.contains(&Bytes::from_static(b"\x01"))
                && found.contains(&Bytes::from_static(b"\x02")),
            "{found:?}"
        );
        // Cut anywhere, it is still no panic.
        let bytes = ReadResourceRequest {
            current_state: value(b"\x01"),
            ..ReadResourceRequest::default()
        }
        .encode_to_vec();
        for end in 0..bytes.len() {
            values(Bytes::copy_from_slice(&bytes[..end]));
        }
    }

    #[test]
    fn the_secrets_of_stored_state_are_found_in_both_forms_and_requests() {
        let block =
            Block::new([Attribute::new("pin", Type::String, Presence::Optional).sensitive()]);
        let served = Served {
            ty: block.implied_type(),
            block,
        };
        let json = RawState {
            json: Bytes::from_static(br#"{"pin": "sesame-1"}"#),
            ..RawState::default()
        };
        let flat = RawState {
            flatmap: [("pin".to_owned(), "sesame-1".to_owned())].into(),
            ..RawState::default()
        };
        for raw in [json, flat] {
            let upgrade = UpgradeResourceStateRequest {
                type_name: "a_b".to_owned(),
                version: 0,
                raw_state: Some(raw.clone()),
            };
            let moving = MoveResourceStateRequest {
                source_type_name: "a_c".to_owned(),
                source_state: Some(raw.clone()),
                target_type_name: "a_b".to_owned(),
                ..MoveResourceStateRequest::default()
            };
            for (method, message, source) in [
                ("UpgradeResourceState", upgrade.encode_to_vec(), None),
                (
                    "MoveResourceState",
                    moving.encode_to_vec(),
                    Some("a_c".to_owned()),
                ),
            ] {
                let (of, found) = stored(method, &message.into()).unwrap();
                assert_eq!((of, &found), (source, &raw), "{method}");
                let redacted = secrets_of_stored(&served, &found).blotted("open sesame-1");
                assert_eq!(
                    redacted.as_deref(),
                    Some("open (sensitive value)"),
                    "{method}"
                );
            }
        }
        assert_eq!(stored("ReadResource", &Bytes::new()), None);
    }

    #[test]
    fn methods_have_the_names_of_the_protocol_that_the_program_speaks() {
        assert_eq!(
            named_in(5, "ValidateResourceConfig"),
            "ValidateResourceTypeConfig"
        );
        assert_eq!(
            named_in(6, "ValidateResourceTypeConfig"),
            "ValidateResourceConfig"
        );
        assert_eq!(named_in(5, "ReadResource"), "ReadResource");
    }

    #[test]
    fn a_name_that_is_served_twice_is_refused() {
        let twice = || {
            vec![
                Name {
                    name: "a_b".to_owned(),
                },
                Name {
                    name: "a_b".to_owned(),
                },
            ]
        };
        let problem = once_each(Names {
            data_sources: twice(),
            ..Names::default()
        })
        .unwrap_err();
        assert_eq!(
            problem,
            "Two of its data sources are named a_b, so that one of them would not be served."
        );
        // A name may be of two kinds, because requests name the kind.
        let one = || {
            vec![Name {
                name: "a_b".to_owned(),
            }]
        };
        once_each(Names {
            data_sources: one(),
            resources: one(),
            ..Names::default()
        })
        .unwrap();
    }
}
