//! A provider of ID tokens in this process, whose keys sign for real.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
    RsaPublicKeyComponents,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::RwLock;

/// Its facts, and the requests that it had.
#[derive(Default)]
pub(crate) struct State {
    keys: Mutex<Vec<Value>>,
    /// Its configuration, where that is not the right one.
    configuration: Mutex<Option<Value>>,
    asked: AtomicUsize,
    broken: AtomicBool,
    /// Its configuration waits while somebody writes here.
    pub(crate) slow: RwLock<()>,
    /// The ID tokens for codes, with what their sign-ins were begun with.
    codes: Mutex<HashMap<String, Code>>,
    /// The answer to those who have an access token, if it has such a page.
    person: Mutex<Option<Value>>,
}

/// A code, as it was asked for.
pub(crate) struct Code {
    pub(crate) challenge: String,
    pub(crate) redirect: String,
    pub(crate) token: String,
}

/// The provider.
pub(crate) struct Provider {
    pub(crate) issuer: String,
    pub(crate) state: Arc<State>,
}

/// A key that signs.
pub(crate) enum Signer {
    Rsa(Box<RsaKeyPair>),
    Ec(Box<EcdsaKeyPair>),
}

impl Signer {
    /// The key of a file, because none of this kind is made quickly.
    pub(crate) fn rsa() -> Self {
        Self::Rsa(Box::new(
            RsaKeyPair::from_pkcs8(include_bytes!("provider.rsa.der")).expect("a key"),
        ))
    }

    pub(crate) fn ec() -> Self {
        let made =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
                .expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            made.as_ref(),
            &SystemRandom::new(),
        );
        Self::Ec(Box::new(pair.expect("a key")))
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::Rsa(_) => "RS256",
            Self::Ec(_) => "ES256",
        }
    }

    /// Its public key, as a provider serves it.
    pub(crate) fn jwk(&self, kid: &str) -> Value {
        let mut jwk = match self {
            Self::Rsa(pair) => {
                let public = RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
                json!({ "kty": "RSA", "n": URL_SAFE_NO_PAD.encode(public.n), "e": URL_SAFE_NO_PAD.encode(public.e) })
            }
            Self::Ec(pair) => {
                let point = pair.public_key().as_ref();
                json!({ "kty": "EC", "crv": "P-256", "x": URL_SAFE_NO_PAD.encode(&point[1..33]), "y": URL_SAFE_NO_PAD.encode(&point[33..]) })
            }
        };
        jwk["kid"] = json!(kid);
        jwk["use"] = json!("sig");
        jwk["alg"] = json!(self.algorithm());
        jwk
    }

    /// Its public key as bytes, which a confused reader takes for the secret of HS256.
    pub(crate) fn public(&self) -> Vec<u8> {
        match self {
            Self::Rsa(pair) => pair.public_key().as_ref().to_vec(),
            Self::Ec(pair) => pair.public_key().as_ref().to_vec(),
        }
    }

    /// Signs claims.
    pub(crate) fn token(&self, kid: &str, claims: &Value) -> String {
        self.signed(
            &json!({ "alg": self.algorithm(), "kid": kid, "typ": "JWT" }),
            claims,
        )
    }

    /// Signs claims below another header.
    pub(crate) fn signed(&self, header: &Value, claims: &Value) -> String {
        let message = message(header, claims);
        let signature = match self {
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(
                    &RSA_PKCS1_SHA256,
                    &SystemRandom::new(),
                    message.as_bytes(),
                    &mut signature,
                )
                .expect("a signature");
                signature
            }
            Self::Ec(pair) => pair
                .sign(&SystemRandom::new(), message.as_bytes())
                .expect("a signature")
                .as_ref()
                .to_vec(),
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

pub(crate) fn message(header: &Value, claims: &Value) -> String {
    format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    )
}

/// A token that is signed with a secret.
pub(crate) fn hs256(kid: &str, secret: &[u8], claims: &Value) -> String {
    let message = message(&json!({ "alg": "HS256", "kid": kid, "typ": "JWT" }), claims);
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key");
    mac.update(message.as_bytes());
    format!(
        "{message}.{}",
        URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())
    )
}

impl Provider {
    /// Starts one on a free port.
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(State::default());
        let (about, keys, codes, people, own) = (
            Arc::clone(&state),
            Arc::clone(&state),
            Arc::clone(&state),
            Arc::clone(&state),
            issuer.clone(),
        );
        let router = Router::new()
            .route(
                "/.well-known/openid-configuration",
                get(move || async move {
                    about.asked.fetch_add(1, Ordering::Relaxed);
                    drop(about.slow.read().await);
                    if about.broken.load(Ordering::Relaxed) {
                        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
                    }
                    let mut usual = json!({
                        "issuer": own,
                        "jwks_uri": format!("{own}/keys"),
                        "authorization_endpoint": format!("{own}/authorize?tenant=1"),
                        "token_endpoint": format!("{own}/token"),
                    });
                    if about.person.lock().expect("a lock").is_some() {
                        usual["userinfo_endpoint"] = json!(format!("{own}/person"));
                    }
                    about.configuration.lock().expect("a lock").clone().unwrap_or(usual).to_string().into_response()
                }),
            )
            .route("/keys", get(move || async move { json!({ "keys": *keys.keys.lock().expect("a lock") }).to_string() }))
            .route(
                "/token",
                post(move |headers: HeaderMap, body: String| async move {
                    let parameters: HashMap<String, String> = form_urlencoded::parse(body.as_bytes()).into_owned().collect();
                    let secret = headers.get("authorization").map(|value| value.to_str().expect("text").to_owned());
                    let code = codes.codes.lock().expect("a lock").remove(&parameters["code"]);
                    let verifier = parameters["code_verifier"].as_bytes();
                    let is_good = code.as_ref().is_some_and(|code| {
                        secret.as_deref() == Some(&*format!("Basic {}", STANDARD.encode("up%26state:s3cret+%3A")))
                            && parameters["grant_type"] == "authorization_code"
                            && code.redirect == parameters["redirect_uri"]
                            && code.challenge == URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
                    });
                    match code.filter(|_| is_good) {
                        Some(code) => json!({ "id_token": code.token, "access_token": "x", "token_type": "Bearer" })
                            .to_string()
                            .into_response(),
                        None => (StatusCode::BAD_REQUEST, json!({ "error": "invalid_grant" }).to_string()).into_response(),
                    }
                }),
            )
            .route(
                "/person",
                get(move |headers: HeaderMap| async move {
                    let is_known = headers.get("authorization").is_some_and(|value| value == "Bearer x");
                    match people.person.lock().expect("a lock").clone().filter(|_| is_known) {
                        Some(person) => person.to_string().into_response(),
                        None => StatusCode::UNAUTHORIZED.into_response(),
                    }
                }),
            )
            .route("/elsewhere", get(|| async { (StatusCode::FOUND, [("location", "/keys")]) }))
            .route("/large", get(|| async { format!("{{\"keys\": [], \"x\": \"{}\"}}", "x".repeat(300_000)) }));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { issuer, state }
    }

    /// Serves these keys from now on.
    pub(crate) fn serve(&self, keys: &[Value]) {
        *self.state.keys.lock().expect("a lock") = keys.to_vec();
    }

    /// Serves this configuration from now on.
    pub(crate) fn configure(&self, configuration: Value) {
        *self.state.configuration.lock().expect("a lock") = Some(configuration);
    }

    /// Says this about everybody beside their ID tokens from now on.
    pub(crate) fn describe(&self, person: Value) {
        *self.state.person.lock().expect("a lock") = Some(person);
    }

    /// Gives out a code.
    pub(crate) fn grant(&self, name: &str, code: Code) {
        self.state
            .codes
            .lock()
            .expect("a lock")
            .insert(name.to_owned(), code);
    }

    /// Fails from now on, or no longer.
    pub(crate) fn fail(&self, fails: bool) {
        self.state.broken.store(fails, Ordering::Relaxed);
    }

    /// The number of requests for its configuration.
    pub(crate) fn asked(&self) -> usize {
        self.state.asked.load(Ordering::Relaxed)
    }
}
