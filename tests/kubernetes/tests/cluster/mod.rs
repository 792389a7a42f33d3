//! A real kube-apiserver with etcd, and clients of it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use upstate_kube::program::Client;

/// A program that ends with the test.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) struct Cluster {
    folder: tempfile::TempDir,
    _programs: [Running; 2],
    address: SocketAddr,
    etcd: SocketAddr,
    client: Arc<ClientConfig>,
}

/// The folder of kube-apiserver and etcd.
fn binaries() -> PathBuf {
    if let Some(folder) = std::env::var_os("KUBEBUILDER_ASSETS") {
        return PathBuf::from(folder);
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || {
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .ancestors()
                .map(|folder| folder.join("target"))
                .find(|folder| folder.join("kube-apiserver").is_dir())
                .unwrap_or_default()
        },
        PathBuf::from,
    );
    target.join("kube-apiserver/bin")
}

pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

fn run(program: &Path, log: &Path, arguments: &[String]) -> Running {
    let log = std::fs::File::create(log).unwrap();
    let child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(log)
        .spawn();
    Running(child.unwrap_or_else(|error| {
        panic!(
            "{}: {error}; `.ci/kube-apiserver target/kube-apiserver` builds it",
            program.display()
        )
    }))
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, text: String| std::fs::write(path(name), text).unwrap();
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority
            .distinguished_name
            .push(DnType::CommonName, "authority");
        let authority =
            CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        write("ca.crt", authority.pem());
        let server_key = KeyPair::generate().unwrap();
        let server = CertificateParams::new(vec!["127.0.0.1".to_owned()])
            .unwrap()
            .signed_by(&server_key, &authority)
            .unwrap();
        write("server.crt", server.pem());
        write("server.key", server_key.serialize_pem());
        let admin_key = KeyPair::generate().unwrap();
        let mut admin = CertificateParams::new(Vec::new()).unwrap();
        admin
            .distinguished_name
            .push(DnType::OrganizationName, "system:masters");
        admin.distinguished_name.push(DnType::CommonName, "admin");
        let admin = admin.signed_by(&admin_key, &authority).unwrap();
        let accounts = KeyPair::generate().unwrap();
        write("accounts.pub", accounts.public_key_pem());
        write("accounts.key", accounts.serialize_pem());

        write("token", "secret".to_owned());
        write(
            "tokens.csv",
            "secret,admin,1,\"system:masters\"\n".to_owned(),
        );

        let (clients, peers, api) = (free_port(), free_port(), free_port());
        let text = |name: &str| path(name).display().to_string();
        let etcd = [
            format!("--data-dir={}", text("etcd")),
            format!("--listen-client-urls=http://127.0.0.1:{clients}"),
            format!("--advertise-client-urls=http://127.0.0.1:{clients}"),
            format!("--listen-peer-urls=http://127.0.0.1:{peers}"),
        ];
        let server = [
            format!("--etcd-servers=http://127.0.0.1:{clients}"),
            format!("--secure-port={api}"),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--cert-dir={}", text("certs")),
            format!("--tls-cert-file={}", text("server.crt")),
            format!("--tls-private-key-file={}", text("server.key")),
            format!("--client-ca-file={}", text("ca.crt")),
            "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
            format!(
                "--service-account-signing-key-file={}",
                text("accounts.key")
            ),
            format!("--service-account-key-file={}", text("accounts.pub")),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
            format!("--token-auth-file={}", text("tokens.csv")),
            "--authorization-mode=RBAC".to_owned(),
            "--disable-admission-plugins=ServiceAccount".to_owned(),
        ];
        let programs = [
            run(&binaries().join("etcd"), &path("etcd.log"), &etcd),
            run(
                &binaries().join("kube-apiserver"),
                &path("server.log"),
                &server,
            ),
        ];
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).unwrap();
        let key = PrivateKeyDer::try_from(admin_key.serialize_der()).unwrap();
        let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions();
        let client = client
            .unwrap()
            .with_root_certificates(roots)
            .with_client_auth_cert(vec![admin.der().clone()], key)
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], api));
        let etcd = SocketAddr::from(([127, 0, 0, 1], clients));
        let cluster = Self {
            folder,
            _programs: programs,
            address,
            etcd,
            client: Arc::new(client),
        };
        let begun = Instant::now();
        while !matches!(
            cluster.try_ask("GET", "/readyz", "", "").await,
            Ok((200, _))
        ) {
            if begun.elapsed() > Duration::from_mins(2) {
                let log = std::fs::read_to_string(cluster.folder.path().join("server.log"))
                    .unwrap_or_default();
                panic!(
                    "the server is not ready: {}",
                    log.lines().rev().take(20).collect::<Vec<_>>().join("\n")
                );
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        cluster
    }

    /// A file with which other programs find the server.
    pub(crate) fn config(&self) -> PathBuf {
        let file = self.folder.path().join("config");
        let authority = self.folder.path().join("ca.crt");
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": format!("https://{}", self.address), "certificate-authority": authority}}],
            "users": [{"name": "test", "user": {"token": "secret"}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        });
        std::fs::write(&file, config.to_string()).unwrap();
        file
    }

    /// A request of HTTP/1.0, so that the answer ends with the connection: its head, and its body.
    async fn exchange(
        &self,
        method: &str,
        path: &str,
        content: &str,
        body: &str,
    ) -> std::io::Result<(String, String)> {
        let stream = TcpStream::connect(self.address).await?;
        let mut stream = TlsConnector::from(Arc::clone(&self.client))
            .connect(ServerName::try_from("127.0.0.1").unwrap(), stream)
            .await?;
        let head = format!(
            "{method} {path} HTTP/1.0\r\nhost: localhost\r\naccept: application/json\r\ncontent-type: {content}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        let mut answer = Vec::new();
        // The server need not say goodbye.
        let _ = stream.read_to_end(&mut answer).await;
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        Ok((head.to_owned(), body.to_owned()))
    }

    async fn try_ask(
        &self,
        method: &str,
        path: &str,
        content: &str,
        body: &str,
    ) -> std::io::Result<(u16, String)> {
        let (head, body) = self.exchange(method, path, content, body).await?;
        Ok((
            head.split(' ')
                .nth(1)
                .and_then(|status| status.parse().ok())
                .unwrap_or(0),
            body,
        ))
    }

    /// The warnings that come with what is read there.
    pub(crate) async fn warnings(&self, path: &str) -> Vec<String> {
        let (head, _) = self.exchange("GET", path, "", "").await.unwrap();
        head.lines()
            .filter_map(|line| line.strip_prefix("Warning: "))
            .map(str::to_owned)
            .collect()
    }

    pub(crate) async fn ask(
        &self,
        method: &str,
        path: &str,
        content: &str,
        body: &Value,
    ) -> (u16, Value) {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let (status, text) = self.try_ask(method, path, content, &body).await.unwrap();
        (
            status,
            serde_json::from_str(&text).unwrap_or(Value::String(text)),
        )
    }

    /// A request that succeeds.
    pub(crate) async fn done(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.ask(method, path, "application/json", body).await;
        assert!(
            (200..300).contains(&status),
            "{method} {path}: {status} {answer}"
        );
        answer
    }

    /// A client as a program in the cluster has it.
    pub(crate) fn program(&self) -> Client {
        let path = |name: &str| self.folder.path().join(name);
        Client::new(&format!("https://{}", self.address))
            .unwrap()
            .trusting(&path("ca.crt"))
            .unwrap()
            .token(path("token"))
            .unwrap()
    }

    /// A URL without TLS, as `kubectl proxy` has one.
    pub(crate) async fn proxy(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (connector, address) = (TlsConnector::from(Arc::clone(&self.client)), self.address);
        tokio::spawn(async move {
            loop {
                let (mut plain, _) = listener.accept().await.unwrap();
                let connector = connector.clone();
                tokio::spawn(async move {
                    let stream = TcpStream::connect(address).await.unwrap();
                    let name = ServerName::try_from("127.0.0.1").unwrap();
                    let mut stream = connector.connect(name, stream).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut plain, &mut stream).await;
                });
            }
        });
        url
    }

    /// A client of kube-rs.
    pub(crate) async fn kube_rs(&self) -> kube::Client {
        let url = self.proxy().await;
        kube::Client::try_from(kube::Config::new(url.parse().unwrap())).unwrap()
    }

    /// The versions of all boats in etcd, with their number.
    pub(crate) async fn stored(&self) -> BTreeMap<String, usize> {
        let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
        let range = json!({"key": base64("/registry/ferry.example.com/boats/"), "range_end": base64("/registry/ferry.example.com/boats0")});
        let range = self.of_etcd("/v3/kv/range", &range).await;
        let mut found = BTreeMap::new();
        for object in range["kvs"].as_array().into_iter().flatten() {
            let object = base64::engine::general_purpose::STANDARD
                .decode(object["value"].as_str().unwrap())
                .unwrap();
            let object: Value = serde_json::from_slice(&object).unwrap();
            *found
                .entry(object["apiVersion"].as_str().unwrap().to_owned())
                .or_default() += 1;
        }
        found
    }

    /// Lets etcd forget what was before a revision.
    pub(crate) async fn compact(&self, revision: &str) {
        self.of_etcd(
            "/v3/kv/compaction",
            &json!({"revision": revision, "physical": true}),
        )
        .await;
    }

    async fn of_etcd(&self, path: &str, request: &Value) -> Value {
        let body = request.to_string();
        let mut stream = TcpStream::connect(self.etcd).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.0\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// Changes the spec of a definition.
    pub(crate) async fn redefine(&self, name: &str, spec: &Value) {
        let path = format!("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}");
        let mut definition = self.done("GET", &path, &Value::Null).await;
        definition["spec"] = spec.clone();
        self.done("PUT", &path, &definition).await;
        // The server takes a moment to notice.
        tokio::time::sleep(Duration::from_secs(4)).await;
    }

    pub(crate) async fn define(&self, definition: &Value) {
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        self.done("POST", path, definition).await;
        let path = format!(
            "{path}/{}",
            definition["metadata"]["name"].as_str().unwrap()
        );
        let begun = Instant::now();
        loop {
            let found = self.done("GET", &path, &Value::Null).await;
            let conditions = found["status"]["conditions"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            if conditions.iter().any(|condition| {
                condition["type"] == "Established" && condition["status"] == "True"
            }) {
                // As many versions as were sent, because the server drops what it does not know.
                assert_eq!(
                    found["spec"]["versions"].as_array().unwrap().len(),
                    definition["spec"]["versions"].as_array().unwrap().len()
                );
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{found}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        // The condition is there a moment before the paths are.
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}
