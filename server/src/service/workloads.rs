//! Jobs of CI systems: which are trusted, and the tokens that they get for their ID tokens.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use super::{Access, Failure, NewToken, Service, accounts, who};
use crate::identity::{Claims, Distrust};
use crate::model::{
    AuditEntry, OrganizationId, Pattern, Permission, Permissions, Place, Principal, Timestamp,
    Token, TokenKind, Trust, TrustId,
};
use crate::rules::{Refusal, RefusalKind};

/// For how long the token of a job works.
const LASTS: Duration = Duration::from_hours(1);

/// The most claims of a trust.
const MOST_CLAIMS: usize = 20;

/// The longest audience, in bytes.
const LONGEST: usize = 500;

/// The most trusts of an organization.
const MOST: usize = 1000;

/// The answer while keys are missing that there may be.
const LATER: &str = "The issuer of the ID token cannot be asked for its keys just now; try again";

/// Claims that are checked in another way, or differ in every job.
const NOT_CLAIMS: [&str; 6] = ["iss", "aud", "exp", "nbf", "iat", "jti"];

/// A trust to be made.
#[derive(Debug, Clone)]
pub struct NewTrust {
    /// Its name.
    pub name: String,
    /// The issuer of the ID tokens.
    pub issuer: String,
    /// For whom they are made.
    pub audience: String,
    /// The claims that they must have.
    pub claims: BTreeMap<String, String>,
    /// The project or the workspace.
    pub place: Place,
    /// The permissions there.
    pub permissions: Permissions,
}

/// The outcome of an exchange that was not refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchanged {
    /// The token.
    pub new: NewToken,
    /// For how long it works.
    pub lasts: Duration,
}

fn wrong(pointer: &'static str, detail: impl Into<String>) -> Failure {
    Refusal::unprocessable(pointer, detail).into()
}

/// The first claim that a trust does not take, with what it takes.
fn mismatch(trust: &Trust, claims: &Claims) -> Option<String> {
    let misfit = trust
        .claims
        .iter()
        .find(|(name, pattern)| !claims.values(name).iter().any(|value| pattern.takes(value)));
    misfit.map(|(name, pattern)| {
        format!(
            "{name} is {}, expected {:?}",
            claims.shown(name),
            pattern.as_str()
        )
    })
}

impl Service {
    /// The trusts of an organization, for an administrator.
    pub async fn trusts(
        &self,
        principal: &Principal,
        organization: &str,
    ) -> Result<Vec<Trust>, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::Admin)?;
        Ok(self.store.trusts(&organization.id).await?)
    }

    /// A trust, for an administrator of its organization.
    pub async fn trust(&self, principal: &Principal, id: &TrustId) -> Result<Trust, Failure> {
        let unknown = || Refusal::not_found(format!("trust {id}"));
        let trust = self.store.trust(id).await?.ok_or_else(unknown)?;
        Access::of(principal, &trust.organization)
            .ok_or_else(unknown)?
            .require(Permission::Admin)?;
        Ok(trust)
    }

    /// Makes a trust.
    pub async fn create_trust(
        &self,
        principal: &Principal,
        organization: &str,
        new: NewTrust,
    ) -> Result<Trust, Failure> {
        let (access, organization) = self.organization(principal, organization).await?;
        access.require(Permission::Admin)?;
        self.make_trust(who(principal), organization.id, new).await
    }

    /// Makes a trust, by somebody who may.
    pub(crate) async fn make_trust(
        &self,
        by: String,
        organization: OrganizationId,
        new: NewTrust,
    ) -> Result<Trust, Failure> {
        accounts::check_name("a trust", &new.name)?;
        self.issuers
            .check(&new.issuer)
            .map_err(|why| wrong("/data/attributes/issuer", why))?;
        if new.audience.is_empty() || new.audience.len() > LONGEST {
            return Err(wrong(
                "/data/attributes/audience",
                format!("audience must have 1 to {LONGEST} characters"),
            ));
        }
        let claims = checked(new.claims)?;
        if new.permissions.is_empty() {
            return Err(wrong(
                "/data/attributes/access",
                "access is missing: name what the jobs may do",
            ));
        }
        self.check_place(&organization, &new.place).await?;
        if self.store.trusts(&organization).await?.len() >= MOST {
            return Err(Refusal::new(
                RefusalKind::Conflict,
                format!("An organization has at most {MOST} trusts"),
            )
            .into());
        }
        let NewTrust {
            name,
            issuer,
            audience,
            place,
            permissions,
            ..
        } = new;
        let created_at = self.now();
        let trust = Trust {
            id: TrustId::new(),
            organization,
            name,
            issuer,
            audience,
            claims,
            place,
            permissions,
            created_at,
        };
        let place = trust.place.id().unwrap_or_default();
        let entry = AuditEntry {
            detail: format!(
                "{} of {} may {permissions} in {} {place}",
                trust.claims_text(),
                trust.issuer,
                trust.place.name()
            ),
            ..self.of_trust(&trust, by, "trust.create")
        };
        let added = self.store.add_trust(&trust, entry).await;
        if added.map_err(|error| Failure::of_body(error, "/data/relationships"))? {
            return Ok(trust);
        }
        Err(wrong(
            "/data/attributes/name",
            "Name has already been taken",
        ))
    }

    /// Refuses a place that is not in an organization.
    async fn check_place(
        &self,
        organization: &OrganizationId,
        place: &Place,
    ) -> Result<(), Failure> {
        let (found, pointer) = match place {
            Place::Organization => (false, "/data/relationships"),
            Place::Project(id) => {
                let found = self.store.project(id).await?;
                (
                    found.is_some_and(|project| project.organization == *organization),
                    "/data/relationships/project",
                )
            }
            Place::Workspace(id) => {
                let found = self.store.snapshot(id).await?;
                (
                    found.is_some_and(|found| found.workspace.organization == *organization),
                    "/data/relationships/workspace",
                )
            }
        };
        if found {
            return Ok(());
        }
        Err(wrong(
            pointer,
            format!(
                "{} {} not found in this organization",
                place.name(),
                place.id().unwrap_or_default()
            ),
        ))
    }

    /// Removes a trust, and the tokens that jobs got by it.
    pub async fn remove_trust(&self, principal: &Principal, id: &TrustId) -> Result<(), Failure> {
        let trust = self.trust(principal, id).await?;
        self.end_trust(who(principal), &trust).await
    }

    /// Removes a trust with its tokens, by somebody who may.
    pub(crate) async fn end_trust(&self, by: String, trust: &Trust) -> Result<(), Failure> {
        let entry = self.of_trust(trust, by, "trust.remove");
        if self.store.remove_trust(&trust.id, entry).await? {
            return Ok(());
        }
        Err(Refusal::not_found(format!("trust {}", trust.id)).into())
    }

    fn of_trust(&self, trust: &Trust, who: String, action: &'static str) -> AuditEntry {
        self.audit_now(who, action, Some(trust.organization.clone()), &trust.name)
    }

    /// Gives a job a token for its ID token, if a trust takes that.
    pub async fn exchange(
        &self,
        id: &TrustId,
        id_token: &str,
        from: Option<IpAddr>,
    ) -> Result<Exchanged, Failure> {
        // One text for all reasons, so that those who try learn nothing; the audit log has the
        // reason.
        let refusal = || Refusal::new(RefusalKind::BadRequest, "The ID token was refused");
        let Some(trust) = self.store.trust(id).await? else {
            return Err(self.failed(refusal(), from).await.into());
        };
        let now = self.now();
        let verified = self
            .issuers
            .verify(id_token, &trust.issuer, &trust.audience, now)
            .await;
        let fitting = verified.and_then(|claims| match mismatch(&trust, &claims) {
            None => Ok(claims),
            Some(why) => Err(Distrust::Wrong(why)),
        });
        let claims = match fitting {
            Ok(claims) => claims,
            Err(distrust) => {
                let why = distrust.why().to_owned();
                let refusal = match distrust {
                    Distrust::Wrong(_) => refusal(),
                    Distrust::Unreachable(_) => Refusal::new(RefusalKind::Unavailable, LATER),
                };
                return Err(self.refused_job(&trust, why, refusal, from).await.into());
            }
        };
        self.give(&trust, &claims, now, from).await
    }

    /// Notes why a job gets no token by a trust; the refusal that it gets.
    async fn refused_job(
        &self,
        trust: &Trust,
        why: String,
        refusal: Refusal,
        from: Option<IpAddr>,
    ) -> Refusal {
        let stranger =
            from.map_or_else(|| "nobody".to_owned(), |from| format!("nobody from {from}"));
        let entry = AuditEntry {
            detail: why,
            ..self.of_trust(trust, stranger, "token.refuse")
        };
        self.refused_with(entry, refusal, from).await
    }

    async fn give(
        &self,
        trust: &Trust,
        claims: &Claims,
        now: Timestamp,
        from: Option<IpAddr>,
    ) -> Result<Exchanged, Failure> {
        let kind = TokenKind::Workload {
            trust: trust.id.clone(),
            organization: trust.organization.clone(),
        };
        let detail = format!("sub {}, jti {}", claims.shown("sub"), claims.shown("jti"));
        let description = format!("job {}", claims.shown("sub"));
        let place = (Some(trust.organization.clone()), detail);
        let (new, entry) = self.new_token("", kind.clone(), place, &description, Some(LASTS), None);
        let NewToken {
            token: Token { id, .. },
            ..
        } = &new;
        let job = Principal {
            token: id.clone(),
            kind,
            name: trust.name.clone(),
            expires_at: None,
            grants: Vec::new(),
            from,
        };
        let entry = AuditEntry {
            who: who(&job),
            action: "token.exchange".into(),
            at: now,
            ..entry
        };
        match self.store.add_token(&new.token, entry).await {
            Ok(true) => Ok(Exchanged { new, lasts: LASTS }),
            Err(error) if !error.breaks_reference() => Err(error.into()),
            // In the words of every other refusal, because those who try learn nothing.
            Ok(false) | Err(_) => {
                let why = "the trust was removed at the same moment".to_owned();
                let refusal = Refusal::new(RefusalKind::BadRequest, "The ID token was refused");
                Err(self.refused_job(trust, why, refusal, from).await.into())
            }
        }
    }
}

/// The claims of a trust. They must say whose jobs are meant: an issuer signs for everybody.
fn checked(claims: BTreeMap<String, String>) -> Result<BTreeMap<String, Pattern>, Failure> {
    let pointer = "/data/attributes/claims";
    if claims.len() > MOST_CLAIMS {
        return Err(wrong(
            pointer,
            format!("a trust has at most {MOST_CLAIMS} claims"),
        ));
    }
    if let Some(name) = NOT_CLAIMS
        .into_iter()
        .find(|name| claims.contains_key(*name))
    {
        return Err(wrong(
            pointer,
            format!("{name} is not for claims: name the issuer and the audience beside them"),
        ));
    }
    let read = claims.into_iter().map(|(name, pattern)| {
        let read: Result<Pattern, String> = pattern.parse();
        read.map(|pattern| (name.clone(), pattern))
            .map_err(|why| wrong(pointer, format!("{name} {why}")))
    });
    let claims: BTreeMap<String, Pattern> = read.collect::<Result<_, _>>()?;
    if claims.values().all(Pattern::is_open) {
        return Err(wrong(
            pointer,
            "claims must say whose jobs are meant, such as {\"sub\": \"repo:acme/infra:ref:refs/heads/main\"}: the issuer signs for everybody",
        ));
    }
    Ok(claims)
}
