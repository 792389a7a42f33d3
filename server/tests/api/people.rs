//! People sign in with a provider.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use upstate_server::__internal::model::{AuditFilter, Permissions};
use upstate_server::__internal::service::{Conduct, People, Service, TokenFor};
use upstate_server::__internal::store;

use crate::page::{Page, field, sign_in, submit, visit};
use crate::provider::{Code, Provider, Signer, hs256};
use crate::world::{BASE, World};

struct Scene {
    world: World,
    provider: Provider,
    signer: Signer,
}

/// A sign-in that was begun: what the browser keeps, and what the provider gets.
struct Begun {
    cookie: String,
    sent: HashMap<String, String>,
}

/// The people of a provider, of whom those in the group `platform` are in the team `ops`.
pub(crate) fn people_of(issuer: &str, user_claim: &str) -> People {
    People {
        issuer: issuer.to_owned(),
        client: "up&state".to_owned(),
        secret: "s3cret :".to_owned(),
        user_claim: user_claim.to_owned(),
        groups_claim: "groups".to_owned(),
        scopes: None,
        organization: "acme".to_owned(),
        teams: vec![
            "platform=acme/ops".parse().expect("a team"),
            "gone=acme/missing".parse().expect("a team"),
        ],
    }
}

/// A server on which they sign in.
pub(crate) async fn world_of(people: People) -> World {
    let world = World::with(Conduct {
        provider: Some(people),
        ..Conduct::default()
    })
    .await;
    world.owner().await;
    let (acme, _) = world
        .service
        .ensure_organization("test", "acme")
        .await
        .expect("an organization");
    world
        .service
        .ensure_team("test", &acme.id, "ops", Permissions::READ)
        .await
        .expect("a team");
    world
}

impl Scene {
    async fn new(user_claim: &str) -> Self {
        let provider = Provider::start().await;
        let signer = Signer::ec();
        provider.serve(&[signer.jwk("one")]);
        let world = world_of(people_of(&provider.issuer, user_claim)).await;
        Self {
            world,
            provider,
            signer,
        }
    }

    async fn begin(&self, next: &str) -> Begun {
        let page = visit(
            &self.world,
            &format!("/ui/sign-in/provider?next={next}"),
            "",
        )
        .await;
        assert_eq!(page.status, 303, "{}", page.text);
        let (to, query) = page.location.split_once('?').expect("a query");
        assert_eq!(to, format!("{}/authorize", self.provider.issuer));
        assert!(
            page.cookie
                .contains("; HttpOnly; SameSite=Lax; Max-Age=600"),
            "{}",
            page.cookie
        );
        let cookie = page.cookie.split(';').next().expect("a cookie").to_owned();
        Begun {
            cookie,
            sent: form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        }
    }

    fn claims(&self, begun: &Begun, sub: &str, email: &str) -> Value {
        let now = self.world.service.now().as_seconds();
        json!({
            "iss": self.provider.issuer, "aud": "up&state", "sub": sub, "email": email, "email_verified": true,
            "nonce": begun.sent["nonce"], "iat": now, "exp": now + 300,
        })
    }

    /// The provider gives a code for these claims.
    fn code(&self, begun: &Begun, name: &str, token: String) {
        let (challenge, redirect) = (
            begun.sent["code_challenge"].clone(),
            begun.sent["redirect_uri"].clone(),
        );
        self.provider.grant(
            name,
            Code {
                challenge,
                redirect,
                token,
            },
        );
    }

    async fn back(&self, cookie: &str, code: &str, state: &str) -> Page {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("code", code)
            .append_pair("state", state)
            .finish();
        visit(
            &self.world,
            &format!("/ui/sign-in/callback?{query}"),
            cookie,
        )
        .await
    }

    /// The end of a sign-in with claims.
    async fn end(&self, begun: &Begun, claims: &Value) -> Page {
        self.code(begun, "c1", self.signer.token("one", claims));
        self.back(&begun.cookie, "c1", &begun.sent["state"]).await
    }

    /// The session of somebody.
    async fn session(&self, sub: &str, email: &str, groups: &[&str]) -> String {
        let begun = self.begin("/").await;
        let mut claims = self.claims(&begun, sub, email);
        claims["groups"] = json!(groups);
        let page = self.end(&begun, &claims).await;
        assert_eq!((page.status, &*page.location), (303, "/"), "{}", page.text);
        page.cookie.split(';').next().expect("a cookie").to_owned()
    }

    async fn sees(&self, cookie: &str) -> u16 {
        visit(&self.world, "/ui/organizations/acme", cookie)
            .await
            .status
    }
}

#[tokio::test]
async fn somebody_signs_in_with_a_provider() {
    let scene = Scene::new("email").await;
    let page = visit(&scene.world, "/ui/organizations/acme?page=2", "").await;
    page.has("href=\"/ui/sign-in/provider?next=%2Fui%2Forganizations%2Facme%3Fpage%3D2\"");
    let begun = scene.begin("%2Fui%2Forganizations%2Facme").await;
    assert_eq!(
        begun.sent["redirect_uri"],
        format!("{BASE}/ui/sign-in/callback")
    );
    assert_eq!(
        (
            &*begun.sent["response_type"],
            &*begun.sent["code_challenge_method"]
        ),
        ("code", "S256")
    );
    assert_eq!(
        (
            &*begun.sent["client_id"],
            &*begun.sent["tenant"],
            &*begun.sent["scope"]
        ),
        ("up&state", "1", "openid email profile groups")
    );
    let mut claims = scene.claims(&begun, "s1", "kim@example.com");
    claims["groups"] = json!(["platform", "gone"]);
    let page = scene.end(&begun, &claims).await;
    assert_eq!(
        (page.status, &*page.location),
        (303, "/ui/organizations/acme"),
        "{}",
        page.text
    );
    let cookie = page.cookie.split(';').next().expect("a cookie").to_owned();
    assert_eq!(scene.sees(&cookie).await, 200);
    let home = visit(&scene.world, "/", &cookie).await;
    home.has("Signed in as kim@example.com");
    // The session is not a token.
    let secret = cookie
        .split_once('=')
        .expect("a value")
        .1
        .replace("%2E", ".")
        .replace("%2D", "-")
        .replace("%5F", "_");
    scene
        .world
        .client(&secret)
        .get("/api/v2/account/details")
        .await
        .refused(401, "unknown");
    assert_eq!(
        submit(&scene.world, "/ui/sign-in", "", &format!("token={secret}"))
            .await
            .status,
        401
    );
    // Signing out ends it, also for those who kept the cookie.
    assert_eq!(
        submit(&scene.world, "/ui/sign-out", &cookie, "csrf=x")
            .await
            .status,
        403
    );
    let csrf = field(&home, "csrf");
    assert_eq!(
        submit(
            &scene.world,
            "/ui/sign-out",
            &cookie,
            &format!("csrf={csrf}")
        )
        .await
        .status,
        303
    );
    assert_eq!(scene.sees(&cookie).await, 401);
    // A session ends by itself.
    let cookie = scene.session("s1", "kim@example.com", &["platform"]).await;
    scene.world.wait(Duration::from_hours(13));
    assert_eq!(scene.sees(&cookie).await, 401);
}

/// A team is looked up first, and may be removed before the person is in it.
#[tokio::test]
async fn a_team_that_is_removed_meanwhile_keeps_nobody_out() {
    // At each moment at which the server looks at the clock, up to when it is too late.
    for looks in 0.. {
        let scene = Scene::new("email").await;
        let begun = scene.begin("/").await;
        let mut claims = scene.claims(&begun, "s1", "kim@example.com");
        claims["groups"] = json!(["platform"]);
        let database = rusqlite::Connection::open(scene.world.folder.path().join("upstate.db"))
            .expect("the database");
        let is_removed = Arc::new(AtomicBool::new(false));
        let removed = Arc::clone(&is_removed);
        scene.world.meanwhile(looks, move || {
            let sql = "DELETE FROM team WHERE name = 'ops'";
            removed.store(database.execute(sql, ()).is_ok(), Ordering::Relaxed);
        });
        let page = scene.end(&begun, &claims).await;
        assert_eq!(page.status, 303, "after {looks}: {}", page.text);
        if !is_removed.load(Ordering::Relaxed) {
            assert!(looks > 0, "a sign-in never looks at the clock");
            break;
        }
    }
}

/// Otherwise the provider signs the next person at this browser in as who left.
#[tokio::test]
async fn who_signs_out_may_do_so_at_the_provider_too() {
    let scene = Scene::new("email").await;
    let own = &scene.provider.issuer;
    let configure = |page: &str| {
        scene.provider.configure(json!({
            "issuer": own,
            "jwks_uri": format!("{own}/keys"),
            "authorization_endpoint": format!("{own}/authorize?tenant=1"),
            "token_endpoint": format!("{own}/token"),
            "end_session_endpoint": page,
        }));
    };
    let sign_out = async |cookie: &str| {
        let home = visit(&scene.world, "/", cookie).await;
        let form = format!("csrf={}", field(&home, "csrf"));
        submit(&scene.world, "/ui/sign-out", cookie, &form).await
    };
    configure(&format!("{own}/logout?tenant=1"));
    let back = "http%3A%2F%2Fup.test%2Fui%2Fsign-in%2Fcallback";
    let link = format!(
        "href=\"{own}/logout?tenant=1&amp;client_id=up%26state&amp;post_logout_redirect_uri={back}\""
    );
    // Also while the provider does not answer, of which the page is known.
    for fails in [false, true] {
        let cookie = scene.session("s1", "kim@example.com", &["platform"]).await;
        scene.provider.fail(fails);
        scene.world.wait(Duration::from_hours(2));
        let page = sign_out(&cookie).await;
        assert!(
            page.status == 200 && page.text.contains(&link),
            "{}",
            page.text
        );
        assert!(page.cookie.contains("Max-Age=0"), "{}", page.cookie);
        assert_eq!(scene.sees(&cookie).await, 401);
    }
    scene.provider.fail(false);
    // The browser keeps the ID token for the provider, which may not go on without it.
    let begun = scene.begin("/").await;
    let claims = scene.claims(&begun, "s1", "kim@example.com");
    let page = scene.end(&begun, &claims).await;
    let kept = page
        .cookies
        .iter()
        .find_map(|cookie| cookie.strip_prefix("upstate_id_token="));
    let (hint, rest) = kept
        .and_then(|cookie| cookie.split_once("; "))
        .expect("an ID token");
    assert_eq!(rest, "Path=/ui/sign-out; HttpOnly; SameSite=Strict");
    assert_eq!(hint.split('.').count(), 3, "{hint}");
    let session = page.cookie.split(';').next().expect("a cookie");
    let page = sign_out(&format!("{session}; upstate_id_token={hint}")).await;
    let ends = format!("post_logout_redirect_uri={back}&amp;id_token_hint={hint}\"");
    assert!(page.text.contains(&ends), "{}", page.text);
    let removed = "upstate_id_token=; Path=/ui/sign-out; HttpOnly; SameSite=Strict; Max-Age=0";
    assert!(
        page.cookies.iter().any(|cookie| cookie == removed),
        "{:?}",
        page.cookies
    );
    // One that is too long for the proxies between is not kept: they would refuse the whole answer.
    for (filler, is_kept) in [(1000, true), (2000, false)] {
        let begun = scene.begin("/").await;
        let mut claims = scene.claims(&begun, "s1", "kim@example.com");
        claims["filler"] = json!("x".repeat(filler));
        let page = scene.end(&begun, &claims).await;
        assert_eq!(page.status, 303, "{}", page.text);
        let length: usize = page.cookies.iter().map(String::len).sum();
        assert!(length < 3000, "{length} bytes of cookies");
        let is_removed = page.cookies.iter().any(|cookie| cookie == removed);
        assert_eq!(is_removed, !is_kept, "{:?}", page.cookies);
    }
    // One that no cookie holds is left out, and so is what is none.
    for other in ["a b", "%3Cscript%3E", &"x".repeat(2501)] {
        let session = scene.session("s1", "kim@example.com", &["platform"]).await;
        let page = sign_out(&format!("{session}; upstate_id_token={other}")).await;
        assert!(page.text.contains(&link), "{other}: {}", page.text);
    }
    let page = visit(&scene.world, "/ui/sign-in/callback", "").await;
    assert_eq!((page.status, &*page.location), (303, "/"));
    // No script of a provider runs here.
    configure("javascript:alert(1)");
    scene.world.wait(Duration::from_hours(2));
    let cookie = scene.session("s1", "kim@example.com", &["platform"]).await;
    assert_eq!(sign_out(&cookie).await.status, 303);
    // Who signed in with a token is not there.
    configure(&format!("{own}/logout"));
    scene.world.wait(Duration::from_hours(2));
    let token = scene.world.token("ann", "acme", "read-state").await;
    let cookie = sign_in(&scene.world, &token).await;
    assert_eq!(sign_out(&cookie).await.status, 303);
}

/// A server that was just started knows nothing of a provider that it asks.
#[tokio::test]
async fn who_signs_out_at_a_slow_provider_keeps_nobody_from_signing_in() {
    let mut scene = Scene::new("email").await;
    let cookie = scene.session("s1", "kim@example.com", &["platform"]).await;
    let before = scene.world.service.clone();
    let (store, conduct) = (Arc::clone(before.store()), before.conduct().clone());
    scene.world.service = Service::with_clock(store, conduct, Arc::new(move || before.now()))
        .await
        .expect("a service");
    let home = visit(&scene.world, "/", &cookie).await;
    let form = format!("csrf={}", field(&home, "csrf"));
    let slow = scene.provider.state.slow.write().await;
    let page = submit(&scene.world, "/ui/sign-out", &cookie, &form).await;
    assert_eq!((page.status, &*page.location), (303, "/"), "{}", page.text);
    drop(slow);
    scene.begin("/").await;
}

#[tokio::test]
async fn groups_are_teams_as_of_each_sign_in() {
    let scene = Scene::new("email").await;
    let cookie = scene.session("s1", "kim@example.com", &["platform"]).await;
    assert_eq!(scene.sees(&cookie).await, 200);
    let other = scene.session("s1", "kim@example.com", &["others"]).await;
    assert_eq!(
        (scene.sees(&cookie).await, scene.sees(&other).await),
        (404, 404)
    );
    // Administrators find a new user, and other teams are left alone.
    let ann = scene.world.owner().await;
    let team = json!({ "data": { "type": "teams", "attributes": { "name": "dev", "grants": "read-state" } } });
    let team = ann.made("/api/v2/organizations/acme/teams", &team).await;
    let members = format!("/api/v2/teams/{team}/relationships/users");
    ann.post(
        &members,
        &json!({ "data": [{ "type": "users", "id": "kim@example.com" }] }),
    )
    .await
    .expect(204);
    scene.session("s1", "kim@example.com", &[]).await;
    assert_eq!(scene.sees(&cookie).await, 200);
}

/// A provider need not put into an ID token what it says to the holder of an access token.
#[tokio::test]
async fn what_an_id_token_lacks_is_asked_for() {
    let scene = Scene::new("email").await;
    let sign_in = async |person: &Value, claimed: Value| {
        scene.provider.describe(person.clone());
        let begun = scene.begin("/").await;
        let mut claims = scene.claims(&begun, "s1", "");
        let all = claims.as_object_mut().expect("claims");
        all.remove("email");
        all.remove("email_verified");
        all.extend(claimed.as_object().expect("claims").clone());
        scene.end(&begun, &claims).await
    };
    let kim = json!({
        "sub": "s1", "email": "kim@example.com", "email_verified": true, "groups": ["platform"],
    });
    let unverified = json!({ "sub": "s1", "email": "kim@example.com", "email_verified": false });
    // The address is that of the answer, so that the ID token verifies nothing.
    for claimed in [json!({}), json!({ "email_verified": true })] {
        let page = sign_in(&unverified, claimed).await;
        assert!(
            page.status == 401 && page.text.contains("not verified your e-mail"),
            "{}",
            page.text
        );
    }
    let page = sign_in(&kim, json!({})).await;
    assert_eq!(page.status, 303, "{}", page.text);
    let cookie = page.cookie.split(';').next().expect("a cookie").to_owned();
    assert_eq!(scene.sees(&cookie).await, 200);
    // The ID token goes before.
    let named = json!({ "email": "kim@example.com" });
    let alone = json!({ "email": "kim@example.com", "groups": [] });
    assert_eq!(sign_in(&kim, alone).await.status, 303);
    assert_eq!(scene.sees(&cookie).await, 404);
    assert_eq!(sign_in(&kim, named.clone()).await.status, 303);
    assert_eq!(scene.sees(&cookie).await, 200);
    // Null is not a list without groups, so that they are asked for.
    let null = json!({ "email": "kim@example.com", "groups": null });
    assert_eq!(sign_in(&kim, null).await.status, 303);
    assert_eq!(scene.sees(&cookie).await, 200);
    // Groups that are not known are not none.
    let fewer = json!({ "sub": "s1", "email": "kim@example.com" });
    let elsewhere = json!({ "email": "kim@example.com", "_claim_names": { "groups": "src1" } });
    let of_another = json!({ "sub": "s2", "email": "kim@example.com" });
    for (person, claimed, says) in [
        (&fewer, elsewhere, "in more groups"),
        (&of_another, named, "answer was refused"),
        (&of_another, json!({}), "answer was refused"),
        (&json!(["s1"]), json!({}), "answer was refused"),
        (
            &json!({ "email": "kim@example.com" }),
            json!({}),
            "answer was refused",
        ),
    ] {
        let page = sign_in(person, claimed).await;
        assert!(
            page.status == 401 && page.text.contains(says),
            "{person}: {} {}",
            page.status,
            page.text
        );
    }
    assert_eq!(scene.sees(&cookie).await, 200);
}

/// An answer without a name is not of a provider that says that it names itself.
#[tokio::test]
async fn a_provider_that_says_so_names_itself() {
    let scene = Scene::new("email").await;
    let issuer = &scene.provider.issuer;
    scene.provider.configure(json!({
        "issuer": issuer,
        "jwks_uri": format!("{issuer}/keys"),
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "authorization_response_iss_parameter_supported": true,
    }));
    let begun = scene.begin("/").await;
    let claims = scene.claims(&begun, "s1", "kim@example.com");
    let page = scene.end(&begun, &claims).await;
    assert!(
        page.status == 401 && page.text.contains("Another provider"),
        "{}",
        page.text
    );
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("code", "c1")
        .append_pair("state", &begun.sent["state"])
        .append_pair("iss", issuer)
        .finish();
    let path = format!("/ui/sign-in/callback?{query}");
    let page = visit(&scene.world, &path, &begun.cookie).await;
    assert_eq!(page.status, 303, "{}", page.text);
}

/// Some providers refuse a scope that they do not list.
#[tokio::test]
async fn groups_are_a_scope_where_the_provider_has_it() {
    for (scopes, asked) in [
        (
            json!(["openid", "email", "profile"]),
            "openid email profile",
        ),
        (json!(["openid", "groups"]), "openid email profile groups"),
    ] {
        let scene = Scene::new("email").await;
        let issuer = &scene.provider.issuer;
        scene.provider.configure(json!({
            "issuer": issuer,
            "jwks_uri": format!("{issuer}/keys"),
            "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"),
            "scopes_supported": scopes,
        }));
        assert_eq!(scene.begin("/").await.sent["scope"], asked);
    }
    let provider = Provider::start().await;
    let people = People {
        scopes: Some(["openid", "email", " roles", ""].map(str::to_owned).into()),
        ..people_of(&provider.issuer, "email")
    };
    let page = visit(&world_of(people).await, "/ui/sign-in/provider", "").await;
    assert!(
        page.location.contains("&scope=openid+email+roles&"),
        "{}",
        page.location
    );
}

#[tokio::test]
async fn a_leaver_loses_everything_at_once() {
    let scene = Scene::new("email").await;
    let cookie = scene.session("s1", "kim@example.com", &["platform"]).await;
    let store = scene.world.service.store();
    let kim = store
        .user("kim@example.com")
        .await
        .expect("a store")
        .expect("a user");
    let acme = store
        .organization("acme")
        .await
        .expect("a store")
        .expect("an organization")
        .id;
    let member = TokenFor::Member {
        name: kim.name.clone(),
        organization: acme.clone(),
        within: Permissions::ALL,
    };
    let token = scene
        .world
        .service
        .create_token("test", member, "", None, None)
        .await
        .expect("a token")
        .secret;
    scene
        .world
        .client(&token)
        .get("/api/v2/account/details")
        .await
        .expect(200);
    scene
        .world
        .service
        .remove_named("test", &kim, Some(&acme))
        .await
        .expect("removed");
    assert_eq!(scene.sees(&cookie).await, 404);
    scene
        .world
        .client(&token)
        .get("/api/v2/account/details")
        .await
        .refused(401, "unknown");
    scene
        .world
        .service
        .remove_named("test", &kim, None)
        .await
        .expect("removed");
    assert_eq!(scene.sees(&cookie).await, 401);
}

/// Both are the user's first sign-in, by two tabs of a browser.
#[tokio::test]
async fn a_sign_in_finds_what_another_one_of_the_same_person_made_meanwhile() {
    let scene = Scene::new("email").await;
    // At each moment at which the server looks at the clock, up to when it is too late.
    for looks in 0.. {
        let begun = scene.begin("/").await;
        let (sub, email) = (format!("s{looks}"), format!("kim{looks}@example.com"));
        let claims = scene.claims(&begun, &sub, &email);
        let database = rusqlite::Connection::open(scene.world.folder.path().join("upstate.db"))
            .expect("the database");
        let is_signed_in = Arc::new(AtomicBool::new(false));
        let (other, issuer) = (Arc::clone(&is_signed_in), scene.provider.issuer.clone());
        scene.code(&begun, "c1", scene.signer.token("one", &claims));
        scene.world.meanwhile(looks, move || {
            let sql = r#"INSERT OR IGNORE INTO subject ("user", issuer, subject) SELECT id, ?1, ?2 FROM "user" WHERE name = ?3"#;
            database
                .execute(sql, [&issuer, &sub, &email])
                .expect("it is written");
            other.store(true, Ordering::Relaxed);
        });
        let page = scene.back(&begun.cookie, "c1", &begun.sent["state"]).await;
        assert_eq!(page.status, 303, "after {looks} looks: {}", page.text);
        if !is_signed_in.load(Ordering::Relaxed) {
            assert!(looks > 0, "a sign-in never looks at the clock");
            break;
        }
    }
}

/// A provider gives a name to another subject, or lets its users choose a name that somebody has.
#[tokio::test]
async fn a_name_stays_with_its_subject() {
    let scene = Scene::new("preferred_username").await;
    let sign_in = async |sub: &str, name: &str| {
        let begun = scene.begin("/").await;
        let mut claims = scene.claims(&begun, sub, "x@example.com");
        claims["preferred_username"] = json!(name);
        scene.end(&begun, &claims).await
    };
    assert_eq!(sign_in("s1", "kim").await.status, 303);
    let page = sign_in("s2", "kim").await;
    assert!(
        page.status == 401 && page.text.contains("gave your name to another person"),
        "{}",
        page.text
    );
    // Another name of the same subject is the same user.
    let renamed = sign_in("s1", "kate").await;
    let home = visit(
        &scene.world,
        "/",
        renamed.cookie.split(';').next().expect("a cookie"),
    )
    .await;
    home.has("Signed in as kim");
    assert!(
        scene
            .world
            .service
            .store()
            .user("kate")
            .await
            .expect("a store")
            .is_none()
    );
    for name in ["", "a b", "../x", &"x".repeat(100)] {
        assert_eq!(sign_in("s3", name).await.status, 422, "{name}");
    }
    // The user of the first start may do everything, and has no subject.
    let (acme, _) = scene
        .world
        .service
        .ensure_organization("test", "acme")
        .await
        .expect("an organization");
    scene
        .world
        .service
        .make_owner("test", "owner", &acme.id)
        .await
        .expect("an owner");
    for name in ["owner", "import"] {
        let page = sign_in("s4", name).await;
        assert!(
            page.status == 401 && page.text.contains("that this server made itself"),
            "{name}: {}",
            page.text
        );
    }
}

#[tokio::test]
async fn what_another_sign_in_has_is_refused() {
    let scene = Scene::new("email").await;
    let mine = scene.begin("/").await;
    let other = scene.begin("/").await;
    let claims = |begun: &Begun| scene.claims(begun, "s1", "kim@example.com");
    let changed = |name: &str, value: Value| {
        let mut claims = claims(&mine);
        claims[name] = value;
        claims
    };
    let refused = async |page: Page, says: &str| {
        assert!(
            page.status == 401 && page.text.contains(says),
            "{says}: {} {}",
            page.status,
            page.text
        );
        assert!(page.cookie.contains("upstate_sign_in=;"), "{}", page.cookie);
    };
    // Nothing, another browser's cookie, or a cookie that leads elsewhere afterwards.
    let good = scene.signer.token("one", &claims(&mine));
    scene.code(&mine, "c0", good.clone());
    let begun_here = "was not begun in this browser";
    refused(scene.back("", "c0", &mine.sent["state"]).await, begun_here).await;
    refused(
        scene.back(&other.cookie, "c0", &mine.sent["state"]).await,
        begun_here,
    )
    .await;
    refused(
        scene.back(&mine.cookie, "c0", &other.sent["state"]).await,
        begun_here,
    )
    .await;
    refused(scene.back(&mine.cookie, "c0", "").await, begun_here).await;
    refused(
        scene
            .back(&format!("{}ui", mine.cookie), "c0", &mine.sent["state"])
            .await,
        begun_here,
    )
    .await;
    refused(
        scene.back(&mine.cookie, "", &mine.sent["state"]).await,
        "did not sign you in",
    )
    .await;
    let endless = "x".repeat(51);
    for (error, says) in [
        ("access_denied", "did not sign you in: access_denied. "),
        ("Call+0800", "did not sign you in. "),
        ("", "did not sign you in. "),
        (&*endless, "did not sign you in. "),
    ] {
        let query = format!("error={error}&state={}", mine.sent["state"]);
        let path = format!("/ui/sign-in/callback?{query}");
        refused(visit(&scene.world, &path, &mine.cookie).await, says).await;
    }
    let query = format!(
        "code=c0&state={}&iss=https%3A%2F%2Fevil.example.com",
        mine.sent["state"]
    );
    refused(
        visit(
            &scene.world,
            &format!("/ui/sign-in/callback?{query}"),
            &mine.cookie,
        )
        .await,
        "Another provider",
    )
    .await;
    // The code of another sign-in has another verifier, its ID token another nonce.
    let wrong = "answer was refused";
    scene.code(&other, "c1", scene.signer.token("one", &claims(&other)));
    refused(
        scene.back(&mine.cookie, "c1", &mine.sent["state"]).await,
        wrong,
    )
    .await;
    for claims in [
        claims(&other),
        changed("nonce", Value::Null),
        changed("aud", json!("another")),
        changed("azp", json!("another")),
        changed("iss", json!("https://evil.example.com")),
        changed("exp", json!(1)),
    ] {
        refused(scene.end(&mine, &claims).await, wrong).await;
    }
    for token in [
        hs256("one", b"s3cret :", &claims(&mine)),
        Signer::ec().token("one", &claims(&mine)),
        String::new(),
    ] {
        scene.code(&mine, "c2", token);
        refused(
            scene.back(&mine.cookie, "c2", &mine.sent["state"]).await,
            wrong,
        )
        .await;
    }
    refused(
        scene
            .end(&mine, &changed("email_verified", json!(false)))
            .await,
        "not verified your e-mail",
    )
    .await;
    refused(
        scene.end(&mine, &changed("sub", json!(""))).await,
        "names no subject",
    )
    .await;
    // A code is redeemed once, and a sign-in ends in time.
    assert_eq!(
        scene
            .back(&mine.cookie, "c0", &mine.sent["state"])
            .await
            .status,
        303
    );
    refused(
        scene.back(&mine.cookie, "c0", &mine.sent["state"]).await,
        wrong,
    )
    .await;
    scene.world.wait(Duration::from_mins(11));
    scene.code(&mine, "c3", good);
    refused(
        scene.back(&mine.cookie, "c3", &mine.sent["state"]).await,
        begun_here,
    )
    .await;
    let log = scene
        .world
        .service
        .store()
        .audit(
            &AuditFilter::default(),
            store::Page {
                number: 1,
                size: 100,
            },
        )
        .await;
    let lines = format!("{:?}", log.expect("a log").items);
    assert!(
        lines.contains("session.begin")
            && lines.contains("sign-in.fail")
            && lines.contains("user.bind")
    );
    assert!(!lines.contains("s3cret"));
}

#[tokio::test]
async fn a_sign_in_leads_to_pages_of_this_server_only() {
    let scene = Scene::new("email").await;
    for next in [
        "https%3A%2F%2Fevil.example.com",
        "%2F%2Fevil.example.com",
        "%2Fui%2F..%2F%5Cevil",
        "%2Fapi%2Fv2",
    ] {
        let begun = scene.begin(next).await;
        let page = scene
            .end(&begun, &scene.claims(&begun, "s1", "kim@example.com"))
            .await;
        assert_eq!((page.status, &*page.location), (303, "/"), "{next}");
    }
    // Without a provider there is no such way.
    let world = World::new().await;
    assert_eq!(visit(&world, "/ui/sign-in/provider", "").await.status, 404);
    assert_eq!(
        visit(&world, "/ui/sign-in/callback?code=x&state=y", "")
            .await
            .status,
        404
    );
    assert!(
        !visit(&world, "/", "")
            .await
            .text
            .contains("/ui/sign-in/provider")
    );
    // A provider that fails is not the visitor's fault.
    scene.provider.fail(true);
    scene.world.wait(Duration::from_mins(61));
    assert_eq!(
        visit(&scene.world, "/ui/sign-in/provider", "").await.status,
        303
    );
    let fresh = Scene::new("email").await;
    fresh.provider.fail(true);
    for _ in 0..5 {
        let page = visit(&fresh.world, "/ui/sign-in/provider", "").await;
        assert!(
            page.status == 503 && page.text.contains("does not answer"),
            "{} {}",
            page.status,
            page.text
        );
    }
    // Visitors do not make it more.
    assert_eq!(fresh.provider.asked(), 1);
}
