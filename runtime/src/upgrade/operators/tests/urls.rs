//! URLs that are taken apart, and put together by downgrades.

use crate::upgrade::{DowngradeRequest, UpgradeRequest};
use crate::{CurrentModel, Registry, Resource};

#[derive(Debug, Resource)]
#[resource(type_name = "endpoint", version = 1)]
#[upgrade_from(0 => 1, split(endpoint: String, url(scheme, host, port | 443, path)))]
struct Endpoint {
    scheme: String,
    host: String,
    port: u16,
    path: String,
}

#[derive(Debug, Resource)]
#[resource(type_name = "whole", version = 1)]
#[upgrade_from(0 => 1, split(endpoint: Option<String>, url(scheme, username => user, password, host, port, path, query | "", fragment)))]
struct Whole {
    scheme: Option<String>,
    user: Option<String>,
    #[attribute(sensitive)]
    password: Option<String>,
    host: Option<String>,
    port: Option<u16>,
    path: Option<String>,
    query: Option<String>,
    fragment: Option<String>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "host", version = 1)]
#[upgrade_from(0 => 1, split(endpoint: String, url(scheme => _, host => server, path => _)))]
struct Host {
    server: String,
}

fn up<T: CurrentModel>(url: &str) -> Result<String, String> {
    let state = format!(r#"{{"endpoint":{url:?}}}"#);
    let response = Registry::new().with::<T>().upgrade(&UpgradeRequest::json(
        T::TYPE_NAME,
        0,
        state.as_bytes(),
    ));
    match response.state() {
        Some(state) => Ok(String::from_utf8(state.to_vec()).unwrap()),
        None => Err(response
            .diagnostics()
            .iter()
            .next()
            .unwrap()
            .detail()
            .split("\n\n")
            .next()
            .unwrap()
            .to_owned()),
    }
}

fn down<T: CurrentModel>(state: &str) -> Result<String, String> {
    let response = Registry::new()
        .with::<T>()
        .downgrade(&DowngradeRequest::json(
            T::TYPE_NAME,
            1,
            0,
            state.as_bytes(),
        ));
    match response.state() {
        Some(state) => Ok(String::from_utf8(state.to_vec()).unwrap()),
        None => Err(response.diagnostics().to_string()),
    }
}

fn endpoint(scheme: &str, host: &str, port: u16, path: &str) -> String {
    format!(r#"{{"host":"{host}","path":"{path}","port":{port},"scheme":"{scheme}"}}"#)
}

#[test]
fn parts_are_those_of_the_web() {
    for (url, expected) in [
        (
            "https://db.example.com",
            endpoint("https", "db.example.com", 443, "/"),
        ),
        (
            "http://db.example.com",
            endpoint("http", "db.example.com", 80, "/"),
        ),
        (
            "HTTPS://DB.Example.com:8443/a/b",
            endpoint("https", "db.example.com", 8443, "/a/b"),
        ),
        ("https://[::1]:80/", endpoint("https", "[::1]", 80, "/")),
        (
            "https://bücher.example/ü",
            endpoint("https", "xn--bcher-kva.example", 443, "/%C3%BC"),
        ),
        ("db://h", endpoint("db", "h", 443, "")),
        ("db://h:5432/x", endpoint("db", "h", 5432, "/x")),
    ] {
        assert_eq!(up::<Endpoint>(url), Ok(expected), "{url}");
    }
}

#[test]
fn what_has_no_field_is_refused() {
    let refused = |url: &str| up::<Endpoint>(url).unwrap_err();
    assert_eq!(
        refused("https://db.example.com?sslmode=off"),
        r#""https://db.example.com?sslmode=off" has a query, which no field takes (at endpoint)."#
    );
    assert_eq!(
        refused("https://h/#a"),
        "\"https://h/#a\" has a fragment, which no field takes (at endpoint)."
    );
    assert_eq!(
        refused("https://user:hunter2@h"),
        r#""https://…@h" has a user name, which no field takes (at endpoint)."#
    );
    for url in [
        "db.example.com:8443",
        "db.example.com",
        "mailto:a@b",
        "/a",
        "https://",
        "file:///a",
        "https://h:99999",
        "https://a b",
    ] {
        let message = format!(
            "{url:?} is not a URL with a host, such as \"https://example.com:8443/a\" (at endpoint)."
        );
        assert_eq!(refused(url), message);
    }
    let port = up::<Host>("https://h:8443/a").unwrap_err();
    assert!(
        port.ends_with("has a port, which no field takes (at endpoint)."),
        "{port}"
    );
    assert_eq!(up::<Host>("https://h:443/a").unwrap(), r#"{"server":"h"}"#);
}

#[test]
fn a_part_may_be_missing() {
    assert_eq!(
        up::<Whole>("https://h").unwrap(),
        r#"{"fragment":null,"host":"h","password":null,"path":"/","port":443,"query":"","scheme":"https","user":null}"#
    );
    assert_eq!(
        up::<Whole>("db://u:p@h/a?b=c#d").unwrap(),
        r#"{"fragment":"d","host":"h","password":"p","path":"/a","port":null,"query":"b=c","scheme":"db","user":"u"}"#
    );
}

#[test]
fn a_downgrade_puts_the_url_together() {
    for (state, url) in [
        (endpoint("https", "h", 443, "/"), "https://h/"),
        (endpoint("http", "h", 8080, "/a"), "http://h:8080/a"),
        (endpoint("db", "h", 5432, ""), "db://h:5432"),
    ] {
        assert_eq!(
            down::<Endpoint>(&state),
            Ok(format!(r#"{{"endpoint":"{url}"}}"#))
        );
        assert_eq!(up::<Endpoint>(url), Ok(state));
    }
    let whole = r#"{"fragment":"d","host":"h","password":"p","path":"/a","port":5432,"query":"b=c","scheme":"db","user":"u"}"#;
    assert_eq!(
        down::<Whole>(whole).unwrap(),
        r#"{"endpoint":"db://u:p@h:5432/a?b=c#d"}"#
    );
    // A character that does not belong to a part would begin another one there.
    for odd in [
        endpoint("https", "h/x", 443, "/"),
        endpoint("https", "h?x", 443, "/"),
        endpoint("https", "H", 443, "/"),
    ] {
        assert!(down::<Endpoint>(&odd).is_err(), "{odd}");
    }
}

#[test]
fn the_verdict_names_what_is_not_kept() {
    let verdicts = Endpoint::HISTORY.verdicts(&Endpoint::HISTORY.steps()[0]);
    assert_eq!(
        verdicts.up.to_string(),
        "lossy: endpoint (the spelling of the URL)"
    );
    let verdicts = Host::HISTORY.verdicts(&Host::HISTORY.steps()[0]);
    assert!(
        verdicts
            .down
            .to_string()
            .starts_with("impossible: endpoint"),
        "{}",
        verdicts.down
    );
}
