//! `terraform login`, as the command does it: a page on which somebody agrees, a code for it, a
//! token for the code.

use std::collections::HashMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use upstate_server::__internal::model::Permissions;
use upstate_server::__internal::service::TokenFor;

use crate::page::{Page, field, sign_in, sign_in_as, submit, visit};
use crate::world::{Answer, World};

const VERIFIER: &str = "a-verifier-of-terraform-which-has-at-least-43-characters";
const REDIRECT: &str = "http://localhost:10003/login";

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
}

fn encoded(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs)
        .finish()
}

/// The request that Terraform prints, with another value where one is given.
fn request(changed: &[(&str, &str)]) -> String {
    let challenge = challenge();
    let usual = [
        ("client_id", "terraform-cli"),
        ("response_type", "code"),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
        ("redirect_uri", REDIRECT),
        ("state", "a b&c"),
    ];
    let value = |name: &str, usual| {
        changed
            .iter()
            .find(|(one, _)| *one == name)
            .map_or(usual, |(_, value)| *value)
    };
    encoded(&usual.map(|(name, usual)| (name, value(name, usual))))
}

async fn ask(world: &World, cookie: &str, request: &str) -> Page {
    visit(world, &format!("/oauth/authorization?{request}"), cookie).await
}

/// The code for which somebody agrees.
async fn code(world: &World, cookie: &str) -> String {
    let page = ask(world, cookie, &request(&[])).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let form = format!("{}&csrf={}", request(&[]), field(&page, "csrf"));
    let page = submit(world, "/oauth/authorization", cookie, &form).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let (_, rest) = page.text.split_once("id=\"go\" href=\"").expect("a link");
    let link = rest
        .split('"')
        .next()
        .expect("a link")
        .replace("&amp;", "&");
    let (to, query) = link.split_once('?').expect("a query");
    assert_eq!(to, REDIRECT);
    let query: HashMap<String, String> = form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect();
    assert_eq!(query["state"], "a b&c");
    query["code"].clone()
}

async fn redeem(world: &World, changed: &[(&str, &str)], code: &str) -> Answer {
    let usual = [
        ("grant_type", "authorization_code"),
        ("client_id", "terraform-cli"),
        ("code", code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", REDIRECT),
    ];
    let value = |name: &str, usual| {
        changed
            .iter()
            .find(|(one, _)| *one == name)
            .map_or(usual, |(_, value)| *value)
    };
    let body = encoded(&usual.map(|(name, usual)| (name, value(name, usual))));
    world
        .nobody()
        .send(
            "POST",
            "/oauth/token",
            &[("content-type", "application/x-www-form-urlencoded")],
            body,
        )
        .await
}

async fn refused(world: &World, changed: &[(&str, &str)], code: &str) {
    let answer = redeem(world, changed, code).await.expect(400).json();
    assert_eq!(answer["error"], "invalid_grant", "{answer}");
}

#[tokio::test]
async fn terraform_gets_the_token_of_who_agrees() {
    let world = World::new().await;
    let discovery = world
        .nobody()
        .get("/.well-known/terraform.json")
        .await
        .expect(200)
        .json();
    assert_eq!(
        discovery["login.v1"],
        json!({
            "client": "terraform-cli", "grant_types": ["authz_code"], "authz": "/oauth/authorization", "token": "/oauth/token",
            "ports": [10000, 10010],
        })
    );
    // Nobody is signed in yet; who signs in goes on to the page.
    let page = ask(&world, "", &request(&[])).await;
    assert_eq!(page.status, 401);
    let next = field(&page, "next").replace("&amp;", "&");
    assert_eq!(next, format!("/oauth/authorization?{}", request(&[])));
    let token = world
        .token("ann", "acme", "read-state,write-state,lock")
        .await;
    let form = encoded(&[("token", &token), ("next", &next)]);
    let page = submit(&world, "/ui/sign-in", "", &form).await;
    assert_eq!((page.status, page.location), (303, next));
    let cookie = page.cookie.split(';').next().expect("a cookie");
    let asked = ask(&world, cookie, &request(&[])).await;
    asked.has("may do what you may, ann");
    asked.has("error=access_denied");
    let code = code(&world, cookie).await;
    let answer = redeem(&world, &[], &code).await.expect(200);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let body = answer.json();
    assert_eq!(
        (&body["token_type"], &body["expires_in"]),
        (&json!("Bearer"), &json!(30 * 86_400))
    );
    let secret = body["access_token"].as_str().expect("a token").to_owned();
    let terraform = world.client(&secret);
    assert_eq!(
        terraform
            .get("/api/v2/account/details")
            .await
            .expect(200)
            .attributes()["username"],
        "ann"
    );
    let id = world.owner().await.workspace("net").await;
    terraform.lock(&id).await.expect(200);
    // It allows no more than the token with which ann signed in, because otherwise a narrow token
    // would make a wide one.
    terraform
        .get("/api/v2/organizations/acme/teams")
        .await
        .refused(403, "admin");
    let log = world
        .owner()
        .await
        .get("/api/v2/organizations/acme/audit")
        .await
        .expect(200)
        .json();
    let lines: Vec<&Value> = log["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| &line["attributes"])
        .collect();
    assert!(
        lines.iter().any(|line| line["detail"]
            .as_str()
            .is_some_and(|text| text.contains("by terraform login"))),
        "{log}"
    );
    assert!(!log.to_string().contains(&secret) && !log.to_string().contains(&code));
    world.wait(Duration::from_hours(30 * 24 + 1));
    terraform
        .get("/api/v2/account/details")
        .await
        .refused(401, "expired");
}

#[tokio::test]
async fn a_code_is_of_use_once_for_who_asked() {
    let world = World::new().await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state").await;
    let good = code(&world, &cookie).await;
    let other_verifier = "another-verifier-which-has-at-least-43-characters-too";
    refused(&world, &[("code_verifier", other_verifier)], &good).await;
    refused(&world, &[("code_verifier", &challenge())], &good).await;
    refused(
        &world,
        &[("redirect_uri", "http://localhost:10004/login")],
        &good,
    )
    .await;
    refused(&world, &[], &format!("9{good}")).await;
    refused(&world, &[], "x").await;
    refused(&world, &[], "1.2.3.4").await;
    for missing in [
        "code_verifier",
        "code",
        "redirect_uri",
        "client_id",
        "grant_type",
    ] {
        assert_eq!(
            redeem(&world, &[(missing, "")], &good)
                .await
                .expect(400)
                .json()["error"],
            "invalid_request",
            "{missing}"
        );
    }
    assert_eq!(
        redeem(&world, &[("client_id", "another")], &good)
            .await
            .expect(400)
            .json()["error"],
        "invalid_request"
    );
    // One of many gets the token, because a code is of use once.
    let at_once = futures_util::future::join_all((0..10).map(|_| redeem(&world, &[], &good))).await;
    assert_eq!(
        at_once.iter().filter(|answer| answer.status == 200).count(),
        1
    );
    refused(&world, &[], &good).await;
    let late = code(&world, &cookie).await;
    world.wait(Duration::from_mins(6));
    refused(&world, &[], &late).await;
    world.service.upkeep().await.expect("upkeep");
    refused(&world, &[], &good).await;
}

#[tokio::test]
async fn who_has_left_gets_no_token() {
    let world = World::new().await;
    let token = world.token("ann", "acme", "read-state").await;
    let cookie = sign_in(&world, &token).await;
    let begun = code(&world, &cookie).await;
    let ann = world
        .service
        .store()
        .user("ann")
        .await
        .expect("a store")
        .expect("a user");
    let done = code(&world, &cookie).await;
    let secret = redeem(&world, &[], &done).await.expect(200).json()["access_token"]
        .as_str()
        .expect("a token")
        .to_owned();
    world
        .client(&secret)
        .get("/api/v2/account/details")
        .await
        .expect(200);
    assert!(
        world
            .service
            .remove_named("test", &ann, None)
            .await
            .expect("removed")
    );
    refused(&world, &[], &begun).await;
    world
        .client(&secret)
        .get("/api/v2/account/details")
        .await
        .refused(401, "unknown");
    assert_eq!(ask(&world, &cookie, &request(&[])).await.status, 401);
}

#[tokio::test]
async fn a_request_that_leads_elsewhere_is_not_shown() {
    let world = World::new().await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state").await;
    for (name, value, says) in [
        (
            "redirect_uri",
            "https://evil.example.com/login",
            "redirect_uri must be",
        ),
        (
            "redirect_uri",
            "http://localhost:80/login",
            "redirect_uri must be",
        ),
        (
            "redirect_uri",
            "http://localhost:10003@evil.example.com/login",
            "redirect_uri must be",
        ),
        (
            "code_challenge_method",
            "plain",
            "no code_challenge by S256",
        ),
        ("code_challenge", "", "no code_challenge by S256"),
        ("code_challenge", "short", "no code_challenge by S256"),
        ("client_id", "another", "client_id must be"),
        ("response_type", "token", "response_type code"),
    ] {
        let page = ask(&world, &cookie, &request(&[(name, value)])).await;
        assert!(
            page.status == 400
                && page.text.contains(says)
                && !page.text.contains("evil.example.com"),
            "{name}: {}",
            page.text
        );
        // Neither is it with the form of a good one.
        let csrf = field(&ask(&world, &cookie, &request(&[])).await, "csrf");
        let sent = format!("{}&csrf={csrf}", request(&[(name, value)]));
        assert_eq!(
            submit(&world, "/oauth/authorization", &cookie, &sent)
                .await
                .status,
            400,
            "{name}"
        );
    }
    // Nobody agrees for somebody else.
    assert_eq!(
        submit(
            &world,
            "/oauth/authorization",
            &cookie,
            &format!("{}&csrf=x", request(&[]))
        )
        .await
        .status,
        403
    );
    assert_eq!(
        submit(&world, "/oauth/authorization", "", &request(&[]))
            .await
            .status,
        401
    );
}

/// A token makes none that may more or lasts longer, and only users log in.
#[tokio::test]
async fn nothing_is_won_by_logging_in() {
    let world = World::new().await;
    let (acme, _) = world
        .service
        .ensure_organization("test", "acme")
        .await
        .expect("an organization");
    let team = world
        .service
        .ensure_team("test", &acme.id, "all", Permissions::ALL)
        .await
        .expect("a team");
    world
        .service
        .join("test", &team, "ann")
        .await
        .expect("a member");
    let make = async |owner, lasts| {
        world
            .service
            .create_token("test", owner, "", lasts, None)
            .await
            .expect("a token")
            .secret
    };
    let member = || TokenFor::Member {
        name: "ann".to_owned(),
        organization: acme.id.clone(),
        within: Permissions::READ,
    };
    let short = make(member(), Some(Duration::from_hours(2))).await;
    let cookie = sign_in(&world, &short).await;
    let login = code(&world, &cookie).await;
    let body = redeem(&world, &[], &login).await.expect(200).json();
    assert!(
        body["expires_in"]
            .as_u64()
            .is_some_and(|seconds| seconds <= 7200),
        "{body}"
    );
    let terraform = world.client(body["access_token"].as_str().expect("a token"));
    terraform
        .get("/api/v2/organizations/acme/tokens")
        .await
        .refused(403, "admin");
    for owner in [
        TokenFor::Team(team.id.clone()),
        TokenFor::Organization(acme.id.clone()),
    ] {
        let cookie = sign_in(&world, &make(owner, None).await).await;
        let csrf = field(&ask(&world, &cookie, &request(&[])).await, "csrf");
        let page = submit(
            &world,
            "/oauth/authorization",
            &cookie,
            &format!("{}&csrf={csrf}", request(&[])),
        )
        .await;
        assert!(
            page.status == 403 && page.text.contains("Only a user can log in"),
            "{}",
            page.text
        );
    }
}
