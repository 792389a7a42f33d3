//! A client of the Kubernetes API for one request after the other, as the migration makes them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::kubeconfig::{self, Access, Token};

/// The time for an answer. The server gives up after a minute.
const ANSWER: Duration = Duration::from_secs(70);
/// The longest answer: a page of metadata is far from it.
const LONGEST: usize = 64 * 1024 * 1024;
/// The folder where Kubernetes puts a pod's token and the certificates of its server.
const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// A client of the Kubernetes API.
///
/// It knows the service account of a pod, and the tokens and certificates of a kubeconfig.
/// `kubectl proxy` knows all other ways in.
pub struct Client {
    host: String,
    port: u16,
    tls: Option<TlsConnector>,
    /// The name in the server's certificate, if it is not the host's.
    server_name: Option<String>,
    token: Option<Token>,
    connection: Mutex<Option<SendRequest<Full<Bytes>>>>,
}

/// A server that cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientError {
    problem: String,
}

impl ClientError {
    fn new(problem: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
        }
    }
}

upstate::__error!(
    ClientError | self | "The Kubernetes API cannot be asked: {}",
    self.problem
);

impl Client {
    /// The server of the cluster in which the program runs as a pod.
    ///
    /// # Errors
    /// The program is not in a pod with a service account.
    pub fn in_cluster() -> Result<Self, ClientError> {
        let variable = |name: &str| {
            std::env::var(name).map_err(|_| {
                ClientError::new(format!(
                    "{name} is not set, so this is not a pod of the cluster; write `--kubeconfig` with a file, or start `kubectl proxy` and write `--server http://127.0.0.1:8001`"
                ))
            })
        };
        let (host, port) = (
            variable("KUBERNETES_SERVICE_HOST")?,
            variable("KUBERNETES_SERVICE_PORT")?,
        );
        let host = if host.contains(':') {
            format!("[{host}]")
        } else {
            host
        };
        let account = Path::new(ACCOUNT);
        Self::new(&format!("https://{host}:{port}"))?
            .trusting(&account.join("ca.crt"))?
            .token(account.join("token"))
    }

    /// The server and the account of a kubeconfig, of its current context unless another is named.
    ///
    /// # Errors
    /// The file cannot be read, has no such context, or leaves something to `kubectl`, such as a
    /// program that makes tokens.
    pub fn kubeconfig(file: &Path, context: Option<&str>) -> Result<Self, ClientError> {
        let of_file = |problem: String| ClientError::new(format!("{}: {problem}", file.display()));
        let Access {
            server,
            server_name,
            authority,
            token,
            identity,
        } = kubeconfig::read(file, context).map_err(of_file)?;
        let mut client = Self::new(&server)?;
        client.server_name = server_name;
        if client.tls.is_some() {
            let authority = authority
                .ok_or_else(|| of_file("the cluster has no `certificate-authority`".to_owned()))?;
            let roots = roots(&authority)
                .map_err(|problem| of_file(format!("certificate-authority: {problem}")))?;
            let identity = identity
                .map(|pair| Self::identity(&pair))
                .transpose()
                .map_err(of_file)?;
            client.tls = Some(Self::connector(roots, identity)?);
        } else if identity.is_some() {
            return Err(of_file(
                "a certificate is shown to servers at `https://` alone".to_owned(),
            ));
        }
        match token {
            Some(token) => client.showing(token),
            None => Ok(client),
        }
    }

    /// A certificate of an account with its key, from PEM.
    fn identity((certificate, key): &(Vec<u8>, Vec<u8>)) -> Result<Identity, String> {
        let chain = CertificateDer::pem_slice_iter(certificate).collect::<Result<Vec<_>, _>>();
        // The errors are left out, because they could quote the secret of a wrong file.
        let chain = chain.map_err(|_| "client-certificate: it is not PEM".to_owned())?;
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|_| "client-key: it is not a key in PEM".to_owned())?;
        if chain.is_empty() {
            return Err("client-certificate: there is no certificate in it".to_owned());
        }
        Ok((chain, key))
    }

    /// A server, such as `http://127.0.0.1:8001` for `kubectl proxy`. One at `https://` also needs
    /// [`trusting`](Self::trusting).
    ///
    /// # Errors
    /// The URL is not one of a server alone.
    pub fn new(url: &str) -> Result<Self, ClientError> {
        let refused = || {
            ClientError::new(format!(
                "{url:?} is not `http://host:port` or `https://host:port`"
            ))
        };
        let (authority, port) = match url.trim_end_matches('/').split_once("://") {
            Some(("http", authority)) => (authority, 80),
            Some(("https", authority)) => (authority, 443),
            Some(_) | None => return Err(refused()),
        };
        let is_bare = authority.ends_with(']') || !authority.contains(':');
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !is_bare => (host, port.parse().map_err(|_| refused())?),
            Some(_) | None => (authority, port),
        };
        if host.is_empty() || host.contains(['/', '@', '?', '#']) {
            return Err(refused());
        }
        let tls = url
            .starts_with("https")
            .then(|| Self::connector(RootCertStore::empty(), None))
            .transpose()?;
        Ok(Self {
            host: host.to_owned(),
            port,
            tls,
            server_name: None,
            token: None,
            connection: Mutex::new(None),
        })
    }

    /// Trusts servers with certificates of these authorities, in a file of PEM.
    ///
    /// # Errors
    /// The file cannot be read, or holds no certificate.
    pub fn trusting(mut self, file: &Path) -> Result<Self, ClientError> {
        let shown = file.display();
        let pem =
            std::fs::read(file).map_err(|error| ClientError::new(format!("{shown}: {error}")))?;
        let roots =
            roots(&pem).map_err(|problem| ClientError::new(format!("{shown}: {problem}")))?;
        self.tls = Some(Self::connector(roots, None)?);
        Ok(self)
    }

    /// Shows a token, which is read from its file for each connection: Kubernetes replaces it every
    /// hour.
    ///
    /// # Errors
    /// The server is not one at `https://`, so the token would be sent for everybody to see.
    pub fn token(self, file: impl Into<PathBuf>) -> Result<Self, ClientError> {
        self.showing(Token::File(file.into()))
    }

    fn showing(mut self, token: Token) -> Result<Self, ClientError> {
        if self.tls.is_none() {
            return Err(ClientError::new(
                "a token is shown to servers at `https://` alone",
            ));
        }
        self.token = Some(token);
        Ok(self)
    }

    fn connector(
        roots: RootCertStore,
        identity: Option<Identity>,
    ) -> Result<TlsConnector, ClientError> {
        let failed = |error: tokio_rustls::rustls::Error| {
            ClientError::new(format!("TLS cannot be set up: {error}"))
        };
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(failed)?
            .with_root_certificates(roots);
        let config = match identity {
            Some((chain, key)) => config.with_client_auth_cert(chain, key).map_err(failed)?,
            None => config.with_no_client_auth(),
        };
        Ok(TlsConnector::from(Arc::new(config)))
    }

    async fn connect(&self) -> Result<SendRequest<Full<Bytes>>, ClientError> {
        let at = format!("{}:{}", self.host, self.port);
        let failed = |error: &dyn fmt::Display| ClientError::new(format!("{at}: {error}"));
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((bare, self.port))
            .await
            .map_err(|error| failed(&error))?;
        let _ = stream.set_nodelay(true);
        if let Some(connector) = &self.tls {
            let name = self.server_name.as_deref().unwrap_or(bare);
            let name = ServerName::try_from(name.to_owned()).map_err(|error| failed(&error))?;
            let stream = connector
                .connect(name, stream)
                .await
                .map_err(|error| failed(&error))?;
            let (sender, connection) = http1::handshake(TokioIo::new(stream))
                .await
                .map_err(|error| failed(&error))?;
            // Its error is dropped, because the request has it, too.
            tokio::spawn(async move { drop(connection.await) });
            return Ok(sender);
        }
        let (sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| failed(&error))?;
        // Dropped, as above.
        tokio::spawn(async move { drop(connection.await) });
        Ok(sender)
    }

    /// Asks the server; the answer is null where it is not JSON.
    ///
    /// # Errors
    /// The server gave no answer.
    pub(super) async fn send(
        &self,
        what: ApiRequest<'_>,
    ) -> Result<(StatusCode, Value), ClientError> {
        if let Ok(answer) = timeout(ANSWER, self.answer(what)).await {
            return answer;
        }
        // The connection may still bring the answer to this one, so that it is not used again.
        *self.connection.lock().await = None;
        Err(ClientError::new(format!(
            "{}:{} does not answer",
            self.host, self.port
        )))
    }

    async fn answer(
        &self,
        ApiRequest {
            method,
            path,
            accept,
            content,
            body,
        }: ApiRequest<'_>,
    ) -> Result<(StatusCode, Value), ClientError> {
        let failed = |error: &dyn fmt::Display| {
            ClientError::new(format!("{}:{}: {error}", self.host, self.port))
        };
        let mut connection = self.connection.lock().await;
        let mut sender = match connection.take().filter(|sender| !sender.is_closed()) {
            Some(sender) => sender,
            None => self.connect().await?,
        };
        sender.ready().await.map_err(|error| failed(&error))?;
        let body = body.map(ToString::to_string).unwrap_or_default();
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, format!("{}:{}", self.host, self.port))
            .header(ACCEPT, accept)
            .header(CONTENT_TYPE, content);
        if let Some(token) = &self.token {
            let (text, place) = match token {
                Token::Text(text) => (text.clone(), "the kubeconfig".to_owned()),
                Token::File(file) => {
                    let text = std::fs::read_to_string(file)
                        .map_err(|error| failed(&format!("{}: {error}", file.display())))?;
                    (text, file.display().to_string())
                }
            };
            let mut value = HeaderValue::from_str(&format!("Bearer {}", text.trim()))
                .map_err(|_| failed(&format!("{place}: it is not a token")))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let request = request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| failed(&error))?;
        let response = sender
            .send_request(request)
            .await
            .map_err(|error| failed(&error))?;
        let status = response.status();
        let body = Limited::new(response.into_body(), LONGEST)
            .collect()
            .await
            .map_err(|error| failed(&error))?;
        *connection = Some(sender);
        Ok((
            status,
            serde_json::from_slice(&body.to_bytes()).unwrap_or_default(),
        ))
    }
}

/// The certificates of an account, and their key.
type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The certificates in PEM, as those that are trusted.
fn roots(pem: &[u8]) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        // As with the certificate of an account.
        let certificate = certificate.map_err(|_| "it is not PEM".to_owned())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.is_empty() {
        Err("there is no certificate in it".to_owned())
    } else {
        Ok(roots)
    }
}

upstate::__debug_parts! {
    /// Says where the server is, and nothing of the token.
    Client |self| {
        host: self.host,
        port: self.port,
    }
}

/// A request.
#[derive(Debug, Clone, Copy)]
pub(super) struct ApiRequest<'a> {
    method: &'a Method,
    path: &'a str,
    accept: &'a str,
    content: &'a str,
    body: Option<&'a Value>,
}

impl<'a> ApiRequest<'a> {
    pub(super) fn get(path: &'a str) -> Self {
        Self {
            method: &Method::GET,
            path,
            accept: "application/json",
            content: "application/json",
            body: None,
        }
    }

    /// The metadata of objects.
    pub(super) fn list(path: &'a str) -> Self {
        Self {
            accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json",
            ..Self::get(path)
        }
    }

    /// The metadata of an object.
    pub(super) fn metadata(path: &'a str) -> Self {
        Self {
            accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json",
            ..Self::get(path)
        }
    }

    pub(super) fn merge(path: &'a str, body: &'a Value) -> Self {
        Self {
            method: &Method::PATCH,
            content: "application/merge-patch+json",
            body: Some(body),
            ..Self::metadata(path)
        }
    }

    pub(super) fn put(path: &'a str, body: &'a Value) -> Self {
        Self {
            method: &Method::PUT,
            body: Some(body),
            ..Self::get(path)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Client;

    #[test]
    fn a_url_is_a_server_alone() {
        for (url, host, port) in [
            ("http://127.0.0.1:8001", "127.0.0.1", 8001),
            ("https://kube.example.com/", "kube.example.com", 443),
            ("https://[::1]:6443", "[::1]", 6443),
            ("http://[::1]", "[::1]", 80),
        ] {
            let client = Client::new(url).unwrap();
            assert_eq!((&*client.host, client.port), (host, port));
        }
        for url in [
            "",
            "kube.example.com",
            "ftp://a",
            "http://",
            "http://a/b",
            "http://u@a",
            "http://a:x",
        ] {
            assert_eq!(
                Client::new(url).unwrap_err().to_string(),
                format!(
                    "The Kubernetes API cannot be asked: {url:?} is not `http://host:port` or `https://host:port`"
                )
            );
        }
    }

    #[test]
    fn a_token_is_not_shown_without_tls() {
        let refused = Client::new("http://127.0.0.1:8001")
            .unwrap()
            .token("token")
            .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "The Kubernetes API cannot be asked: a token is shown to servers at `https://` alone"
        );
    }
}
