//! A provider that is running, and its configuration.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::client::conn::http2::SendRequest;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Map, Value as Json, json};
use upstate::schema::{Field, Type};

use crate::messages::{Messages, Values};

/// A provider that is running.
pub(super) struct Running {
    child: Child,
    sender: SendRequest<Full<Bytes>>,
    /// The type of its configuration.
    configuration: Type,
    _folder: tempfile::TempDir,
}

impl Running {
    pub(super) async fn start(program: &Path, messages: &Messages) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .env_clear()
            .env(
                "TF_PLUGIN_MAGIC_COOKIE",
                "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
            )
            .env("PLUGIN_PROTOCOL_VERSIONS", "5")
            .env("TMPDIR", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let parts: Vec<&str> = line.trim().split('|').collect();
        // Its handshake: core protocol 1, plugin protocol 5, a socket, gRPC; a certificate only if
        // the host sent one.
        assert_eq!(
            (parts[0], parts[1], parts[2], parts[4]),
            ("1", "5", "unix", "grpc"),
            "{line}"
        );
        assert!(
            parts
                .get(5)
                .is_none_or(|certificate| certificate.is_empty()),
            "{line}"
        );
        let stream = tokio::net::UnixStream::connect(parts[3]).await.unwrap();
        let builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
        let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let mut running = Self {
            child,
            sender,
            configuration: Type::object(Vec::new()),
            _folder: folder,
        };
        let schema = running
            .call(messages, "GetSchema", &json!({}), &Type::Bool)
            .await;
        running.configuration = block_type(&schema["provider"]["block"]);
        running
    }

    /// The answer, or the status that the call failed with. All values in the messages are of one
    /// type.
    pub(super) async fn call(
        &mut self,
        messages: &Messages,
        method: &str,
        request: &Json,
        ty: &Type,
    ) -> Json {
        let values = Values(ty);
        let name = if method == "GetSchema" {
            "GetProviderSchema"
        } else {
            method
        };
        let encoded = messages.encode(&format!("{name}.Request"), request, &values);
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
        let status = in_headers.or_else(|| {
            body.trailers()
                .and_then(|trailers| trailers.get("grpc-status").cloned())
        });
        let status = status.unwrap().to_str().unwrap().to_owned();
        let bytes = body.to_bytes();
        if status != "0" {
            return json!({ "status": status });
        }
        messages.decode(&format!("{name}.Response"), &bytes[5..], &values)
    }

    /// Asks with a configuration of the provider: `given`, and else what makes it talk to `api`
    /// alone.
    pub(super) async fn call_with_config(
        &mut self,
        messages: &Messages,
        method: &str,
        given: &Json,
        api: &str,
    ) -> Json {
        let Type::Object(fields) = &self.configuration else {
            panic!("a configuration is an object")
        };
        let value = |field: &Field| match (given.get(field.name()), field.name()) {
            (Some(given), _) => given.clone(),
            (None, "region") => json!("eu-west-1"),
            (None, "access_key" | "secret_key") => json!("mock"),
            (None, "max_retries") => json!(1),
            (None, "endpoints") => json!([{ "ec2": api, "ssm": api }]),
            (None, name) if name.starts_with("skip_") => json!(true),
            // A block that is not written.
            (None, _) if matches!(field.ty(), Type::List(of) | Type::Set(of) if matches!(**of, Type::Object(_))) =>
            {
                json!([])
            }
            (None, _) => Json::Null,
        };
        let config: Map<String, Json> = fields
            .iter()
            .map(|field| (field.name().to_owned(), value(field)))
            .collect();
        let request = match method {
            "Configure" => json!({"terraform_version": "1.15.5", "config": config}),
            _ => json!({"config": config}),
        };
        let ty = self.configuration.clone();
        self.call(messages, method, &request, &ty).await
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn block_type(block: &Json) -> Type {
    let attribute = |attribute: &Json| {
        let ty: Type = serde_json::from_str(attribute["type"].as_str().unwrap()).unwrap();
        Field::new(attribute["name"].as_str().unwrap().to_owned(), ty)
    };
    let nested = |nested: &Json| {
        let inner = block_type(&nested["block"]);
        // 3 is a set.
        let ty = if nested["nesting"] == json!(3) {
            Type::set(inner)
        } else {
            Type::list(inner)
        };
        Field::new(nested["type_name"].as_str().unwrap().to_owned(), ty)
    };
    let list = |name: &str| block[name].as_array().cloned().unwrap_or_default();
    let mut fields: Vec<Field> = list("attributes").iter().map(attribute).collect();
    fields.extend(list("block_types").iter().map(nested));
    Type::object(fields)
}
