//! Providers by their issuer, and their keys, which are kept for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Client, Url};
use serde_json::Value;
use tokio::time::timeout;

use super::address::{self, Reach};
use super::token::{self, Claims, Key, Parts, Unverified, shortened};
use crate::model::Timestamp;

/// The longest time of an answer of a provider.
const PATIENCE: Duration = Duration::from_secs(10);

/// The most bytes of such an answer.
const LARGEST: usize = 256 << 10;

/// For how long keys are taken without asking again.
const FRESH: Duration = Duration::from_hours(1);

/// For how long they are taken while the provider does not answer.
const STALE: Duration = Duration::from_hours(24);

/// The least time between two requests to a provider: tokens that name invented keys make no more.
const BETWEEN: Duration = Duration::from_secs(30);

/// The setting that allows other addresses than public ones.
const FLAG: &str = "--internal-issuers";

/// The longest issuer, in bytes.
const LONGEST: usize = 500;

/// The most providers whose keys are kept; otherwise they could fill the memory.
const MOST: usize = 1000;

/// The reason why an ID token is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distrust {
    /// It is wrong, and stays so.
    Wrong(String),
    /// The provider does not answer as it should; later it may.
    Unreachable(String),
}

impl Distrust {
    /// The reason.
    pub fn why(&self) -> &str {
        match self {
            Self::Wrong(why) | Self::Unreachable(why) => why,
        }
    }
}

/// The addresses at which a provider lets people sign in.
#[derive(Debug, Clone)]
pub struct Endpoints {
    /// The page to which a browser is sent.
    pub authorize: Url,
    /// False if the provider lists its scopes, and `groups` is not one of them.
    pub has_groups: bool,
    /// True if the provider says that it names itself in its answers.
    pub names_itself: bool,
    /// The page at which a browser signs out there, if there is one.
    pub sign_out: Option<Url>,
    token: Url,
    person: Option<Url>,
    secret_in_body: bool,
}

/// The tokens for a code.
pub struct Redeemed {
    /// The ID token.
    pub token: String,
    access: Option<String>,
}

/// Without the tokens.
impl std::fmt::Debug for Redeemed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redeemed").finish_non_exhaustive()
    }
}

/// The keys of a provider.
#[derive(Debug, Default)]
struct Known {
    about: Value,
    keys: Vec<Key>,
    fetched: Option<Timestamp>,
    tried: Option<Timestamp>,
}

/// Providers, each by its issuer.
#[derive(Debug, Default)]
pub struct Issuers {
    internal: Vec<String>,
    known: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Known>>>>,
}

impl Issuers {
    /// Providers at public addresses, and those that the operator names, which may be anywhere.
    pub fn new(internal: Vec<String>) -> Self {
        Self {
            internal,
            known: Mutex::default(),
        }
    }

    /// Refuses what is not the address of an issuer, or not one that is trusted.
    pub fn check(&self, issuer: &str) -> Result<(), String> {
        let wrong = |why: &str| {
            Err(format!(
                "an issuer is a URL such as https://gitlab.example.com; {why}"
            ))
        };
        if issuer.len() > LONGEST {
            return wrong("this one is too long");
        }
        let Ok(url) = Url::parse(issuer) else {
            return wrong("this is none");
        };
        if !url.username().is_empty()
            || url.password().is_some()
            || url.query().is_some()
            || url.fragment().is_some()
        {
            return wrong("it has no user, query or fragment");
        }
        self.reach(&url).map(drop)
    }

    /// The leave to reach a URL.
    fn reach(&self, url: &Url) -> Result<Reach, String> {
        let is_internal = self
            .internal
            .iter()
            .filter_map(|one| Url::parse(one).ok())
            .any(|one| one.origin() == url.origin());
        address::reach(url, is_internal, FLAG)
    }

    fn client(&self, url: &Url) -> Result<Client, Distrust> {
        self.reach(url)
            .map_err(Distrust::Wrong)?
            .client(PATIENCE)
            .map_err(Distrust::Unreachable)
    }

    /// An object that a provider serves to everybody, or to the holder of an access token.
    async fn object(&self, url: &Url, access: Option<&str>) -> Result<Value, Distrust> {
        let host = url.host_str().unwrap_or_default();
        let failed = |why: String| {
            Distrust::Unreachable(format!("{host} did not answer as an issuer does: {why}"))
        };
        let mut request = self
            .client(url)?
            .get(url.clone())
            .header("accept", "application/json");
        if let Some(access) = access {
            request = request.bearer_auth(access);
        }
        let mut answer = request
            .send()
            .await
            .map_err(|error| failed(error.without_url().to_string()))?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(failed(format!("status {}", answer.status())));
        }
        read(&mut answer).await.map_err(failed)
    }

    /// The configuration of a provider, and the keys that it has now.
    async fn fetch(&self, issuer: &str) -> Result<(Value, Vec<Key>), Distrust> {
        let wrong = |why: String| Distrust::Unreachable(format!("{}: {why}", shortened(issuer)));
        let about = Url::parse(&format!(
            "{}/.well-known/openid-configuration",
            issuer.trim_end_matches('/')
        ));
        let about = self
            .object(
                &about.map_err(|_| wrong("it is not a URL".to_owned()))?,
                None,
            )
            .await?;
        // Otherwise one provider could speak for another.
        if about.get("issuer").and_then(Value::as_str) != Some(issuer) {
            return Err(wrong(
                "its configuration is that of another issuer".to_owned(),
            ));
        }
        let keys = about
            .get("jwks_uri")
            .and_then(Value::as_str)
            .and_then(|uri| Url::parse(uri).ok());
        let keys = keys.ok_or_else(|| wrong("its configuration names no keys".to_owned()))?;
        let keys = token::keys(&self.object(&keys, None).await?);
        Ok((about, keys))
    }

    fn known(&self, issuer: &str) -> Arc<tokio::sync::Mutex<Known>> {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST && !all.contains_key(issuer) {
            all.clear();
        }
        Arc::clone(all.entry(issuer.to_owned()).or_default())
    }

    /// The claims of an ID token that an issuer signed, for an audience, if it is the time for it.
    /// The issuer is one that was chosen before, not the one that the token names.
    pub async fn verify(
        &self,
        token: &str,
        issuer: &str,
        audience: &str,
        now: Timestamp,
    ) -> Result<Claims, Distrust> {
        let parts = Parts::of(token).map_err(Distrust::Wrong)?;
        // Before anything is fetched, because the keys of this issuer cannot help.
        if parts.named_issuer() != Some(issuer) {
            let named = parts.named_issuer().map_or_else(
                || "missing".to_owned(),
                |named| format!("{:?}", shortened(named)),
            );
            return Err(Distrust::Wrong(format!(
                "iss is {named}, expected {issuer:?}"
            )));
        }
        let known = self.known(issuer);
        // Held while it is asked, so that all that wait have use for one answer.
        let busy = |_| Distrust::Unreachable(format!("{issuer} has not answered yet"));
        let mut known = timeout(PATIENCE * 2, known.lock()).await.map_err(busy)?;
        let (mut failed, mut is_renewed) = (None, false);
        if !since(known.fetched, now, FRESH) && !since(known.tried, now, BETWEEN) {
            (failed, is_renewed) = (self.renew(&mut known, issuer, now).await.err(), true);
        }
        let mut verified = parts.verified(&known.keys);
        // A wrong signature, too, may be that of a newer key, because some providers make one of the
        // same name with each start.
        if verified.is_err() && !since(known.tried, now, BETWEEN) {
            (failed, is_renewed) = (self.renew(&mut known, issuer, now).await.err(), true);
            verified = parts.verified(&known.keys);
        }
        if !since(known.fetched, now, STALE) {
            let later = || {
                Distrust::Unreachable(format!(
                    "{issuer} did not answer a moment ago; try again soon"
                ))
            };
            return Err(failed.unwrap_or_else(later));
        }
        drop(known);
        let claims = match (verified, failed) {
            (Ok(claims), _) => claims,
            (Err(Unverified::NoKey(_)), Some(failed)) => return Err(failed),
            (Err(Unverified::NoKey(why)), None) if !is_renewed => {
                return Err(Distrust::Unreachable(why));
            }
            (Err(Unverified::NoKey(why) | Unverified::Wrong(why)), _) => {
                return Err(Distrust::Wrong(why));
            }
        };
        claims
            .check(issuer, audience, now)
            .map_err(Distrust::Wrong)?;
        Ok(claims)
    }

    /// The places to which people are sent, and where codes are redeemed.
    pub async fn endpoints(&self, issuer: &str, now: Timestamp) -> Result<Endpoints, Distrust> {
        let known = self.known(issuer);
        let mut known = timeout(PATIENCE * 2, known.lock())
            .await
            .map_err(|_| Distrust::Unreachable(format!("{issuer} has not answered yet")))?;
        let mut failed = None;
        if !since(known.fetched, now, FRESH) && !since(known.tried, now, BETWEEN) {
            failed = self.renew(&mut known, issuer, now).await.err();
        }
        let text = |name: &str| {
            known
                .about
                .get(name)
                .and_then(Value::as_str)
                .and_then(|text| Url::parse(text).ok())
        };
        let (Some(authorize), Some(token)) =
            (text("authorization_endpoint"), text("token_endpoint"))
        else {
            let incomplete =
                || Distrust::Unreachable(format!("{issuer} names no endpoints for sign-ins"));
            return Err(failed.unwrap_or_else(incomplete));
        };
        let methods = known
            .about
            .get("token_endpoint_auth_methods_supported")
            .and_then(Value::as_array);
        let takes = |name: &str| {
            methods.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
        };
        let scopes = known
            .about
            .get("scopes_supported")
            .and_then(Value::as_array);
        let has_groups =
            scopes.is_none_or(|all| all.iter().any(|one| one.as_str() == Some("groups")));
        let names_itself = known
            .about
            .get("authorization_response_iss_parameter_supported")
            .and_then(Value::as_bool)
            .unwrap_or_default();
        let sign_out =
            text("end_session_endpoint").filter(|page| page.scheme() == authorize.scheme());
        // `client_secret_basic` is the default of OpenID Connect Discovery.
        let secret_in_body = takes("client_secret_post") && !takes("client_secret_basic");
        Ok(Endpoints {
            authorize,
            has_groups,
            names_itself,
            sign_out,
            token,
            person: text("userinfo_endpoint"),
            secret_in_body,
        })
    }

    /// The tokens for a code.
    pub async fn redeem(
        &self,
        endpoints: &Endpoints,
        client: &str,
        secret: &str,
        form: &[(&str, &str)],
    ) -> Result<Redeemed, Distrust> {
        let url = &endpoints.token;
        let host = url.host_str().unwrap_or_default();
        let failed =
            |why: String| Distrust::Unreachable(format!("{host} did not redeem the code: {why}"));
        let in_body: &[(&str, &str)] = if endpoints.secret_in_body {
            &[("client_id", client), ("client_secret", secret)]
        } else {
            &[]
        };
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(form)
            .extend_pairs(in_body)
            .finish();
        let mut request = self
            .client(url)?
            .post(url.clone())
            .header("accept", "application/json");
        if !endpoints.secret_in_body {
            // RFC 6749, section 2.3.1: encoded as in a form, before base64.
            let encoded =
                |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            request = request.basic_auth(encoded(client), Some(encoded(secret)));
        }
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body);
        let mut answer = request
            .send()
            .await
            .map_err(|error| failed(error.without_url().to_string()))?;
        let status = answer.status();
        let body = read(&mut answer).await.map_err(failed)?;
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        if status != reqwest::StatusCode::OK {
            return Err(Distrust::Wrong(format!(
                "{host} did not redeem the code: {status} {}",
                shortened(text("error").unwrap_or_default())
            )));
        }
        let token = text("id_token")
            .map(str::to_owned)
            .ok_or_else(|| failed("its answer has no ID token".to_owned()))?;
        let access = text("access_token").map(str::to_owned);
        Ok(Redeemed { token, access })
    }

    /// The claims of the ID token, and those that the provider gives out for the access token beside
    /// it: it need not put names and groups into an ID token (`OpenID` Connect Core, section 5.4).
    pub async fn completed(
        &self,
        endpoints: &Endpoints,
        redeemed: &Redeemed,
        claims: Claims,
    ) -> Result<Claims, Distrust> {
        let (Some(url), Some(access)) = (&endpoints.person, &redeemed.access) else {
            return Ok(claims);
        };
        let more = self.object(url, Some(access)).await?;
        claims.completed(more).map_err(Distrust::Wrong)
    }

    async fn renew(&self, known: &mut Known, issuer: &str, now: Timestamp) -> Result<(), Distrust> {
        known.tried = Some(now);
        (known.about, known.keys) = self.fetch(issuer).await?;
        known.fetched = Some(now);
        Ok(())
    }
}

/// True if something was less than a time ago.
fn since(at: Option<Timestamp>, now: Timestamp, time: Duration) -> bool {
    at.is_some_and(|at| at <= now && at > now.before(time))
}

/// Reads an answer of a bounded length.
async fn read(answer: &mut reqwest::Response) -> Result<Value, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer
        .chunk()
        .await
        .map_err(|error| error.without_url().to_string())?
    {
        if bytes.len() + chunk.len() > LARGEST {
            return Err(format!("more than {LARGEST} bytes"));
        }
        bytes.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&bytes).map_err(|_| "no JSON".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_issuers_are_taken() {
        let issuers = Issuers::new(vec![
            "https://gitlab.corp".to_owned(),
            "http://127.0.0.1:9".to_owned(),
            "http://gitlab.corp".to_owned(),
        ]);
        for issuer in [
            "https://token.actions.githubusercontent.com",
            "https://gitlab.corp",
            "https://1.1.1.1",
            "http://127.0.0.1:9",
        ] {
            assert_eq!(issuers.check(issuer), Ok(()), "{issuer}");
        }
        let refused = [
            "http://token.actions.githubusercontent.com",
            "http://gitlab.corp",
            "http://127.0.0.1:10",
            "https://127.0.0.1",
            "https://169.254.169.254/latest",
            "https://2852039166",
            "https://[::1]",
            "https://user@example.com",
            "https://example.com?x=1",
            "https://example.com#x",
            "file:///etc/passwd",
            "example.com",
        ];
        for issuer in refused {
            assert!(issuers.check(issuer).is_err(), "{issuer}");
        }
    }
}
