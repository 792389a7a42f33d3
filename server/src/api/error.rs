//! Errors as JSON:API documents.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::document::MEDIA_TYPE;
use crate::rules::{Refusal, RefusalKind};
use crate::service::Failure;

/// A failed request.
#[derive(Debug)]
pub(super) struct ApiError(pub(super) Failure);

pub(super) type ApiResult<T = Response> = Result<T, ApiError>;

impl<E: Into<Failure>> From<E> for ApiError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// The thing that was found, if the caller may see it.
pub(super) fn visible<T>(found: Result<T, Failure>) -> ApiResult<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Failure::Refused(_)) => Ok(None),
        Err(failure @ Failure::Store(_)) => Err(failure.into()),
    }
}

/// The status and title of a kind.
pub(super) const fn status(kind: RefusalKind) -> (StatusCode, &'static str) {
    match kind {
        RefusalKind::BadRequest => (StatusCode::BAD_REQUEST, "Bad Request"),
        RefusalKind::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
        RefusalKind::Forbidden => (StatusCode::FORBIDDEN, "Forbidden"),
        RefusalKind::NotFound => (StatusCode::NOT_FOUND, "not found"),
        RefusalKind::Conflict => (StatusCode::CONFLICT, "Conflict"),
        RefusalKind::Gone => (StatusCode::GONE, "Gone"),
        RefusalKind::PreconditionFailed => (StatusCode::PRECONDITION_FAILED, "Precondition Failed"),
        RefusalKind::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "Payload Too Large"),
        RefusalKind::Unprocessable => (StatusCode::UNPROCESSABLE_ENTITY, "Unprocessable Entity"),
        RefusalKind::Locked => (StatusCode::LOCKED, "Locked"),
        RefusalKind::TooMany => (StatusCode::TOO_MANY_REQUESTS, "Too Many Requests"),
        RefusalKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable"),
    }
}

/// The status of a failure; what only concerns us goes to the log and not to the client.
pub(super) fn reported(
    failure: Failure,
) -> (StatusCode, &'static str, String, Option<&'static str>) {
    match failure {
        Failure::Refused(Refusal {
            kind,
            detail,
            pointer,
        }) => {
            let (status, title) = status(kind);
            (status, title, detail, pointer)
        }
        Failure::Store(error) => {
            tracing::error!(error = %error, "the store failed");
            metrics::counter!("upstate_store_failures_total").increment(1);
            let (status, title, detail) = if error.is_passing() {
                let detail = "The store of the server takes or gives nothing just now, because its database, its bucket or its key service does \
                              not answer or is full: try again in a moment. The log of the server says why. Nothing of this request was \
                              acknowledged. If Terraform wrote errored.tfstate, keep that file and run `terraform state push errored.tfstate` later";
                (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "Service Unavailable",
                    detail,
                )
            } else {
                let detail = "The server could not read or write its store: its administrator finds the reason in its log, and has to mend it \
                              first. Nothing of this request was acknowledged. If Terraform wrote errored.tfstate, keep that file and run \
                              `terraform state push errored.tfstate` after that";
                (
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "Internal Server Error",
                    detail,
                )
            };
            (status, title, detail.to_owned(), None)
        }
    }
}

/// The seconds after which a client may try again.
pub(super) fn wait(status: StatusCode) -> Option<&'static str> {
    match status {
        StatusCode::SERVICE_UNAVAILABLE => Some("1"),
        StatusCode::TOO_MANY_REQUESTS => Some("60"),
        _ => None,
    }
}

/// A JSON:API document with one error.
pub(super) fn document(
    status: StatusCode,
    title: &str,
    detail: &str,
    pointer: Option<&str>,
) -> Response {
    let mut error = json!({ "status": status.as_str(), "title": title, "detail": detail });
    if let (Some(pointer), Some(members)) = (
        pointer.filter(|pointer| !pointer.is_empty()),
        error.as_object_mut(),
    ) {
        members.insert("source".to_owned(), json!({ "pointer": pointer }));
    }
    let body = json!({ "errors": [error] }).to_string();
    let mut response = (
        status,
        [(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE))],
        body,
    )
        .into_response();
    if status == StatusCode::UNAUTHORIZED {
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(seconds) = wait(status) {
        // Numeric, and never any X-RateLimit header: go-tfe ends the process over one that it
        // cannot read.
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    response
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, title, detail, pointer) = reported(self.0);
        document(status, title, &detail, pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StoreError;

    /// Terraform shows the detail, and nothing else, once it has tried often enough.
    #[test]
    fn a_failing_store_is_reported_with_what_to_do_and_without_its_reason() {
        for (error, expected, what_to_do) in [
            (
                StoreError::passing("s3://hunter22 did not take an object"),
                StatusCode::SERVICE_UNAVAILABLE,
                "try again in a moment",
            ),
            (
                StoreError::new("the row of hunter22 is damaged"),
                StatusCode::INTERNAL_SERVER_ERROR,
                "its administrator finds the reason in its log",
            ),
        ] {
            let (status, _, detail, _) = reported(Failure::Store(error));
            assert_eq!(status, expected, "{detail}");
            assert!(
                detail.contains(what_to_do)
                    && detail.contains("`terraform state push errored.tfstate`")
                    && !detail.contains("hunter22"),
                "{detail}"
            );
        }
    }
}
