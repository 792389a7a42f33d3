//! `terraform login`: a code that somebody agrees to on the page, and the token that Terraform gets
//! for it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use sha2::{Digest as _, Sha256};

use super::people::is_same;
use super::{Exchanged, Failure, Service, who};
use crate::model::{Permissions, Principal, Timestamp, TokenId, TokenKind};
use crate::rules::{Refusal, RefusalKind};

/// The client for which codes are made.
pub const CLIENT: &str = "terraform-cli";

/// For how long a code can be redeemed.
const PATIENCE: Duration = Duration::from_mins(5);

/// For how long the token works.
const LASTS: Duration = Duration::from_hours(30 * 24);

/// The longest state of a client, in bytes.
const LONGEST: usize = 500;

/// A request of Terraform for a code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    challenge: String,
    redirect: String,
    state: String,
}

impl Login {
    /// The ports of this machine at which Terraform waits for the code.
    pub const PORTS: RangeInclusive<u16> = 10_000..=10_010;

    /// Reads a request by its parameters. A code goes to the machine of who agrees, and nowhere
    /// else.
    pub fn read<'p>(parameter: impl Fn(&str) -> Option<&'p str>) -> Result<Self, Refusal> {
        let wrong = |detail: &str| Refusal::new(RefusalKind::BadRequest, detail);
        let text = |name: &str| parameter(name).unwrap_or_default();
        if text("client_id") != CLIENT || text("response_type") != "code" {
            return Err(wrong(
                "This page is for terraform login: client_id must be terraform-cli, and response_type code",
            ));
        }
        let challenge = text("code_challenge");
        if text("code_challenge_method") != "S256"
            || URL_SAFE_NO_PAD
                .decode(challenge)
                .map_or(0, |hash| hash.len())
                != 32
        {
            return Err(wrong(
                "The request has no code_challenge by S256, without which a code could be stolen",
            ));
        }
        let redirect = text("redirect_uri");
        if !is_own_machine(redirect) {
            return Err(wrong(
                "redirect_uri must be http://localhost with a port of terraform login, and no other machine",
            ));
        }
        if text("state").len() > LONGEST {
            return Err(wrong("state is too long"));
        }
        Ok(Self {
            challenge: challenge.to_owned(),
            redirect: redirect.to_owned(),
            state: text("state").to_owned(),
        })
    }

    /// The parameters, for the form with which somebody agrees.
    pub fn parameters(&self) -> [(&'static str, &str); 6] {
        [
            ("client_id", CLIENT),
            ("response_type", "code"),
            ("code_challenge", &self.challenge),
            ("code_challenge_method", "S256"),
            ("redirect_uri", &self.redirect),
            ("state", &self.state),
        ]
    }

    /// The address at which Terraform waits, with an answer.
    pub fn answered(&self, name: &str, value: &str) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair(name, value)
            .append_pair("state", &self.state)
            .finish();
        format!("{}?{query}", self.redirect)
    }
}

fn is_own_machine(redirect: &str) -> bool {
    let Ok(url) = Url::parse(redirect) else {
        return false;
    };
    let is_loopback = match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            let host = host
                .trim_start_matches('[')
                .trim_end_matches(']')
                .parse::<IpAddr>();
            host.is_ok_and(|address| {
                address == IpAddr::V4(Ipv4Addr::LOCALHOST)
                    || address == IpAddr::V6(Ipv6Addr::LOCALHOST)
            })
        }
        None => false,
    };
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    // The text that is sent is compared, because other readers of URLs may read another host.
    url.scheme() == "http"
        && is_loopback
        && is_plain
        && url.as_str() == redirect
        && url.port().is_some_and(|port| Login::PORTS.contains(&port))
}

/// The kind of the token that somebody may get: as much as they signed in with. Only people log in.
fn kind_for(principal: &Principal) -> Result<TokenKind, Refusal> {
    match &principal.kind {
        TokenKind::User(user) | TokenKind::Session(user) => Ok(TokenKind::User(user.clone())),
        TokenKind::Member { .. } => Ok(principal.kind.clone()),
        TokenKind::Team(_)
        | TokenKind::Organization(_)
        | TokenKind::Workspace { .. }
        | TokenKind::Workload { .. } => Err(Refusal::new(
            RefusalKind::Forbidden,
            "Only a user can log in to Terraform: sign in as one",
        )),
    }
}

impl Service {
    /// The code with which Terraform gets a token of somebody who agrees.
    pub fn agree(&self, principal: &Principal, login: &Login) -> Result<String, Refusal> {
        kind_for(principal)?;
        let until = self.now().after(PATIENCE).as_millis();
        let code = format!(
            "{until}.{}.{}",
            principal.token,
            URL_SAFE_NO_PAD.encode(crate::random::secret())
        );
        let seal = self.derived(
            "code",
            &format!("{code}\n{}\n{}", login.challenge, login.redirect),
        );
        Ok(format!("{code}.{seal}"))
    }

    /// Gives Terraform the token for a code, once.
    pub async fn redeem(
        &self,
        code: &str,
        verifier: &str,
        redirect: &str,
        from: Option<IpAddr>,
    ) -> Result<Exchanged, Failure> {
        match self.redeemed(code, verifier, redirect, from).await {
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Unauthorized => {
                Err(self.failed(refusal, from).await.into())
            }
            other => other,
        }
    }

    async fn redeemed(
        &self,
        code: &str,
        verifier: &str,
        redirect: &str,
        from: Option<IpAddr>,
    ) -> Result<Exchanged, Failure> {
        let refused = || {
            Refusal::new(
                RefusalKind::Unauthorized,
                "The code was refused: it is of use once, and for five minutes",
            )
        };
        let (sealed, seal) = code.rsplit_once('.').ok_or_else(refused)?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        if !is_same(
            seal,
            &self.derived("code", &format!("{sealed}\n{challenge}\n{redirect}")),
        ) {
            return Err(refused().into());
        }
        let mut parts = sealed.splitn(3, '.');
        let until = parts
            .next()
            .and_then(|millis| millis.parse().ok())
            .map(Timestamp::from_millis)
            .ok_or_else(refused)?;
        let (token, random) = (
            parts.next().map(TokenId::from_text).ok_or_else(refused)?,
            parts.next().unwrap_or_default(),
        );
        let now = self.now();
        if until <= now || !self.store.use_up(random, until).await? {
            return Err(refused().into());
        }
        // Who agreed may have left, or signed out, since then.
        let principal = self.store.principal_of(&token).await?.ok_or_else(refused)?;
        if principal.expires_at.is_some_and(|at| at <= now) {
            return Err(refused().into());
        }
        let kind = kind_for(&principal)?;
        let lasts = match (&principal.kind, principal.expires_at) {
            (TokenKind::Session(_), _) | (_, None) => LASTS,
            // Otherwise a token would make one that lasts longer.
            (_, Some(at)) => LASTS.min(Duration::from_millis(
                u64::try_from(at.as_millis() - now.as_millis()).unwrap_or_default(),
            )),
        };
        let (limit, organization) = match &kind {
            TokenKind::Member {
                within,
                organization,
                ..
            } => {
                let limit = if *within == Permissions::ALL {
                    String::new()
                } else {
                    format!(", of that only {within}")
                };
                (limit, Some(organization.clone()))
            }
            TokenKind::User(_)
            | TokenKind::Session(_)
            | TokenKind::Team(_)
            | TokenKind::Organization(_)
            | TokenKind::Workspace { .. }
            | TokenKind::Workload { .. } => (String::new(), None),
        };
        let detail = format!(
            "of user {}, as the user's teams allow{limit}, by terraform login",
            principal.name
        );
        let by = who(&Principal { from, ..principal });
        let (new, entry) = self.new_token(
            &by,
            kind,
            (organization, detail),
            "terraform login",
            Some(lasts),
            None,
        );
        if self.store.add_token(&new.token, entry).await? {
            return Ok(Exchanged { new, lasts });
        }
        Err(refused().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_goes_to_this_machine_only() {
        for redirect in [
            "http://localhost:10000/login",
            "http://127.0.0.1:10010/login",
            "http://[::1]:10005/login",
        ] {
            assert!(is_own_machine(redirect), "{redirect}");
        }
        let refused = [
            "http://localhost/login",
            "http://localhost:9999/login",
            "http://localhost:10011/login",
            "https://localhost:10000/login",
            "http://localhost.evil.example.com:10000/login",
            "http://localhost:10000@evil.example.com:10000/login",
            "http://evil.example.com:10000/login",
            "http://evil.example.com\\@localhost:10000/login",
            "http://127.0.0.2:10000/login",
            "http://2130706433:10000/login",
            "http://localhost:10000/login?x=1",
            "http://localhost:10000/login#x",
            "http://LOCALHOST:10000/login",
            "javascript:alert(1)",
            "",
        ];
        for redirect in refused {
            assert!(!is_own_machine(redirect), "{redirect}");
        }
    }
}
