use std::io;
use std::sync::{Mutex, PoisonError};

use http::HeaderValue;
use http::header::{AUTHORIZATION, CONTENT_TYPE, LINK, LOCATION, SET_COOKIE};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;

/// The events of a test, each with its fields.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<Map<String, Value>>>>);

struct Fields<'f>(&'f mut Map<String, Value>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0
            .insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Events {
    fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        let mut fields = Map::new();
        fields.insert("target".to_owned(), event.metadata().target().into());
        event.record(&mut Fields(&mut fields));
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(fields);
    }
}

/// The events while a function runs.
fn logged(run: impl FnOnce()) -> Vec<Map<String, Value>> {
    let events = Events::default();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(events.clone()), run);
    std::mem::take(&mut *events.0.lock().unwrap())
}

fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer sesame"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-api-key", HeaderValue::from_static("sesame"));
    headers.insert("x-berth", HeaderValue::from_static("sesame"));
    headers.append(SET_COOKIE, HeaderValue::from_static("a=sesame"));
    headers.append(SET_COOKIE, HeaderValue::from_static("b=sesame"));
    let mut marked = HeaderValue::from_static("sesame");
    marked.set_sensitive(true);
    headers.insert("x-marked", marked);
    headers
}

#[test]
fn an_exchange_is_two_lines_without_secrets() {
    let lines = logged(|| {
        let body = br#"{"name": "Ada", "password": "sesame", "tokens": ["sesame"], "nested": [{"accessKey": {"id": "sesame"}, "keyboard": "qwertz", "secret": null}]}"#;
        let log = HttpLog::new().hiding(["X-Berth"]);
        let url = "https://me:sesame@api.example.com/boats?page=2&api_token=sesame#sesame";
        let exchange = log.request(&Method::POST, url, &headers(), Some(body));
        exchange.response(
            StatusCode::CREATED,
            &headers(),
            Some(br#"[{"session_id": "sesame", "id": 7}]"#),
        );
    });
    let [request, response] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(!format!("{lines:?}").contains("sesame"), "{lines:?}");
    assert_eq!(request["target"], "http");
    assert_eq!(request["message"], "Sending HTTP request");
    assert_eq!(
        (&request["tf_http_op_type"], &request["tf_http_req_method"]),
        (&"request".into(), &"POST".into())
    );
    let url =
        "https://(sensitive value)@api.example.com/boats?page=2&api_token=(sensitive value)#…";
    assert_eq!(request["tf_http_req_uri"], url);
    let shown = r#"{"authorization":"(sensitive value)","content-type":"application/json","set-cookie":"(sensitive value), (sensitive value)","x-api-key":"(sensitive value)","x-berth":"(sensitive value)","x-marked":"(sensitive value)"}"#;
    let json = |text: &Value| serde_json::from_str::<Value>(text.as_str().unwrap()).unwrap();
    assert_eq!(
        json(&request["tf_http_req_headers"]),
        serde_json::from_str::<Value>(shown).unwrap()
    );
    let hidden = REDACTED;
    let body = serde_json::json!({"name": "Ada", "password": hidden, "tokens": hidden, "nested": [{"accessKey": hidden, "keyboard": "qwertz", "secret": null}]});
    assert_eq!(json(&request["tf_http_req_body"]), body);
    assert_eq!(response["message"], "Received HTTP response");
    assert_eq!(
        (
            &response["tf_http_res_status_code"],
            &response["tf_http_res_status_reason"]
        ),
        (&201.into(), &"Created".into())
    );
    assert_eq!(
        json(&response["tf_http_res_body"]),
        serde_json::json!([{"session_id": hidden, "id": 7}])
    );
    assert_eq!(request["tf_http_trans_id"], response["tf_http_trans_id"]);
    assert_eq!(request["tf_http_trans_id"].as_str().unwrap().len(), 32);
}

#[test]
fn a_body_that_is_not_json_is_a_length() {
    let body = |body: &[u8]| HttpLog::new().body(Some(body));
    assert_eq!(body(b"password=sesame"), "15 bytes");
    assert_eq!(body(b"\"sesame\""), "8 bytes");
    assert_eq!(body(b""), "");
    assert_eq!(HttpLog::new().body(None), "");
}

#[test]
fn a_value_beside_the_name_of_a_secret_is_hidden() {
    let body = |body: &Value| -> Value {
        let shown = HttpLog::new()
            .hiding(["berth"])
            .body(Some(body.to_string().as_bytes()));
        serde_json::from_str(&shown).unwrap()
    };
    let hidden = REDACTED;
    for (sent, shown) in [
        (
            serde_json::json!([{"name": "DB_PASSWORD", "value": "sesame"}, {"name": "REGION", "value": "eu"}]),
            serde_json::json!([{"name": "DB_PASSWORD", "value": hidden}, {"name": "REGION", "value": "eu"}]),
        ),
        (
            serde_json::json!({"settings": r#"{"in": "[{\"token\": \"sesame\"}]"}"#}),
            serde_json::json!({"settings": r#"{"in":"[{\"token\":\"(sensitive value)\"}]"}"#}),
        ),
        // A member `key` is hidden anyway.
        (
            serde_json::json!({"Key": "API_TOKEN", "Value": {"raw": "sesame"}}),
            serde_json::json!({"Key": hidden, "Value": hidden}),
        ),
        (
            serde_json::json!({"key": "AWS_ID", "value": "sesame", "sensitive": true}),
            serde_json::json!({"key": hidden, "value": hidden, "sensitive": true}),
        ),
        (
            serde_json::json!([{"value": "sesame", "masked": true}, {"value": "sesame", "isSensitive": true}, {"value": 7, "hidden": false}]),
            serde_json::json!([{"value": hidden, "masked": true}, {"value": hidden, "isSensitive": true}, {"value": 7, "hidden": false}]),
        ),
        (
            serde_json::json!({"value": 7, "id": "berth", "values": ["sesame"], "parameterValue": "sesame"}),
            serde_json::json!({"value": hidden, "id": "berth", "values": hidden, "parameterValue": hidden}),
        ),
        (
            serde_json::json!({"name": "area", "value": "the key", "sensitive": false}),
            serde_json::json!({"name": "area", "value": "the key", "sensitive": false}),
        ),
        (
            serde_json::json!({"name": "password", "value": null, "type": "text"}),
            serde_json::json!({"name": "password", "value": null, "type": "text"}),
        ),
    ] {
        assert_eq!(body(&sent), shown, "{sent}");
    }
}

#[test]
fn addresses_without_secrets_are_as_they_are() {
    for url in [
        "/boats/7",
        "https://api.example.com",
        "https://api.example.com/a@b?monkey=1&flag",
        "urn:a",
        "https://api.example.com/?back=https://www.example.com/a@b&page=2",
        "https://api.example.com/?name=an%20oar%2Fa%40b",
        "https://api.example.com:8080/a@b",
        "https://[::1]/a@b",
    ] {
        assert_eq!(HttpLog::new().url(url), url);
    }
}

#[test]
fn addresses_in_headers_bodies_and_errors_have_no_secrets() {
    let url = "https://me:sesame@store.example.com/a?X-Amz-Signature=sesame&sig=sesame";
    let lines = logged(|| {
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, HeaderValue::from_static(url));
        headers.insert(
            LINK,
            HeaderValue::from_static("</boats?page=2&token=sesame>; rel=\"next\""),
        );
        let log = HttpLog::new();
        let exchange = || log.request(&Method::PUT, "/boats", &HeaderMap::new(), None);
        let body = serde_json::json!({"upload": url, "why": format!("see {url} or ask?")});
        exchange().response(
            StatusCode::FOUND,
            &headers,
            Some(body.to_string().as_bytes()),
        );
        exchange().failed(&format!("error sending request for url ({url})"));
    });
    assert!(!format!("{lines:?}").contains("sesame"), "{lines:?}");
    let shown =
        format!("https://{REDACTED}@store.example.com/a?X-Amz-Signature={REDACTED}&sig={REDACTED}");
    let json = |text: &Value| serde_json::from_str::<Value>(text.as_str().unwrap()).unwrap();
    assert_eq!(
        json(&lines[1]["tf_http_res_headers"])["location"],
        shown.as_str()
    );
    assert_eq!(
        json(&lines[1]["tf_http_res_body"]),
        serde_json::json!({"upload": shown, "why": format!("see {shown} or ask?")})
    );
    assert_eq!(
        lines[3]["error"],
        format!("error sending request for url ({shown}")
    );
}

#[test]
fn each_of_several_addresses_has_no_secret() {
    let text = |text: &str| HttpLog::new().text(text);
    for written in [
        "https://me:sesame@a.example.com\nhttps://me:sesame@b.example.com",
        "https://me:sesame@a.example.com,https://me:sesame@b.example.com/c",
        "https://a.example.com/c,https://me:sesame@b.example.com/?token=sesame\tor",
        "https://a.example.com/?back=https://me:sesame@b.example.com/?token=sesame&c=d",
        "https://a.example.com/?https://me:sesame@b.example.com",
        "https://a.example.com/?back=https%3A%2F%2Fme%3Asesame%40b.example.com",
        "postgres://me:a/sesame?sesame#sesame@b.example.com/c",
        "postgres://me:sesame#sesame@b.example.com",
        "https://a.example.com/?back=%2Fboats%3Ftoken%3Dsesame&c=d",
        "https://a.example.com/?back=%252Fboats%253ftoken%253Dsesame",
    ] {
        let shown = text(written);
        assert!(
            !shown.contains("sesame") && shown.contains("example.com"),
            "{shown}"
        );
    }
    assert_eq!(
        text(" a\n\nhttps://me@b.example.com\n"),
        format!(" a\n\nhttps://{REDACTED}@b.example.com\n")
    );
    assert_eq!(
        text("/a?back=https://b.example.com/?page=2&c=d"),
        format!("/a?back=https://b.example.com/?{REDACTED}&c=d")
    );
}

#[test]
fn names_of_secrets_are_known_in_every_spelling() {
    let log = HttpLog::new();
    for name in [
        "SSHKey", "DBKeys", "sshKey", "SSH_KEY", "JWTs", "OAuth", "APIKEY", "Password",
    ] {
        assert!(log.is_secret(name), "{name}");
    }
    for name in ["monkey", "Author", "KEYboard", "IDs", "DBName", ""] {
        assert!(!log.is_secret(name), "{name}");
    }
}

/// A service that answers, or cannot be reached.
#[derive(Clone)]
struct Api(bool);

impl Service<Request<()>> for Api {
    type Response = Response<()>;
    type Error = io::Error;
    type Future = std::future::Ready<Result<Response<()>, io::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<()>) -> Self::Future {
        std::future::ready(if self.0 {
            Ok(Response::new(()))
        } else {
            Err(io::Error::other("nobody is there"))
        })
    }
}

#[test]
fn a_layer_logs_what_a_service_does() {
    let call = |reached: bool| {
        logged(|| {
            let mut service = HttpLog::new().layer(Api(reached));
            let request = Request::get("http://api.example.com/?key=sesame")
                .body(())
                .unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            let response = runtime.block_on(service.call(request));
            assert_eq!(response.is_ok(), reached);
        })
    };
    let lines = call(true);
    assert_eq!(
        (
            &lines[0]["tf_http_req_uri"],
            &lines[1]["tf_http_res_status_code"]
        ),
        (
            &"http://api.example.com/?key=(sensitive value)".into(),
            &200.into()
        )
    );
    let lines = call(false);
    assert_eq!(
        (&lines[1]["message"], &lines[1]["error"]),
        (
            &"Received no HTTP response".into(),
            &"nobody is there".into()
        )
    );
}

#[test]
fn names_of_secrets_are_known_in_all_spellings() {
    let log = HttpLog::new();
    for name in [
        "apikey",
        "api_key",
        "apiKey",
        "API-KEYS",
        "ACCESS_KEY",
        "PASSWORD",
        "accesskey",
        "PrivateKey",
        "authtoken",
        "tokenid",
        "dbpassword",
        "pass%77ord",
    ] {
        assert!(log.is_secret(name), "{name}");
    }
    for name in ["monkey", "keyboard", "author", "name", "assessment"] {
        assert!(!log.is_secret(name), "{name}");
    }
}
