//! Requests to another server, again and again until they are answered.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, StatusCode, Url};
use serde::de::DeserializeOwned;

use super::found::too_large;
use crate::authorities;
use crate::causes::with_causes;

/// The longest time between two pieces of an answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The number of times that a request is sent.
pub(super) const ATTEMPTS: u32 = 7;

/// The first pause between two of them; each is twice as long as the one before.
pub(super) const PAUSE: Duration = Duration::from_millis(500);

/// The longest pause, also where the server names one.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// The most bytes of a document.
pub(super) const PAGE: usize = 64 << 20;

/// The form in which a server takes its token or password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Login {
    /// As `Authorization: Bearer`.
    Bearer,
    /// As `PRIVATE-TOKEN`, the header of GitLab.
    PrivateToken,
    /// As the password of this user.
    Password(String),
    /// Not at all: the server asks for none.
    Open,
}

/// A server, with a token for it.
pub(super) struct Link {
    client: Client,
    pub(super) address: Url,
    token: String,
    login: Login,
}

/// Without the token, and without the rest of the address, which may hold another one.
impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link")
            .field("host", &self.host())
            .finish_non_exhaustive()
    }
}

/// The reason for which an answer is missing.
pub(super) enum Missing {
    /// The server refuses it, with this status.
    Status(StatusCode),
    Other(String),
}

impl Link {
    /// A server at an address, which is one with TLS unless it is on this machine.
    pub(super) fn new(address: &str, token: String, login: Login) -> Result<Self, String> {
        let text = if address.contains("://") {
            address.to_owned()
        } else {
            format!("https://{address}")
        };
        // Without what is before `@`, which may be a password.
        let shown = text.rsplit_once('@').map_or(address, |(_, behind)| behind);
        let address =
            Url::parse(&text).map_err(|_| format!("{shown:?} is not the address of a server"))?;
        let host = address.host_str().unwrap_or_default();
        let is_here = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        match address.scheme() {
            "https" => {}
            "http" if is_here => {}
            _ => {
                return Err(format!(
                    "{host} is reached by https:// only, because the token and the states cross the network"
                ));
            }
        }
        let redirects = match login {
            // Followed, because the client takes the token out of requests to other servers.
            Login::Bearer | Login::Password(_) | Login::Open => Policy::default(),
            // The client does not know this header, so that the token would go with every redirect.
            Login::PrivateToken => Policy::none(),
        };
        // The client takes its cryptography from the process, where only the first choice counts,
        // so that a second one may fail.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .https_only(address.scheme() == "https")
            .connect_timeout(PATIENCE)
            .read_timeout(PATIENCE)
            .redirect(redirects)
            .user_agent(concat!("upstate-server/", env!("CARGO_PKG_VERSION")));
        let client = authorities::added(client).and_then(ClientBuilder::build);
        let client = client.map_err(|error| format!("no client can be made: {error}"))?;
        Ok(Self {
            client,
            address,
            token,
            login,
        })
    }

    pub(super) fn host(&self) -> &str {
        self.address.host_str().unwrap_or_default()
    }

    /// Sends a request until it is answered.
    async fn send(&self, url: &Url, sent: Option<&str>) -> Result<Response, Missing> {
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            let mut request = match sent {
                None => self.client.get(url.clone()),
                Some(sent) => self
                    .client
                    .post(url.clone())
                    .header("content-type", "application/json")
                    .body(sent.to_owned()),
            };
            // The token is for this server, not for a store of bytes to which it leads.
            if url.origin() == self.address.origin() {
                request = match &self.login {
                    Login::Bearer => request.bearer_auth(&self.token),
                    Login::PrivateToken => request.header("private-token", &self.token),
                    Login::Password(user) => request.basic_auth(user, Some(&self.token)),
                    Login::Open => request,
                };
                request = request.header("accept", "application/vnd.api+json, application/json");
            }
            let named = match request.send().await {
                Ok(response) if response.status() == StatusCode::OK => return Ok(response),
                Ok(response) => {
                    let status = response.status();
                    let may_pass =
                        status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
                    if !may_pass || attempt == ATTEMPTS {
                        return Err(Missing::Status(status));
                    }
                    let after = response
                        .headers()
                        .get("retry-after")
                        .and_then(|value| value.to_str().ok());
                    after
                        .and_then(|text| text.parse().ok())
                        .map(Duration::from_secs)
                }
                Err(error) => {
                    if let Some(why) = distrust(&error) {
                        return Err(Missing::Other(why));
                    }
                    if attempt == ATTEMPTS {
                        // Without the URL, which may be signed.
                        return Err(Missing::Other(with_causes(&error.without_url())));
                    }
                    None
                }
            };
            tokio::time::sleep(named.unwrap_or(pause).min(LONGEST_PAUSE)).await;
            pause = pause.saturating_mul(2);
        }
        Err(Missing::Other("it did not answer".to_owned()))
    }

    /// The body of an answer of at most so many bytes, to a request that has a body if one is sent.
    pub(super) async fn body(
        &self,
        url: &Url,
        sent: Option<&str>,
        most: usize,
    ) -> Result<Bytes, Missing> {
        let mut pause = PAUSE;
        for attempt in 1..=ATTEMPTS {
            let mut response = self.send(url, sent).await?;
            let mut bytes = Vec::new();
            let broken = loop {
                match response.chunk().await {
                    Ok(Some(chunk)) if bytes.len() + chunk.len() > most => {
                        return Err(Missing::Other(too_large(most)));
                    }
                    Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
                    Ok(None) => return Ok(bytes.into()),
                    Err(error) => break error,
                }
            };
            if attempt == ATTEMPTS {
                return Err(Missing::Other(with_causes(&broken.without_url())));
            }
            tokio::time::sleep(pause).await;
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
        Err(Missing::Other("it did not answer".to_owned()))
    }

    pub(super) fn failed(&self, of: &str, missing: &Missing) -> String {
        let host = self.host();
        match missing {
            Missing::Status(StatusCode::UNAUTHORIZED) => match &self.login {
                Login::Bearer | Login::PrivateToken => {
                    format!("{host} does not know the token ({of})")
                }
                Login::Password(user) => {
                    format!("{host} does not know user {user} with this password ({of})")
                }
                Login::Open => format!(
                    "{host} asks for a user and a password ({of}); name the user with --from-user"
                ),
            },
            Missing::Status(StatusCode::FORBIDDEN | StatusCode::NOT_FOUND) => {
                let unseen = match &self.login {
                    Login::Bearer | Login::PrivateToken => "the token may not see it".to_owned(),
                    Login::Password(user) => format!("user {user} may not see it"),
                    Login::Open => {
                        "it is seen with a user and a password only; name the user with --from-user"
                            .to_owned()
                    }
                };
                format!("{host} has no {of}, or {unseen}")
            }
            Missing::Status(status) => format!("{host} answers {status} for the {of}"),
            Missing::Other(why) => format!("{host} does not give the {of}: {why}"),
        }
    }

    /// A document, to a request that has a body if one is sent.
    pub(super) async fn json<T: DeserializeOwned>(
        &self,
        url: &Url,
        sent: Option<&str>,
        of: &str,
    ) -> Result<T, String> {
        let bytes = self
            .body(url, sent, PAGE)
            .await
            .map_err(|missing| self.failed(of, &missing))?;
        let unread = |error: serde_json::Error| {
            format!(
                "{} answers something else for the {of} (line {}, column {})",
                self.host(),
                error.line(),
                error.column()
            )
        };
        serde_json::from_slice(&bytes).map_err(unread)
    }
}

/// The reason for which the certificate of a server is not trusted, with what to do, if that is
/// what failed: another attempt fails as well.
pub(super) fn distrust(error: &(dyn Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        let failed = error.downcast_ref::<rustls::Error>();
        if let Some(failed) =
            failed.filter(|failed| matches!(failed, rustls::Error::InvalidCertificate(_)))
        {
            // No authority mends a certificate that has expired, or is that of another server.
            let is_unknown = matches!(
                failed,
                rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer)
            );
            let advice = if is_unknown {
                "; name the file of its own authority with --ca"
            } else {
                ""
            };
            return Some(format!("{failed}{advice}"));
        }
        // By itself, because the error that an I/O error wraps is not its source.
        let within = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        if let Some(why) = within.and_then(|within| distrust(within)) {
            return Some(why);
        }
        next = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use rustls::CertificateError;

    use super::*;

    #[test]
    fn a_refusal_names_who_may_not_see_it() {
        for (login, expected) in [
            (Login::Bearer, "the token may not see it"),
            (Login::PrivateToken, "the token may not see it"),
            (Login::Password("ann".to_owned()), "user ann may not see it"),
            (
                Login::Open,
                "it is seen with a user and a password only; name the user with --from-user",
            ),
        ] {
            let link = Link::new("example.com", "hunter22".to_owned(), login).expect("a server");
            let failed = link.failed("state", &Missing::Status(StatusCode::NOT_FOUND));
            assert_eq!(failed, format!("example.com has no state, or {expected}"));
        }
        let refused = Link::new(
            "https://ann:hunter22@exa mple.com/net",
            String::new(),
            Login::Open,
        )
        .expect_err("refused");
        assert_eq!(
            refused,
            "\"exa mple.com/net\" is not the address of a server"
        );
    }

    #[test]
    fn a_server_is_shown_without_its_secrets() {
        let address = "https://ann:hunter22@example.com/s3cret/net?token=hunter22";
        let link = Link::new(address, "hunter22".to_owned(), Login::Bearer).expect("a server");
        assert_eq!(format!("{link:?}"), r#"Link { host: "example.com", .. }"#);
    }

    #[test]
    fn an_authority_is_advised_only_where_one_is_missing() {
        let why = |error: CertificateError| {
            let error = std::io::Error::other(rustls::Error::InvalidCertificate(error));
            distrust(&error).expect("a reason")
        };
        let unknown = why(CertificateError::UnknownIssuer);
        assert!(
            unknown.ends_with("; name the file of its own authority with --ca"),
            "{unknown}"
        );
        for error in [
            CertificateError::Expired,
            CertificateError::NotValidForName,
            CertificateError::Revoked,
        ] {
            let other = why(error);
            assert!(
                other.starts_with("invalid peer certificate: ") && !other.contains("--ca"),
                "{other}"
            );
        }
        assert_eq!(distrust(&std::io::Error::other("refused")), None);
    }
}
