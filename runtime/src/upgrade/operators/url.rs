//! URLs, taken apart and put together by the rules of the web (WHATWG), as browsers have them: the
//! crate `url` knows them.
//!
//! It is behind the feature `url`, since its tables of international domain names are twenty crates
//! and more code than all of the operators. Without the feature no upgrader with such a `split`
//! compiles.

use super::scalar::{Refusal, Scalar};
use super::table::{Literal, UrlPart};
use crate::value::{Number, Value};

/// A URL that leads to a host, in its parts.
struct Url {
    whole: String,
    scheme: String,
    username: Option<String>,
    password: Option<String>,
    host: String,
    /// The port that is written, or else that of the scheme.
    port: Option<u16>,
    has_port: bool,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
}

impl Url {
    #[cfg(feature = "url")]
    fn parse(text: &str) -> Option<Self> {
        let url = url::Url::parse(text).ok()?;
        let host = url.host_str().filter(|host| !host.is_empty())?.to_owned();
        Some(Self {
            scheme: url.scheme().to_owned(),
            username: Some(url.username().to_owned()).filter(|name| !name.is_empty()),
            password: url.password().map(str::to_owned),
            host,
            port: url.port_or_known_default(),
            has_port: url.port().is_some(),
            path: url.path().to_owned(),
            query: url.query().map(str::to_owned),
            fragment: url.fragment().map(str::to_owned),
            whole: url.into(),
        })
    }

    /// Nothing is one where the rules are not known.
    #[cfg(not(feature = "url"))]
    const fn parse(_: &str) -> Option<Self> {
        None
    }

    /// The part of the URL that has this name, if it has one.
    fn part(&self, name: &str) -> Option<Scalar<'_>> {
        let text = match name {
            "scheme" => Some(&self.scheme),
            "username" => self.username.as_ref(),
            "password" => self.password.as_ref(),
            "host" => Some(&self.host),
            "port" => {
                return self
                    .port
                    .map(|port| Scalar::Number(Number::from(u64::from(port))));
            }
            "path" => Some(&self.path),
            "query" => self.query.as_ref(),
            "fragment" => self.fragment.as_ref(),
            _ => None,
        };
        text.map(|text| Scalar::Text(text.into()))
    }

    /// The parts that it need not have and has, by their names and as a sentence names them.
    fn optional_parts(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let parts = [
            ("username", "a user name", self.username.is_some()),
            ("password", "a password", self.password.is_some()),
            ("port", "a port", self.has_port),
            ("path", "a path", !matches!(&*self.path, "" | "/")),
            ("query", "a query", self.query.is_some()),
            ("fragment", "a fragment", self.fragment.is_some()),
        ];
        parts
            .into_iter()
            .filter(|(_, _, is_there)| *is_there)
            .map(|(name, noun, _)| (name, noun))
    }
}

/// A part of a URL. What none of the `taken` parts holds must not be there.
pub(super) fn part(
    text: &str,
    taken: &[UrlPart],
    name: &str,
) -> Result<Scalar<'static>, Refusal<'static>> {
    let url = Url::parse(text).ok_or(Refusal::NotUrl)?;
    let mut parts = url.optional_parts();
    if let Some((_, noun)) = parts.find(|(other, _)| !taken.iter().any(|part| part.name == *other))
    {
        return Err(Refusal::UrlPart(noun));
    }
    let default = || default_of(taken, name).map(literal);
    Ok(url
        .part(name)
        .map(Scalar::into_owned)
        .or_else(default)
        .unwrap_or(Scalar::Null))
}

fn default_of<'t>(taken: &'t [UrlPart], name: &str) -> Option<&'t Literal> {
    taken
        .iter()
        .find(|part| part.name == name)?
        .default
        .as_ref()
}

fn literal(literal: &Literal) -> Scalar<'static> {
    match literal {
        Literal::Null | Literal::EmptyList | Literal::EmptyMap => Scalar::Null,
        Literal::Bool(bool) => Scalar::Bool(*bool),
        Literal::Number(digits) => digits.parse().map_or(Scalar::Null, Scalar::Number),
        Literal::String(text) => Scalar::Text((*text).into()),
    }
}

/// Puts the parts together again; `None` if they are not those of a URL, which taken apart gives
/// them.
pub(super) fn put_together<'v>(
    taken: &[UrlPart],
    part: impl Fn(&str) -> Option<&'v Value>,
) -> Option<String> {
    let is_default = |name: &str, value: &Value| {
        default_of(taken, name).is_some_and(|default| Value::from(literal(default)) == *value)
    };
    let text = |name| {
        part(name)
            .filter(|value| !is_default(name, value))
            .and_then(Value::as_str)
    };
    let (scheme, host) = (
        part("scheme").and_then(Value::as_str)?,
        part("host").and_then(Value::as_str)?,
    );
    let mut whole = format!("{scheme}://");
    match (text("username"), text("password")) {
        (None, None) => {}
        (name, None) => whole.extend([name.unwrap_or_default(), "@"]),
        (name, Some(password)) => whole.extend([name.unwrap_or_default(), ":", password, "@"]),
    }
    whole.push_str(host);
    if let Some(Value::Number(port)) = part("port") {
        whole.extend([":", &port.to_string()]);
    }
    whole.extend(text("path"));
    for (sign, name) in [("?", "query"), ("#", "fragment")] {
        if let Some(text) = text(name) {
            whole.extend([sign, text]);
        }
    }
    let url = Url::parse(&whole)?;
    let same = |UrlPart { name, .. }: &UrlPart| {
        let made = url.part(name).map_or(Value::Null, Value::from);
        part(name).is_none_or(|value| *value == made || (made.is_null() && is_default(name, value)))
    };
    taken.iter().all(same).then_some(url.whole)
}
