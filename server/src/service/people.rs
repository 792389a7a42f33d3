//! People who sign in with a provider: `OpenID` Connect, by the authorization code flow with PKCE,
//! state and nonce.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use super::imports::IMPORT;
use super::{Failure, NewToken, OWNER, Service, who};
use crate::identity::{Claims, Distrust, Issuers};
use crate::model::{Principal, Timestamp, TokenKind, User};
use crate::rules::{Refusal, RefusalKind};

/// For how long a session works.
const LASTS: Duration = Duration::from_hours(12);

/// The longest time between the beginning of a sign-in and its end.
const PATIENCE: Duration = Duration::from_mins(10);

/// The longest time that somebody who signs out waits for a provider.
const SOON: Duration = Duration::from_secs(2);

/// The longest reason of a provider, in bytes; the longest that is registered has 33.
const LONGEST_ERROR: usize = 50;

/// A team whose members the provider names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamClaim {
    /// The value of the claim.
    pub value: String,
    /// The organization's name.
    pub organization: String,
    /// The team's name.
    pub team: String,
}

impl std::str::FromStr for TeamClaim {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text
            .rsplit_once('=')
            .and_then(|(value, place)| Some((value, place.split_once('/')?)));
        match parts {
            Some((value, (organization, team)))
                if !value.is_empty() && !organization.is_empty() && !team.is_empty() =>
            {
                Ok(Self {
                    value: value.to_owned(),
                    organization: organization.to_owned(),
                    team: team.to_owned(),
                })
            }
            Some(_) | None => Err(format!(
                "{text:?} is not like platform=default/owners: a group, an organization and a team"
            )),
        }
    }
}

/// The provider with which people sign in.
#[derive(Clone, PartialEq, Eq)]
pub struct People {
    /// Its issuer.
    pub issuer: String,
    /// The id by which it knows this server.
    pub client: String,
    /// The secret of this server there.
    pub secret: String,
    /// The claim with the user's name.
    pub user_claim: String,
    /// The claim with the user's groups.
    pub groups_claim: String,
    /// The scopes to ask for beside `openid`, if they are not the usual ones.
    pub scopes: Option<Vec<String>>,
    /// The organization whose administrators find new users, to make them members of teams.
    pub organization: String,
    /// The teams that these groups are.
    pub teams: Vec<TeamClaim>,
}

impl People {
    /// Refuses an issuer that cannot be reached safely.
    pub fn check(&self) -> Result<(), String> {
        Issuers::new(vec![self.issuer.clone()]).check(&self.issuer)
    }

    /// The scopes of a sign-in.
    fn scope(&self, has_groups: bool) -> String {
        match &self.scopes {
            Some(scopes) => {
                let others = scopes.iter().flat_map(|scope| scope.split_whitespace());
                let others = others.filter(|scope| *scope != "openid");
                let all: Vec<&str> = ["openid"].into_iter().chain(others).collect();
                all.join(" ")
            }
            // Not of every provider, because some refuse a scope that they do not have, and give
            // groups without one.
            None if self.teams.is_empty() || !has_groups => "openid email profile".to_owned(),
            None => "openid email profile groups".to_owned(),
        }
    }

    /// True if a name or groups are missing in claims.
    fn lacks(&self, claims: &Claims) -> bool {
        !claims.has(&self.user_claim) || (!self.teams.is_empty() && !claims.has(&self.groups_claim))
    }
}

/// Without the secret.
impl fmt::Debug for People {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("People")
            .field("issuer", &self.issuer)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

/// A sign-in that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begun {
    /// The page of the provider.
    pub to: String,
    /// For the cookie of the browser that began it, and no other.
    pub cookie: String,
}

/// The answer of a provider, as the browser brings it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProviderAnswer {
    /// The state that was sent along.
    pub state: Option<String>,
    /// The code.
    pub code: Option<String>,
    /// The reason why there is none, one of those that the protocol has.
    pub error: Option<String>,
    /// The issuer, of providers that name themselves.
    pub issuer: Option<String>,
}

fn refused(detail: &str) -> Refusal {
    Refusal::new(RefusalKind::Unauthorized, detail)
}

impl Service {
    /// A value that only this service makes of a cookie. Every server on this store makes the same.
    pub(super) fn derived(&self, purpose: &str, cookie: &str) -> String {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.key) else {
            return String::new();
        };
        mac.update(format!("sign-in\n{purpose}\n{cookie}").as_bytes());
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    }

    /// The provider with which people sign in.
    fn people(&self) -> Result<&People, Refusal> {
        self.conduct
            .provider
            .as_ref()
            .ok_or_else(|| Refusal::not_found("a provider of sign-ins"))
    }

    /// Begins a sign-in that comes back to an address, and then goes on to a page.
    pub async fn begin_sign_in(&self, back: &str, next: &str) -> Result<Begun, Failure> {
        let people = self.people()?;
        let now = self.now();
        let endpoints = self
            .issuers
            .endpoints(&people.issuer, now)
            .await
            .map_err(|why| unreachable_provider(&why))?;
        let cookie = format!(
            "{}.{}.{next}",
            now.as_millis(),
            URL_SAFE_NO_PAD.encode(crate::random::secret())
        );
        let challenge =
            URL_SAFE_NO_PAD.encode(Sha256::digest(self.derived("verifier", &cookie).as_bytes()));
        let scope = people.scope(endpoints.has_groups);
        let mut to = endpoints.authorize;
        to.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &people.client)
            .append_pair("redirect_uri", back)
            .append_pair("scope", &scope)
            .append_pair("state", &self.derived("state", &cookie))
            .append_pair("nonce", &self.derived("nonce", &cookie))
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(Begun {
            to: to.into(),
            cookie,
        })
    }

    /// Ends a sign-in with what the provider sent back: the session, the page to go on to, and the
    /// ID token.
    pub async fn finish_sign_in(
        &self,
        cookie: Option<&str>,
        back: &str,
        answer: &ProviderAnswer,
        from: Option<IpAddr>,
    ) -> Result<(NewToken, String, String), Failure> {
        match self.person(cookie, back, answer).await {
            Ok((user, detail, next, id_token)) => {
                let session = self.begin_session(&user, &detail, from).await?;
                Ok((session, next, id_token))
            }
            Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::Unauthorized => {
                Err(self.failed(refusal, from).await.into())
            }
            Err(failure) => Err(failure),
        }
    }

    async fn person(
        &self,
        cookie: Option<&str>,
        back: &str,
        answer: &ProviderAnswer,
    ) -> Result<(User, String, String, String), Failure> {
        let people = self.people()?;
        let now = self.now();
        let not_begun = || refused("This sign-in was not begun in this browser, or too long ago");
        let cookie = cookie.ok_or_else(not_begun)?;
        let mut parts = cookie.splitn(3, '.');
        let (began, next) = (
            parts.next().and_then(|millis| millis.parse().ok()),
            parts.nth(1).unwrap_or_default(),
        );
        let began = began.map(Timestamp::from_millis).ok_or_else(not_begun)?;
        let state = answer.state.as_deref().unwrap_or_default();
        if !is_same(state, &self.derived("state", cookie))
            || began > now
            || began <= now.before(PATIENCE)
        {
            return Err(not_begun().into());
        }
        // RFC 9207: otherwise another provider could send its own code.
        let of_another = || refused("Another provider than that of this server answered");
        if answer
            .issuer
            .as_ref()
            .is_some_and(|issuer| *issuer != people.issuer)
        {
            return Err(of_another().into());
        }
        let Some(code) = &answer.code else {
            let is_word = |text: &&str| {
                (1..=LONGEST_ERROR).contains(&text.len())
                    && text
                        .bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            };
            let error = answer.error.as_deref().filter(is_word);
            let why = error.map_or_else(String::new, |error| format!(": {error}"));
            return Err(refused(&format!("The provider did not sign you in{why}")).into());
        };
        let endpoints = self
            .issuers
            .endpoints(&people.issuer, now)
            .await
            .map_err(|why| unreachable_provider(&why))?;
        if endpoints.names_itself && answer.issuer.is_none() {
            return Err(of_another().into());
        }
        let verifier = self.derived("verifier", cookie);
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", back),
            ("code_verifier", verifier.as_str()),
        ];
        let distrusted = |distrust: Distrust| match distrust {
            Distrust::Wrong(why) => {
                tracing::warn!(%why, "a sign-in failed");
                refused("The provider's answer was refused; the log of the server says why")
            }
            Distrust::Unreachable(_) => unreachable_provider(&distrust),
        };
        let redeemed = self
            .issuers
            .redeem(&endpoints, &people.client, &people.secret, &form)
            .await
            .map_err(distrusted)?;
        let claims = self
            .issuers
            .verify(&redeemed.token, &people.issuer, &people.client, now)
            .await
            .map_err(distrusted)?;
        let is_ours = claims.text("azp").is_none_or(|azp| azp == people.client);
        if !is_ours
            || !claims
                .text("nonce")
                .is_some_and(|nonce| is_same(nonce, &self.derived("nonce", cookie)))
        {
            return Err(distrusted(Distrust::Wrong(
                "azp or nonce is that of another sign-in".to_owned(),
            ))
            .into());
        }
        let claims = if people.lacks(&claims) {
            self.issuers
                .completed(&endpoints, &redeemed, claims)
                .await
                .map_err(distrusted)?
        } else {
            claims
        };
        let user = self.user_of_claims(people, &claims).await?;
        self.follow_groups(people, &claims, &user).await?;
        Ok((
            user,
            format!("sub {} of {}", claims.shown("sub"), people.issuer),
            next.to_owned(),
            redeemed.token,
        ))
    }

    /// The user whom a provider's claims name. A subject stays the user that it was first, and a
    /// user the subject.
    async fn user_of_claims(&self, people: &People, claims: &Claims) -> Result<User, Failure> {
        let subject = claims
            .text("sub")
            .filter(|subject| !subject.is_empty() && subject.len() <= 255);
        let subject = subject.ok_or_else(|| refused("The provider names no subject"))?;
        let subject = (people.issuer.as_str(), subject);
        if let Some(user) = self.user_of_subject(subject).await? {
            return Ok(user);
        }
        let name = claims.text(&people.user_claim);
        let name = name.ok_or_else(|| {
            refused("The provider does not say your name: the operator sets oidc-user-claim")
        })?;
        // Otherwise a person to whom the provider gives such a name would be the owner here.
        if [OWNER, IMPORT].contains(&name) {
            let detail = format!(
                "The name {name} is that of a user that this server made itself: ask an administrator of the provider for another one"
            );
            return Err(refused(&detail).into());
        }
        // Refused, because some providers take any address from their users.
        if people.user_claim == "email"
            && claims
                .values("email_verified")
                .iter()
                .any(|verified| verified == "false")
        {
            return Err(refused("The provider has not verified your e-mail address").into());
        }
        let by = format!("provider {}", people.issuer);
        let user = self.ensure_user(&by, name).await?;
        let mut entry = self.audit_now(by, "user.bind", None, &user.name);
        entry.detail = format!("sub {}", claims.shown("sub"));
        let organization = self
            .store
            .organization(&people.organization)
            .await?
            .map(|organization| organization.id);
        if self
            .store
            .bind_subject(&user.id, subject, organization.as_ref(), entry)
            .await?
        {
            return Ok(user);
        }
        // Read again, because of two first sign-ins, as of two tabs, one says whose the subject is.
        let another = || {
            refused("The provider gave your name to another person before; ask an administrator")
        };
        Ok(self.user_of_subject(subject).await?.ok_or_else(another)?)
    }

    /// The user whom a provider knows as a subject.
    async fn user_of_subject(
        &self,
        (issuer, subject): (&str, &str),
    ) -> Result<Option<User>, Failure> {
        let Some(id) = self.store.user_of_subject(issuer, subject).await? else {
            return Ok(None);
        };
        let user = self.store.user_by_id(&id).await?;
        let missing = || refused("The user of this server is missing");
        Ok(Some(user.ok_or_else(missing)?))
    }

    /// Makes a user a member of the teams that their groups are, and of no other such team.
    async fn follow_groups(
        &self,
        people: &People,
        claims: &Claims,
        user: &User,
    ) -> Result<(), Failure> {
        // Otherwise somebody in too many groups for an ID token would be in no team.
        if !people.teams.is_empty() && claims.is_elsewhere(&people.groups_claim) {
            return Err(refused(
                "You are in more groups than the provider puts into an ID token: let it name only those that are teams here",
            )
            .into());
        }
        let groups = claims.values(&people.groups_claim);
        let by = format!("provider {}", people.issuer);
        for (place, claimed) in grouped(&people.teams, &groups) {
            let Some(organization) = self.store.organization(&place.organization).await? else {
                continue;
            };
            let found = self
                .store
                .teams(&organization.id)
                .await?
                .into_iter()
                .find(|team| team.name == place.team);
            let Some(team) = found else {
                tracing::warn!(
                    organization = place.organization,
                    team = place.team,
                    "a team that the provider names is missing"
                );
                continue;
            };
            let is_member = self
                .store
                .members(&team.id)
                .await?
                .iter()
                .any(|member| member.id == user.id);
            if is_member == claimed {
                continue;
            }
            match self.set_member_by(by.clone(), &team, user, claimed).await {
                // As if it had been missing, because it was removed meanwhile.
                Err(Failure::Refused(refusal)) if refusal.kind == RefusalKind::NotFound => {}
                done => done?,
            }
        }
        Ok(())
    }

    async fn begin_session(
        &self,
        user: &User,
        detail: &str,
        from: Option<IpAddr>,
    ) -> Result<NewToken, Failure> {
        let kind = TokenKind::Session(user.id.clone());
        let (new, entry) = self.new_token(
            "",
            kind.clone(),
            (None, detail.to_owned()),
            "session of a browser",
            Some(LASTS),
            None,
        );
        let (token, name) = (new.token.id.clone(), user.name.clone());
        let principal = Principal {
            token,
            kind,
            name,
            expires_at: None,
            grants: Vec::new(),
            from,
        };
        let entry = crate::model::AuditEntry {
            who: who(&principal),
            action: "session.begin".into(),
            ..entry
        };
        if self.store.add_token(&new.token, entry).await? {
            return Ok(new);
        }
        Err(Refusal::new(
            RefusalKind::Unavailable,
            "The session was not kept; try again",
        )
        .into())
    }

    /// The page of the provider at which the person of a session signs out there, too, and which
    /// leads back to an address (`OpenID` Connect RP-Initiated Logout). The ID token, which only the
    /// browser keeps, is the hint at the person; without it the provider asks who that is, or does
    /// not go on.
    pub async fn sign_out_page(
        &self,
        principal: &Principal,
        back: &str,
        id_token: Option<&str>,
    ) -> Option<String> {
        let people = self.people().ok()?;
        if !matches!(principal.kind, TokenKind::Session(_)) {
            return None;
        }
        let (issuers, issuer) = (Arc::clone(&self.issuers), people.issuer.clone());
        let now = self.now();
        // It goes on by itself, because a provider that was asked is not asked again soon: without
        // its answer nobody could sign in until then.
        let endpoints = tokio::spawn(async move { issuers.endpoints(&issuer, now).await });
        // The session here has ended by now, also if the provider does not answer.
        let endpoints = tokio::time::timeout(SOON, endpoints)
            .await
            .ok()?
            .ok()?
            .ok()?;
        let mut page = endpoints.sign_out?;
        page.query_pairs_mut()
            .append_pair("client_id", &people.client)
            .append_pair("post_logout_redirect_uri", back);
        if let Some(hint) = id_token {
            page.query_pairs_mut().append_pair("id_token_hint", hint);
        }
        Some(page.into())
    }

    /// Ends the session of a browser. A token that is kept in one stays.
    pub async fn end_session(&self, principal: &Principal) -> Result<(), Failure> {
        if matches!(principal.kind, TokenKind::Session(_)) {
            let entry = self.audit_now(who(principal), "session.end", None, &principal.token);
            self.store.remove_token(&principal.token, entry).await?;
        }
        Ok(())
    }
}

/// The teams of groups, each once, and true if one of its groups is among them.
fn grouped<'p>(teams: &'p [TeamClaim], groups: &[String]) -> Vec<(&'p TeamClaim, bool)> {
    let mut all: Vec<(&TeamClaim, bool)> = Vec::new();
    for team in teams {
        let claimed = groups.contains(&team.value);
        match all
            .iter_mut()
            .find(|(one, _)| one.organization == team.organization && one.team == team.team)
        {
            Some((_, is)) => *is |= claimed,
            None => all.push((team, claimed)),
        }
    }
    all
}

fn unreachable_provider(distrust: &Distrust) -> Refusal {
    tracing::warn!(
        why = distrust.why(),
        "the provider of sign-ins does not answer as it should"
    );
    Refusal::new(
        RefusalKind::Unavailable,
        "The provider of sign-ins does not answer; try again, or sign in with a token",
    )
}

/// True if two strings are the same, in a time that says nothing about where they differ.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    // By their hashes, because a difference there says nothing about the strings.
    Sha256::digest(one.as_bytes()) == Sha256::digest(other.as_bytes())
}
