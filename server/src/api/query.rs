//! Query parameters: pages, filters, `include`.

use std::convert::Infallible;
use std::fmt::Write as _;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

use super::App;
use crate::rules::{Refusal, RefusalKind};
use crate::store::Page;

/// The query of a request, decoded: raw and percent-encoded brackets are the same.
#[derive(Debug, Clone)]
pub(super) struct Query {
    path: String,
    pairs: Vec<(String, String)>,
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let decode = |text: &str| {
            percent_decode_str(&text.replace('+', " "))
                .decode_utf8_lossy()
                .into_owned()
        };
        let query = parts.uri.query().unwrap_or_default();
        let pairs = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decode(key), decode(value))
            });
        Ok(Self {
            path: parts.uri.path().to_owned(),
            pairs: pairs.collect(),
        })
    }
}

/// The most that a page has.
const LARGEST_PAGE: u32 = 100;

impl Query {
    /// A parameter that is not empty: forms send what nobody filled in as well.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .find(|(name, value)| name == key && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// All parameters.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// A parameter that must be there.
    pub(super) fn required(&self, key: &str) -> Result<&str, Refusal> {
        self.get(key).ok_or_else(|| {
            Refusal::new(
                RefusalKind::BadRequest,
                format!("The query parameter {key} is required"),
            )
        })
    }

    /// True if `filter[names]`, where it is given, has a name, and the name has the part in `q`.
    pub(super) fn names(&self, name: &str) -> bool {
        let names = self
            .get("filter[names]")
            .or_else(|| self.get("filter[name]"));
        let part = self.get("q").unwrap_or_default().to_lowercase();
        names.is_none_or(|names| names.split(',').any(|one| one.trim() == name))
            && name.to_lowercase().contains(&part)
    }

    /// A parameter that is one of some words.
    pub(super) fn one_of(
        &self,
        key: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, Refusal> {
        let Some(given) = self.get(key) else {
            return Ok(None);
        };
        words
            .iter()
            .copied()
            .find(|word| *word == given)
            .map(Some)
            .ok_or_else(|| {
                let (last, others) = words
                    .split_last()
                    .map_or(("", String::new()), |(last, others)| {
                        (*last, others.join(", "))
                    });
                Refusal::new(
                    RefusalKind::BadRequest,
                    format!("{key} must be {others} or {last}, found {given:?}"),
                )
            })
    }

    /// A parameter that is a schema version.
    pub(super) fn version(&self, key: &str) -> Result<Option<u64>, Refusal> {
        let wrong = |text: &str| {
            Refusal::new(
                RefusalKind::BadRequest,
                format!("{key} must be a schema version, a whole number, found {text:?}"),
            )
        };
        self.get(key)
            .map(|text| text.parse::<u64>().map_err(|_| wrong(text)))
            .transpose()
    }

    /// The page that is asked for.
    pub(super) fn page(&self) -> Result<Page, Refusal> {
        let number = |key: &str, default: u32| match self.get(key) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| *number > 0)
                .ok_or_else(|| {
                    Refusal::new(
                        RefusalKind::BadRequest,
                        format!("{key} must be a whole number from 1 on, found {text:?}"),
                    )
                }),
        };
        Ok(Page {
            number: number("page[number]", 1)?,
            size: number("page[size]", 20)?.min(LARGEST_PAGE),
        })
    }

    /// The page that is asked for; all of the list, if none is.
    pub(super) fn page_or_all(&self) -> Result<Page, Refusal> {
        let mut page = self.page()?;
        if self.get("page[number]").is_none() && self.get("page[size]").is_none() {
            page.size = u32::try_from(i32::MAX).unwrap_or(page.size);
        }
        Ok(page)
    }

    /// The words of a parameter, which commas separate.
    pub(super) fn listed(&self, key: &str) -> impl Iterator<Item = &str> {
        let words = self.get(key).unwrap_or_default().split(',');
        words.map(str::trim).filter(|word| !word.is_empty())
    }

    /// True if a related document of this name is to be included, among others that there may be.
    pub(super) fn includes(&self, name: &str) -> bool {
        let names = self.get("include").unwrap_or_default().split(',');
        names
            .map(|name| name.trim().replace('-', "_"))
            .any(|one| one == name)
    }

    /// The related documents to include, if all of them can be.
    pub(super) fn include(&self, known: &[&'static str]) -> Result<Vec<&'static str>, Refusal> {
        let found = self.listed("include").map(|name| {
            known.iter().copied().find(|known| *known == name || known.replace('_', "-") == name).ok_or_else(|| {
                let known = known.join(", ");
                Refusal::new(
                    RefusalKind::BadRequest,
                    format!("Invalid include parameter: {name:?} cannot be included; expected one of {known}"),
                )
            })
        });
        found.collect()
    }

    /// `links` and `meta` of a list.
    pub(super) fn pagination(&self, app: &App, page: Page, total: u64) -> (Value, Value) {
        let size = u64::from(page.size);
        let pages = total.div_ceil(size).max(1);
        let current = u64::from(page.number);
        let previous = (current > 1).then(|| (current - 1).min(pages));
        let next = (current < pages).then_some(current + 1);
        let mut others = String::new();
        for (key, value) in self
            .pairs
            .iter()
            .filter(|(key, _)| key != "page[number]" && key != "page[size]")
        {
            let _ = write!(others, "{}={}&", encode(key), encode(value));
        }
        let link = |number: u64| {
            format!(
                "{}{}?{others}page%5Bnumber%5D={number}&page%5Bsize%5D={size}",
                app.options.base_url, self.path
            )
        };
        let links = json!({
            "self": link(current),
            "first": link(1),
            "prev": previous.map(link),
            "next": next.map(link),
            "last": link(pages),
        });
        let meta = json!({ "pagination": {
            "current-page": current,
            "page-size": size,
            "prev-page": previous,
            "next-page": next,
            "total-pages": pages,
            "total-count": total,
        }});
        (links, meta)
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
