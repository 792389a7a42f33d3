//! The style, the script and the icon of all pages. Each has a hash of its content in its name, so
//! that browsers keep it for a year.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};

use crate::content::hex;

/// A file, and the path that it has.
#[derive(Debug)]
pub(super) struct Asset {
    pub(super) path: String,
    text: String,
    kind: &'static str,
}

pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let text = [include_str!("style.css"), upstate_compat::lanes::STYLE].concat();
    Asset::new("style", "css", text, "text/css; charset=utf-8")
});

pub(super) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(
        "live",
        "js",
        include_str!("live.js").to_owned(),
        "text/javascript; charset=utf-8",
    )
});

pub(super) static ICON: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(
        "icon",
        "svg",
        include_str!("icon.svg").to_owned(),
        "image/svg+xml",
    )
});

impl Asset {
    fn new(name: &str, extension: &str, text: String, kind: &'static str) -> Self {
        let hash = hex(Sha256::digest(&text).get(..8).unwrap_or_default());
        Self {
            path: format!("/ui/static/{name}.{hash}.{extension}"),
            text,
            kind,
        }
    }

    /// True if a path differs in no more than the hash: a page of another release of the server,
    /// while several run.
    fn is_like(&self, path: &str) -> bool {
        let around = |path: &str| {
            Some((
                path.split('.').next()?.to_owned(),
                path.rsplit('.').next()?.to_owned(),
            ))
        };
        around(path) == around(&self.path)
    }
}

pub(super) async fn show(Path(name): Path<String>) -> Response {
    let path = format!("/ui/static/{name}");
    let Some(asset) = [&*STYLE, &*SCRIPT, &*ICON]
        .into_iter()
        .find(|asset| asset.is_like(&path))
    else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let kept = if asset.path == path {
        "public, max-age=31536000, immutable"
    } else {
        "no-store"
    };
    let headers = [
        (header::CONTENT_TYPE, asset.kind),
        (header::CACHE_CONTROL, kept),
    ];
    (
        headers.map(|(name, value)| (name, HeaderValue::from_static(value))),
        asset.text.clone(),
    )
        .into_response()
}
