//! The visitor of a page, their request and their form.

use std::sync::Arc;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};

use super::form::Form;
use super::frame::{Section, Top};
use super::notice::Notice;
use super::session::Session;
use super::{Problem, Refused, Web, owner};
use crate::model::{Lock, OrganizationId, Permission, Principal, Timestamp};
use crate::rules::{Refusal, RefusalKind};
use crate::service::{Failure, is_own};
use crate::store::{Page, StoreError};
use crate::traffic::{Caller, Client, PRINCIPAL};

/// The number of rows on a page.
const SIZE: u32 = 50;

/// Somebody who has signed in.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    pub(super) session: Session,
    pub(super) principal: Principal,
    /// The names of the organizations that they see, if there are several.
    organizations: Arc<[String]>,
    /// The page that they requested.
    pub(super) path: String,
    /// The moment when they did.
    pub(super) now: Timestamp,
    /// True if people sign in with a provider.
    provider: bool,
    /// The outcome of the form that led here.
    pub(super) notice: Option<Notice>,
    /// The reason why the form of the page was refused.
    pub(super) problem: Option<String>,
}

impl Visitor {
    async fn of(web: &Web, parts: &Parts) -> Result<Self, Refused> {
        let refused = |failure| Refused {
            from: None,
            failure,
            next: Some(next(parts).into()),
            provider: web.has_provider(),
        };
        let unknown = || Failure::from(Refusal::new(RefusalKind::Unauthorized, String::new()));
        let session = Session::of(&parts.headers, web.secure).ok_or_else(|| refused(unknown()))?;
        match web
            .service
            .sign_in_session(session.token(), Client::of(&parts.extensions))
            .await
        {
            Ok(principal) => {
                tracing::Span::current().record(PRINCIPAL, tracing::field::display(&principal));
                Caller::note(&parts.extensions, &principal);
                let organizations = organizations(web, &principal)
                    .await
                    .map_err(|error| refused(error.into()))?;
                Ok(Self {
                    session,
                    principal,
                    organizations: organizations.into(),
                    path: parts.uri.path().to_owned(),
                    now: web.service.now(),
                    provider: web.has_provider(),
                    notice: Notice::of(&parts.headers),
                    problem: parts
                        .extensions
                        .get::<Problem>()
                        .map(|Problem(why)| why.clone()),
                })
            }
            Err(failure) => Err(refused(failure)),
        }
    }

    /// The result of a use, or the page with the reason why there is none.
    pub(super) fn reported<T, E: Into<Failure>>(&self, done: Result<T, E>) -> Result<T, Refused> {
        done.map_err(|failure| self.refused(failure.into()))
    }

    fn refused(&self, failure: Failure) -> Refused {
        let from = Some(Box::new((
            self.session.clone(),
            Arc::clone(&self.organizations),
        )));
        Refused {
            from,
            failure,
            next: Some(self.path.as_str().into()),
            provider: self.provider,
        }
    }

    /// The head of a page of an organization, or of none.
    pub(super) fn top<'v>(&'v self, here: Option<&'v str>, section: Option<Section>) -> Top<'v> {
        Top {
            session: &self.session,
            organizations: &self.organizations,
            here,
            section,
        }
    }

    /// The contents of a state, or the reason why it cannot be read: a part of the page, since the
    /// rest can be shown.
    pub(super) fn of_state<T>(
        &self,
        read: Result<T, Failure>,
    ) -> Result<Result<T, Refusal>, Refused> {
        match read {
            Ok(read) => Ok(Ok(read)),
            Err(Failure::Refused(refusal)) => Ok(Err(refusal)),
            Err(failure) => Err(self.refused(failure)),
        }
    }

    /// True if a lock is theirs, so that it does not keep them from anything.
    pub(super) fn holds(&self, lock: &Lock) -> bool {
        is_own(&self.principal, lock)
    }

    /// True if they have a permission in an organization: what they may not do is not offered.
    pub(super) fn may(&self, organization: &OrganizationId, permission: Permission) -> bool {
        self.principal.permissions(organization).allow(permission)
    }
}

/// The names of the organizations that somebody sees, if there are several: mostly there is one,
/// and nothing is looked up.
async fn organizations(web: &Web, principal: &Principal) -> Result<Vec<String>, StoreError> {
    if principal.organizations().len() < 2 {
        return Ok(Vec::new());
    }
    let all = web.service.store().organizations().await?;
    Ok(all
        .into_iter()
        .filter(|one| principal.sees(&one.id))
        .map(|one| one.name)
        .collect())
}

/// The page that somebody gets to after signing in: the one that they requested, or that of the
/// form that they sent.
fn next(parts: &Parts) -> String {
    let path = parts.uri.path();
    if parts.method == Method::GET || parts.method == Method::HEAD {
        return parts
            .uri
            .path_and_query()
            .map_or(path, |all| all.as_str())
            .to_owned();
    }
    owner(path).unwrap_or_else(|| path.to_owned())
}

impl FromRequestParts<Arc<Web>> for Visitor {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, web: &Arc<Web>) -> Result<Self, Refused> {
        Self::of(web, parts).await
    }
}

/// A form that somebody sent from a page that was made for them.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) visitor: Visitor,
    pub(super) form: Form,
}

impl FromRequest<Arc<Web>> for Sent {
    type Rejection = Refused;

    async fn from_request(request: Request, web: &Arc<Web>) -> Result<Self, Refused> {
        let (parts, body) = request.into_parts();
        let visitor = Visitor::of(web, &parts).await?;
        visitor.reported(own_form(web, &parts.headers))?;
        let form = visitor.reported(Form::read(&web.forms, &parts.headers, body).await)?;
        if form.took_long {
            visitor.reported(web.service.still_may(&visitor.principal).await)?;
        }
        if !visitor.session.made(form.get("csrf").unwrap_or_default()) {
            let why = "This form was not made for you, or another person has signed in here. Go back, load the page again, and try again.";
            return visitor.reported(Err(Refusal::new(RefusalKind::Forbidden, why)));
        }
        Ok(Self { visitor, form })
    }
}

/// Refuses a form that another site sent. Browsers say where a form is from in one header or in
/// both; other programs in none, and they have no cookie of somebody else either.
pub(super) fn own_form(web: &Web, headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |name| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    // Under another name than the one that is set, the server is still the one that the browser
    // speaks to.
    let is_own = |origin: &str| {
        let host = origin.split_once("://").map(|(_, host)| host);
        origin == web.origin || (host.is_some() && host == text(header::HOST.as_str()))
    };
    let is_of_another_site =
        text("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none");
    if is_of_another_site || text(header::ORIGIN.as_str()).is_some_and(|origin| !is_own(origin)) {
        return Err(Refusal::new(
            RefusalKind::Forbidden,
            "Another site sent this form. Do it on this page.",
        ));
    }
    Ok(())
}

/// The parameters of the URL.
#[derive(Debug)]
pub(super) struct Requested(Vec<(String, String)>);

impl Requested {
    /// A parameter that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(key, value)| key == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// All values of a parameter, such as workspaces that are ticked.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(key, value)| key == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// A parameter that is a whole number, such as a schema version.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Refusal> {
        let wrong = |text: &str| {
            Refusal::new(
                RefusalKind::BadRequest,
                format!("{name} must be a whole number, found {text:?}"),
            )
        };
        self.get(name)
            .map(|text| text.parse::<u64>().map_err(|_| wrong(text)))
            .transpose()
    }

    /// The page of a list.
    pub(super) fn page(&self) -> Page {
        let number = self
            .get("page")
            .and_then(|number| number.parse().ok())
            .filter(|number| *number > 0);
        Page {
            number: number.unwrap_or(1),
            size: SIZE,
        }
    }

    /// The parameters with another page.
    pub(super) fn with_page(&self, number: u64) -> String {
        let others = self
            .0
            .iter()
            .filter(|(key, value)| key != "page" && !value.is_empty());
        let mut query = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
        query
            .extend_pairs(others)
            .append_pair("page", &number.to_string());
        query.finish()
    }
}

impl<S: Sync> FromRequestParts<S> for Requested {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(
            form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        ))
    }
}
