//! HTTP requests and their responses in the provider's log, without secrets.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::{Map, Value};
use tower_layer::Layer;
use tower_service::Service;

/// The target of the lines, so that `TF_LOG_PROVIDER_HARBOR_HTTP` is their level.
const TARGET: &str = "http";

/// In place of what must not be shown.
const REDACTED: &str = "(sensitive value)";

/// Words of names whose values are secrets.
const SECRET: [&str; 19] = [
    "accesskey",
    "apikey",
    "auth",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "jwt",
    "key",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "session",
    "sig",
    "signature",
    "token",
];

/// Words of the flags beside a value that must not be shown, as APIs have them.
const FLAGS: [&str; 4] = ["encrypted", "hidden", "masked", "sensitive"];

/// Logs HTTP requests and their responses with `tracing`, at the level `debug`: a [layer](Layer)
/// for a `tower` service, and functions for a client that takes none, such as that of `reqwest`.
/// The fields of the lines are those of `terraform-plugin-sdk`'s logging transport.
///
/// Headers, parameters of a URL and members of a JSON body are replaced by `(sensitive value)` if a
/// word of their name is that of a secret, as `key`, `password` or `token`, or if
/// [`hiding`](Self::hiding) names them; so are a user and a password in a URL, also in one that is a
/// part of a header, of a body or of an error. A member `value` of a JSON body is replaced if one
/// beside it has such a name, as in `{"name": "DB_PASSWORD", "value": "…"}`, or says that it is
/// `sensitive`, `masked`, `hidden` or `encrypted`. JSON in a string of the body is a body, too. Of
/// one that is not JSON, only the length is logged. Sensitive values of the configuration are in no
/// line of the log anyway.
///
/// ```
/// use http::{HeaderMap, Method, StatusCode};
/// use upstate_provider::HttpLog;
///
/// let log = HttpLog::new().hiding(["X-Berth"]);
/// // With `reqwest`: `request.method()`, `request.url().as_str()`, `request.headers()`, `request.body().and_then(|body| body.as_bytes())`.
/// let exchange = log.request(&Method::GET, "https://api.example.com/boats?token=sesame", &HeaderMap::new(), None);
/// exchange.response(StatusCode::OK, &HeaderMap::new(), Some(br#"{"name": "Ada"}"#));
/// ```
#[derive(Debug, Clone, Default)]
pub struct HttpLog {
    /// In small letters.
    hidden: Arc<[String]>,
}

impl HttpLog {
    /// A log that knows the usual names of secrets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Hides the values of these headers, parameters and members, too.
    #[must_use]
    pub fn hiding<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(|name| name.into().to_lowercase());
        Self {
            hidden: self.hidden.iter().cloned().chain(names).collect(),
        }
    }

    /// Logs a request that is about to be sent.
    #[must_use = "the response is logged with the request's number"]
    pub fn request(
        &self,
        method: &Method,
        url: &str,
        headers: &HeaderMap,
        body: Option<&[u8]>,
    ) -> HttpExchange {
        let exchange = HttpExchange {
            log: self.clone(),
            id: id(),
        };
        if tracing::enabled!(target: TARGET, tracing::Level::DEBUG) {
            tracing::debug!(
                target: TARGET,
                tf_http_op_type = "request",
                tf_http_trans_id = exchange.id,
                tf_http_req_method = %method,
                tf_http_req_uri = self.url(url),
                tf_http_req_headers = self.headers(headers),
                tf_http_req_body = self.body(body),
                "Sending HTTP request"
            );
        }
        exchange
    }

    fn is_secret(&self, name: &str) -> bool {
        let has_secret_word = |parted: &str| {
            let mut words = parted.split(|letter: char| !letter.is_alphanumeric());
            words.any(is_secret_word)
        };
        self.hidden.contains(&name.to_lowercase())
            // A name in another spelling may be any.
            || name.contains('%')
            || has_secret_word(&parted(name, false))
            || has_secret_word(&parted(name, true))
    }

    /// A URL without the user and the values of secret parameters.
    fn url(&self, url: &str) -> String {
        // Before all else, because a password may have a sign in it that should be encoded.
        let url = without_users(url);
        let (rest, fragment) = url
            .split_once('#')
            .map_or((&*url, None), |(rest, fragment)| (rest, Some(fragment)));
        let (place, query) = rest
            .split_once('?')
            .map_or((rest, None), |(place, query)| (place, Some(query)));
        let mut shown = place.to_owned();
        if let Some(query) = query {
            let parameter = |parameter: &str| match parameter.split_once('=') {
                Some((name, value)) if self.is_secret(name) || is_encoded_url(value) => {
                    format!("{name}={REDACTED}")
                }
                // The value may be a URL with parameters of its own, which nobody has looked at.
                _ => match parameter.split_once('?') {
                    Some((shown, _)) => format!("{shown}?{REDACTED}"),
                    None => parameter.to_owned(),
                },
            };
            shown.push('?');
            shown += &query
                .split('&')
                .map(parameter)
                .collect::<Vec<_>>()
                .join("&");
        }
        // The part after `#` is never sent.
        if fragment.is_some() {
            shown + "#…"
        } else {
            shown
        }
    }

    /// A string, whose URLs are shown as those of requests: `Location` names one, and so may an
    /// error.
    fn text(&self, text: &str) -> String {
        let shown = |piece: &str| {
            let word = piece.trim_end();
            if word.contains("://") || word.contains('?') {
                self.url(word) + piece.strip_prefix(word).unwrap_or_default()
            } else {
                piece.to_owned()
            }
        };
        text.split_inclusive(char::is_whitespace)
            .map(shown)
            .collect()
    }

    fn headers(&self, headers: &HeaderMap) -> String {
        let mut shown = Map::new();
        for name in headers.keys() {
            let values = headers.get_all(name).iter().map(|value| {
                let hidden = value.is_sensitive() || self.is_secret(name.as_str());
                if hidden {
                    REDACTED.to_owned()
                } else {
                    self.text(&String::from_utf8_lossy(value.as_bytes()))
                }
            });
            shown.insert(
                name.to_string(),
                values.collect::<Vec<_>>().join(", ").into(),
            );
        }
        Value::Object(shown).to_string()
    }

    fn body(&self, body: Option<&[u8]>) -> String {
        let Some(body) = body.filter(|body| !body.is_empty()) else {
            return String::new();
        };
        // Otherwise it is not shown, because nobody knows what is secret in it.
        self.json(body)
            .unwrap_or_else(|| format!("{} bytes", body.len()))
    }

    /// An object or array in JSON; none if it is something else.
    fn json(&self, text: &[u8]) -> Option<String> {
        match serde_json::from_slice::<Value>(text) {
            Ok(mut json @ (Value::Object(_) | Value::Array(_))) => {
                self.hide(&mut json);
                Some(json.to_string())
            }
            _ => None,
        }
    }

    /// True if a member says that the value beside it is a secret: by its name, in whatever member,
    /// or by a flag.
    fn has_secret_name(&self, members: &Map<String, Value>) -> bool {
        members.iter().any(|(member, value)| match value {
            Value::String(name) => !is_value(member) && self.is_secret(name),
            Value::Bool(is_set) => {
                let member_words = parted(member, false);
                let is_flag = member_words.split('_').any(|word| FLAGS.contains(&word));
                *is_set && (is_flag || self.is_secret(member))
            }
            Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
        })
    }

    fn hide(&self, json: &mut Value) {
        match json {
            Value::Object(members) => {
                let is_pair = self.has_secret_name(members);
                for (name, value) in members {
                    let is_hidden = self.is_secret(name) || is_pair && is_value(name);
                    if is_hidden && !value.is_null() {
                        *value = REDACTED.into();
                    } else {
                        self.hide(value);
                    }
                }
            }
            Value::Array(elements) => elements.iter_mut().for_each(|element| self.hide(element)),
            // Because policies and the settings of functions are JSON in a string of JSON.
            Value::String(text) => {
                *text = self
                    .json(text.as_bytes())
                    .unwrap_or_else(|| self.text(text));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The text without the users and passwords of the URLs in it.
fn without_users(text: &str) -> String {
    let mut pieces = text.split("://");
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        shown.push_str("://");
        let end = piece.find(['/', '?', '#']).unwrap_or(piece.len());
        let (host, _) = piece.split_at(end);
        let last = host.rfind('@');
        // Otherwise a password is shown in which there is a sign that ends hosts: all behind `:` but
        // a port begins one.
        let last = last.or_else(|| piece.rfind('@').filter(|_| !has_port_or_none(host)));
        if let Some(last) = last {
            shown.push_str(REDACTED);
            shown.push_str(piece.split_at(last).1);
        } else {
            shown.push_str(piece);
        }
    }
    shown
}

/// True if a host has a port, or nothing that looks like one.
fn has_port_or_none(host: &str) -> bool {
    let is_number = |port: &str| port.bytes().all(|digit| digit.is_ascii_digit());
    host.ends_with(']')
        || host
            .rsplit_once(':')
            .is_none_or(|(_, port)| is_number(port))
}

/// True for a value in which an encoded URL may have a user or parameters of its own: nobody
/// decodes it to look at them.
fn is_encoded_url(value: &str) -> bool {
    let lower = value.to_lowercase();
    // An encoded `%` is the beginning of something that is encoded twice.
    ["%3a%2f%2f", "%3f", "%25"]
        .into_iter()
        .any(|sign| lower.contains(sign))
}

/// True for the member of a pair that is not its name: `value`, `Values`, `parameterValue`.
fn is_value(member: &str) -> bool {
    let lower = member.to_lowercase();
    lower.trim_end_matches('s').ends_with("value")
}

/// A name in small letters with `_` before its words: `accessKey` has two, as `access_key` and
/// `ACCESS_KEY` have. So has `SSHKey` if the last of several capitals begins a word, which it does
/// not in `JWTs`.
fn parted(name: &str, by_last_capital: bool) -> String {
    let (mut parted, mut is_behind_small) = (String::new(), false);
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_last_capital = by_last_capital && letters.peek().is_some_and(|it| it.is_lowercase());
        if letter.is_uppercase() && (is_behind_small || is_last_capital) {
            parted.push('_');
        }
        is_behind_small = letter.is_lowercase();
        parted.extend(letter.to_lowercase());
    }
    parted
}

/// True for the word of a secret, and for one that begins or ends with a long one, as `authtoken`;
/// `monkey` is none.
fn is_secret_word(word: &str) -> bool {
    let is_like = |secret: &str| {
        let is_part = secret.len() > 4 && (word.starts_with(secret) || word.ends_with(secret));
        is_part || word == secret || word.strip_suffix('s') == Some(secret)
    };
    SECRET.into_iter().any(is_like)
}

/// A number of an exchange that no other one has.
fn id() -> String {
    let mut bytes = [0; 16];
    // Without random bytes the lines of several exchanges look like those of one, which is all that
    // is lost.
    let _ = getrandom::fill(&mut bytes);
    format!("{:032x}", u128::from_be_bytes(bytes))
}

/// A request that was logged, and whose response is not there yet.
#[derive(Debug)]
pub struct HttpExchange {
    log: HttpLog,
    id: String,
}

impl HttpExchange {
    /// Logs the response.
    pub fn response(self, status: StatusCode, headers: &HeaderMap, body: Option<&[u8]>) {
        if tracing::enabled!(target: TARGET, tracing::Level::DEBUG) {
            tracing::debug!(
                target: TARGET,
                tf_http_op_type = "response",
                tf_http_trans_id = self.id,
                tf_http_res_status_code = status.as_u16(),
                tf_http_res_status_reason = status.canonical_reason().unwrap_or_default(),
                tf_http_res_headers = self.log.headers(headers),
                tf_http_res_body = self.log.body(body),
                "Received HTTP response"
            );
        }
    }

    /// Logs that no response came. Secrets in URLs of the error are replaced, as that of `reqwest`
    /// names the one of the request; there must be no other in it.
    pub fn failed(self, error: &dyn fmt::Display) {
        if tracing::enabled!(target: TARGET, tracing::Level::DEBUG) {
            let error = self.log.text(&error.to_string());
            tracing::debug!(target: TARGET, tf_http_op_type = "response", tf_http_trans_id = self.id, error, "Received no HTTP response");
        }
    }
}

/// Bodies are not logged, because a service reads them as they come.
impl<S> Layer<S> for HttpLog {
    type Service = LoggedHttp<S>;

    fn layer(&self, inner: S) -> LoggedHttp<S> {
        LoggedHttp {
            log: self.clone(),
            inner,
        }
    }
}

/// A service whose requests and responses are logged; [`HttpLog`] makes it.
#[derive(Debug, Clone)]
pub struct LoggedHttp<S> {
    log: HttpLog,
    inner: S,
}

impl<S, B, R> Service<Request<B>> for LoggedHttp<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Future: Send + 'static,
    S::Error: fmt::Display,
{
    type Response = Response<R>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<R>, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let exchange = self.log.request(
            request.method(),
            &request.uri().to_string(),
            request.headers(),
            None,
        );
        let response = self.inner.call(request);
        Box::pin(async move {
            let response = response.await;
            match &response {
                Ok(response) => exchange.response(response.status(), response.headers(), None),
                Err(error) => exchange.failed(error),
            }
            response
        })
    }
}

#[cfg(test)]
mod tests;
