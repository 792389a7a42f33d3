//! Jobs of CI systems exchange their ID tokens, and nobody else does.

use std::time::Duration;

use serde_json::{Value, json};
use upstate_server::__internal::service::Conduct;

use crate::provider::{Provider, Signer, hs256, message};
use crate::world::{Answer, State, World, text};

const MAIN: &str = "repo:acme/infra:ref:refs/heads/main";
const TRUSTS: &str = "/api/v2/upstate/organizations/acme/trusts";

/// A world with a provider that it may reach, a workspace and a trust in jobs of the main branch.
struct Scene {
    world: World,
    provider: Provider,
    signer: Signer,
    workspace: String,
    trust: String,
}

fn request(attributes: &Value, of: &str, id: &str) -> Value {
    json!({ "data": {
        "type": "upstate-trusts",
        "attributes": attributes,
        "relationships": { of: { "data": { "type": format!("{of}s"), "id": id } } },
    }})
}

impl Scene {
    async fn new(signer: Signer) -> Self {
        let provider = Provider::start().await;
        provider.serve(&[signer.jwk("one")]);
        let world = World::with(Conduct {
            internal_issuers: vec![provider.issuer.clone()],
            ..Conduct::default()
        })
        .await;
        let ann = world.owner().await;
        let workspace = ann.workspace("net").await;
        let attributes = json!({ "name": "main", "issuer": provider.issuer, "audience": "upstate", "claims": { "sub": MAIN }, "access": "write" });
        let trust = ann
            .made(TRUSTS, &request(&attributes, "workspace", &workspace))
            .await;
        Self {
            world,
            provider,
            signer,
            workspace,
            trust,
        }
    }

    /// The claims of a good job.
    fn claims(&self) -> Value {
        let now = self.world.service.now().as_seconds();
        json!({ "iss": self.provider.issuer, "aud": "upstate", "sub": MAIN, "iat": now, "nbf": now, "exp": now + 300, "jti": "j1" })
    }

    /// The claims of a good job with others.
    fn with(&self, name: &str, value: Value) -> Value {
        let mut claims = self.claims();
        claims[name] = value;
        claims
    }

    fn sign(&self, claims: &Value) -> String {
        self.signer.token("one", claims)
    }

    async fn exchange(&self, token: &str) -> Answer {
        let pairs = [
            (
                "grant_type",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ),
            (
                "subject_token_type",
                "urn:ietf:params:oauth:token-type:id_token",
            ),
            ("subject_token", token),
            ("trust", &self.trust),
        ];
        self.send(&pairs).await
    }

    async fn send(&self, pairs: &[(&str, &str)]) -> Answer {
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        let kind = [("content-type", "application/x-www-form-urlencoded")];
        self.world
            .nobody()
            .send("POST", "/oauth/token", &kind, body)
            .await
    }

    /// The secret that a good exchange gives.
    async fn granted(&self, token: &str) -> String {
        text(&self.exchange(token).await.expect(200).json()["access_token"])
    }

    /// That an exchange is refused without a reason, which the audit log has.
    async fn refused(&self, token: &str, why: &str) {
        let answer = self.exchange(token).await.expect(400).json();
        assert_eq!(
            answer,
            json!({ "error": "invalid_grant", "error_description": "The ID token was refused" })
        );
        let line = self.audited().await;
        assert_eq!(line["action"], "token.refuse");
        assert!(
            text(&line["detail"]).contains(why),
            "{why:?} is not in {line}"
        );
        assert!(!line.to_string().contains(token));
    }

    /// The newest line of the audit log.
    async fn audited(&self) -> Value {
        let log = self
            .world
            .owner()
            .await
            .get("/api/v2/organizations/acme/audit")
            .await
            .expect(200)
            .json();
        let lines = log["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|line| line["attributes"].clone());
        // The owner has just got a token to read it.
        lines
            .into_iter()
            .find(|line| text(&line["action"]) != "token.create")
            .expect("a line")
    }
}

#[tokio::test]
async fn a_job_gets_a_token_for_an_hour() {
    for signer in [Signer::rsa(), Signer::ec()] {
        let scene = Scene::new(signer).await;
        let answer = scene
            .exchange(&scene.sign(&scene.claims()))
            .await
            .expect(200);
        assert_eq!(
            (
                answer.header("cache-control"),
                answer.header("content-type")
            ),
            (Some("no-store"), Some("application/json"))
        );
        let body = answer.json();
        assert_eq!(
            (&body["token_type"], &body["expires_in"]),
            (&json!("Bearer"), &json!(3600))
        );
        let secret = text(&body["access_token"]);
        let line = scene.audited().await;
        assert_eq!(
            (&line["action"], line["detail"].as_str()),
            (
                &json!("token.exchange"),
                Some(&*format!("sub {MAIN:?}, jti \"j1\""))
            )
        );
        assert!(
            text(&line["who"]).starts_with("workload main (at-")
                && !line.to_string().contains(&secret),
            "{line}"
        );
        let job = scene.world.client(&secret);
        let other = scene.world.owner().await.workspace("other").await;
        job.lock(&scene.workspace).await.expect(200);
        let version = job
            .create(&scene.workspace, &State::new(1, "l", "a"))
            .await
            .expect(201);
        assert_eq!(
            version.json()["data"]["relationships"]["created-by"]["data"],
            Value::Null
        );
        job.unlock(&scene.workspace).await.expect(200);
        job.get(&format!("/api/v2/workspaces/{other}"))
            .await
            .refused(404, "not found");
        job.delete(&format!("/api/v2/workspaces/{}", scene.workspace))
            .await
            .refused(403, "admin");
        job.get(TRUSTS).await.refused(403, "admin");
        scene.world.wait(Duration::from_secs(3601));
        job.get("/api/v2/account/details")
            .await
            .refused(401, "expired");
        scene.world.wait(Duration::from_hours(25));
        scene.world.service.upkeep().await.expect("upkeep");
        job.get("/api/v2/account/details")
            .await
            .refused(401, "unknown");
    }
}

#[tokio::test]
async fn a_token_ends_with_its_trust() {
    let scene = Scene::new(Signer::ec()).await;
    let job = scene.granted(&scene.sign(&scene.claims())).await;
    let ann = scene.world.owner().await;
    let path = format!("/api/v2/upstate/trusts/{}", scene.trust);
    let shown = ann.get(&path).await.expect(200);
    assert_eq!(
        shown.json()["data"],
        ann.get(TRUSTS).await.expect(200).json()["data"][0]
    );
    assert_eq!(
        (
            shown.attributes()["access"].clone(),
            shown.attributes()["claims"]["sub"].clone()
        ),
        (json!("write"), json!(MAIN))
    );
    ann.delete(&path).await.expect(204);
    scene
        .world
        .client(&job)
        .get("/api/v2/account/details")
        .await
        .refused(401, "unknown");
    let refused = scene
        .exchange(&scene.sign(&scene.claims()))
        .await
        .expect(400);
    assert_eq!(
        refused.json()["error_description"],
        "The ID token was refused"
    );
    ann.get(&path).await.refused(404, "not found");
}

/// It was there when it was looked up.
#[tokio::test]
async fn a_trust_that_is_removed_meanwhile_gives_no_token() {
    let scene = Scene::new(Signer::ec()).await;
    let token = scene.sign(&scene.claims());
    let database = rusqlite::Connection::open(scene.world.folder.path().join("upstate.db"))
        .expect("the database");
    scene.world.meanwhile(0, move || {
        database
            .execute("DELETE FROM trust", ())
            .expect("a removal");
    });
    scene.refused(&token, "the trust was removed").await;
}

#[tokio::test]
async fn claims_decide() {
    let scene = Scene::new(Signer::ec()).await;
    let now = scene.world.service.now().as_seconds();
    for (name, value, why) in [
        (
            "sub",
            json!("repo:acme/infra:ref:refs/heads/main2"),
            "sub is \"repo:acme/infra:ref:refs/heads/main2\", expected",
        ),
        ("sub", json!("repo:acme/infra:pull_request"), "sub is"),
        ("sub", json!({ "x": MAIN }), "sub is {"),
        ("sub", Value::Null, "sub is null"),
        (
            "iss",
            json!("https://evil.example.com"),
            "iss is \"https://evil.example.com\"",
        ),
        (
            "iss",
            json!(format!("{}/", scene.provider.issuer)),
            "iss is",
        ),
        (
            "aud",
            json!("other"),
            "aud is \"other\", expected \"upstate\"",
        ),
        ("aud", json!(["other", "upstate2"]), "aud is"),
        ("aud", Value::Null, "aud is null"),
        ("exp", json!(now - 60), "has expired"),
        ("exp", json!((now + 300).to_string()), "exp is not a number"),
        ("exp", Value::Null, "exp is not a number"),
        ("nbf", json!(now + 120), "nbf is in the future"),
        ("nbf", json!("soon"), "nbf is not a number"),
        ("iat", json!(now + 120), "iat is in the future"),
    ] {
        scene
            .refused(&scene.sign(&scene.with(name, value)), why)
            .await;
        scene.world.wait(Duration::from_secs(5));
    }
    let mut without = scene.claims();
    without.as_object_mut().expect("an object").remove("exp");
    scene.refused(&scene.sign(&without), "exp is missing").await;
    scene
        .granted(&scene.sign(&scene.with("aud", json!(["other", "upstate"]))))
        .await;
}

#[tokio::test]
async fn signatures_decide() {
    let scene = Scene::new(Signer::rsa()).await;
    let claims = scene.claims();
    let good = scene.sign(&claims);
    let (signed, signature) = good.rsplit_once('.').expect("a signature");
    let other = Signer::ec();
    let none = message(&json!({ "alg": "none", "typ": "JWT" }), &claims);
    // Algorithms that are confused, keys that the token brings, and what is not a token.
    for (token, why) in [
        (format!("{none}."), "not signed with RS256 or ES256"),
        (none, "not a signed JSON Web Token"),
        (
            hs256("one", &scene.signer.public(), &claims),
            "not signed with RS256 or ES256",
        ),
        (other.token("one", &claims), "no key \"one\" for Es256"),
        (
            other.signed(&json!({ "alg": "ES256", "jwk": other.jwk("one") }), &claims),
            "no key one for Es256",
        ),
        (
            other.signed(&json!({ "alg": "RS256", "kid": "one" }), &claims),
            "the signature of the ID token is not",
        ),
        (
            scene.signer.signed(
                &json!({ "alg": "RS256", "kid": "one", "crit": ["x"] }),
                &claims,
            ),
            "critical",
        ),
        (
            scene.signer.signed(
                &json!({ "alg": "RS256", "kid": "one", "typ": "at+jwt" }),
                &claims,
            ),
            "by its typ",
        ),
        (
            scene.signer.signed(&json!(["RS256"]), &claims),
            "not a signed JSON Web Token",
        ),
        (format!("{signed}."), "the signature of the ID token is not"),
        (
            format!(
                "{}.{signature}",
                message(
                    &json!({ "alg": "RS256", "kid": "one" }),
                    &scene.with("sub", json!(MAIN))
                )
            ),
            "the signature",
        ),
        (format!("{good}="), "not a signed JSON Web Token"),
        ("x".repeat(20_000), "more than"),
        ("a.b.c".to_owned(), "not a signed JSON Web Token"),
    ] {
        scene.world.wait(Duration::from_secs(40));
        let expected = if why.starts_with("no key") { 503 } else { 400 };
        let answer = scene.exchange(&token).await;
        assert!(
            answer.status == expected || answer.status == 400,
            "{why}: {answer:?}"
        );
        assert!(
            text(&scene.audited().await["detail"]).contains(why),
            "{why:?} is not in {}",
            scene.audited().await
        );
    }
    scene.granted(&scene.sign(&scene.claims())).await;
    // Its key is known by being the only one.
    scene
        .granted(
            &scene
                .signer
                .signed(&json!({ "alg": "RS256" }), &scene.claims()),
        )
        .await;
}

#[tokio::test]
async fn new_keys_are_found_and_invented_ones_ask_seldom() {
    let scene = Scene::new(Signer::rsa()).await;
    scene.granted(&scene.sign(&scene.claims())).await;
    scene.granted(&scene.sign(&scene.claims())).await;
    assert_eq!(scene.provider.asked(), 1);
    scene.world.wait(Duration::from_mins(1));
    let next = Signer::ec();
    scene
        .provider
        .serve(&[scene.signer.jwk("one"), next.jwk("two")]);
    scene.granted(&next.token("two", &scene.claims())).await;
    assert_eq!(scene.provider.asked(), 2);
    for number in 0..50 {
        let invented = next.token(&format!("invented-{number}"), &scene.claims());
        assert!(scene.exchange(&invented).await.status >= 400);
    }
    assert_eq!(scene.provider.asked(), 2);
    scene.world.wait(Duration::from_mins(1));
    assert_eq!(
        scene
            .exchange(&next.token("invented", &scene.claims()))
            .await
            .status,
        400
    );
    assert_eq!(scene.provider.asked(), 3);
    // A good token is taken meanwhile.
    scene.granted(&next.token("two", &scene.claims())).await;
    // A key that was taken back is refused after an hour.
    scene.provider.serve(&[next.jwk("two")]);
    scene.world.wait(Duration::from_mins(61));
    assert!(scene.exchange(&scene.sign(&scene.claims())).await.status >= 400);
    // While the provider fails, its keys are taken for a day.
    scene.provider.fail(true);
    scene.world.wait(Duration::from_hours(20));
    scene.granted(&next.token("two", &scene.claims())).await;
    scene.world.wait(Duration::from_hours(5));
    let answer = scene
        .exchange(&next.token("two", &scene.claims()))
        .await
        .expect(503);
    assert_eq!(
        (answer.json()["error"].clone(), answer.header("retry-after")),
        (json!("temporarily_unavailable"), Some("1"))
    );
    scene.provider.fail(false);
    scene.world.wait(Duration::from_mins(1));
    scene.granted(&next.token("two", &scene.claims())).await;
}

#[tokio::test]
async fn a_new_key_of_the_same_name_is_found() {
    let scene = Scene::new(Signer::ec()).await;
    scene.granted(&scene.sign(&scene.claims())).await;
    let next = Signer::ec();
    scene.provider.serve(&[next.jwk("one")]);
    let of_another = "the signature of the ID token is not that";
    for _ in 0..3 {
        scene
            .refused(&next.token("one", &scene.claims()), of_another)
            .await;
    }
    assert_eq!(scene.provider.asked(), 1);
    scene.world.wait(Duration::from_mins(1));
    scene.granted(&next.token("one", &scene.claims())).await;
    scene
        .refused(&scene.sign(&scene.claims()), of_another)
        .await;
    assert_eq!(scene.provider.asked(), 2);
}

#[tokio::test]
async fn a_provider_that_leads_elsewhere_is_not_followed() {
    let scene = Scene::new(Signer::ec()).await;
    let issuer = scene.provider.issuer.clone();
    for (configuration, why) in [
        (
            json!({ "issuer": "https://evil.example.com", "jwks_uri": format!("{issuer}/keys") }),
            "of another issuer",
        ),
        (json!({ "issuer": issuer }), "names no keys"),
        (
            json!({ "issuer": issuer, "jwks_uri": "http://169.254.169.254/keys" }),
            "is not an https:// URL",
        ),
        (
            json!({ "issuer": issuer, "jwks_uri": "https://169.254.169.254/keys" }),
            "is not a public address",
        ),
        (
            json!({ "issuer": issuer, "jwks_uri": "https://localhost/keys" }),
            "did not answer",
        ),
        (
            json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/elsewhere") }),
            "302",
        ),
        (
            json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/large") }),
            "more than",
        ),
        (
            json!({ "issuer": issuer, "jwks_uri": "file:///etc/passwd" }),
            "is not an https:// URL",
        ),
    ] {
        scene.provider.configure(configuration);
        let token = scene.sign(&scene.claims());
        assert!(scene.exchange(&token).await.status >= 400);
        let line = scene.audited().await;
        assert!(
            text(&line["detail"]).contains(why),
            "{why:?} is not in {line}"
        );
        scene.world.wait(Duration::from_mins(1));
    }
}

#[tokio::test]
async fn a_trust_must_say_whose_jobs_are_meant() {
    let scene = Scene::new(Signer::ec()).await;
    let ann = scene.world.owner().await;
    let attributes = |name: &str, value: Value| {
        let mut attributes = json!({ "name": "other", "issuer": "https://ci.example.com", "claims": { "sub": MAIN }, "access": "read" });
        attributes[name] = value;
        attributes
    };
    for (name, value, says) in [
        ("claims", json!({}), "claims must say whose jobs are meant"),
        (
            "claims",
            json!({ "sub": "*" }),
            "claims must say whose jobs are meant",
        ),
        (
            "claims",
            json!({ "sub": "repo:acme*" }),
            "a * behind a letter",
        ),
        ("claims", json!({ "aud": "x" }), "aud is not for claims"),
        ("claims", json!({ "sub": 1 }), "claims must be an object"),
        (
            "issuer",
            json!("http://ci.example.com"),
            "is not an https:// URL",
        ),
        (
            "issuer",
            json!("https://10.0.0.1"),
            "is not a public address",
        ),
        (
            "issuer",
            json!("https://[::ffff:10.0.0.1]"),
            "is not a public address",
        ),
        ("issuer", json!("ci.example.com"), "an issuer is a URL"),
        ("audience", json!(""), "audience must have"),
        (
            "access",
            json!("everything"),
            "access must be read, write, maintain or admin",
        ),
        ("grants", json!(""), "access is missing"),
        ("name", json!("a b"), "The name of a trust"),
        ("name", json!("main"), "Name has already been taken"),
    ] {
        let answer = ann
            .post(
                TRUSTS,
                &request(&attributes(name, value), "workspace", &scene.workspace),
            )
            .await;
        answer.refused(422, says);
    }
    let whole = attributes("name", json!("other"));
    for (of, id) in [
        ("workspace", "ws-none"),
        ("project", "prj-none"),
        ("team", "team-1"),
    ] {
        ann.post(TRUSTS, &request(&whole, of, id)).await.expect(422);
    }
    // The workspace of another organization is not found.
    let zoe = scene
        .world
        .client(&scene.world.token("zoe", "other", "admin").await);
    let elsewhere = "/api/v2/upstate/organizations/other/trusts";
    zoe.post(elsewhere, &request(&whole, "workspace", &scene.workspace))
        .await
        .refused(422, "not found in this organization");
    zoe.delete(&format!("/api/v2/upstate/trusts/{}", scene.trust))
        .await
        .refused(404, "not found");
    let made = ann
        .post(TRUSTS, &request(&whole, "workspace", &scene.workspace))
        .await
        .expect(201);
    assert_eq!(made.attributes()["audience"], "http://up.test");
}

#[tokio::test]
async fn a_request_is_read_once() {
    let scene = Scene::new(Signer::ec()).await;
    let token = scene.sign(&scene.claims());
    let exchange = (
        "grant_type",
        "urn:ietf:params:oauth:grant-type:token-exchange",
    );
    let kind = ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt");
    let (subject, trust) = (
        ("subject_token", token.as_str()),
        ("trust", scene.trust.as_str()),
    );
    scene
        .send(&[exchange, kind, subject, trust])
        .await
        .expect(200);
    for (pairs, error) in [
        (
            vec![exchange, kind, subject, trust, ("trust", "trust-x")],
            "invalid_request",
        ),
        (vec![exchange, kind, subject], "invalid_request"),
        (vec![exchange, subject, trust], "invalid_request"),
        (
            vec![
                exchange,
                (
                    "subject_token_type",
                    "urn:ietf:params:oauth:token-type:saml2",
                ),
                subject,
                trust,
            ],
            "invalid_request",
        ),
        (
            vec![("grant_type", "password"), kind, subject, trust],
            "unsupported_grant_type",
        ),
        (vec![], "invalid_request"),
    ] {
        assert_eq!(scene.send(&pairs).await.expect(400).json()["error"], error);
    }
}

/// The number of failures from one address is bounded in the audit log, and good tokens of the same
/// address are taken.
#[tokio::test]
async fn many_failures_leave_few_lines() {
    let scene = Scene::new(Signer::ec()).await;
    let bad = scene.sign(&scene.with("sub", json!("repo:evil/x")));
    let address = "192.0.2.7:1000".parse().expect("an address");
    let at = scene.world.nobody().at(address);
    let body = |token: &str| {
        let pairs = [
            (
                "grant_type",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ),
            (
                "subject_token_type",
                "urn:ietf:params:oauth:token-type:id_token",
            ),
            ("subject_token", token),
            ("trust", &scene.trust),
        ];
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish()
    };
    let mut statuses = Vec::new();
    for _ in 0..40 {
        statuses.push(
            at.send("POST", "/oauth/token", &[], body(&bad))
                .await
                .status,
        );
    }
    assert_eq!(
        (statuses.first(), statuses.last()),
        (Some(&400), Some(&429))
    );
    let log = scene
        .world
        .owner()
        .await
        .get("/api/v2/organizations/acme/audit?filter[action]=token.refuse")
        .await
        .expect(200)
        .json();
    assert_eq!(log["meta"]["pagination"]["total-count"], 20);
    assert_eq!(log["data"][0]["attributes"]["who"], "nobody from 192.0.2.7");
    at.send(
        "POST",
        "/oauth/token",
        &[],
        body(&scene.sign(&scene.claims())),
    )
    .await
    .expect(200);
}
