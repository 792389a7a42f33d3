//! The page for people.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::json;
use tower::ServiceExt as _;
use upstate_server::web;

use crate::schemas::{account, filled, new, old, registry};
use crate::world::{BASE, World};

struct Page {
    status: u16,
    location: String,
    cookie: String,
    policy: String,
    text: String,
}

async fn send(world: &World, method: &str, path: &str, cookie: &str, form: &str) -> Page {
    send_from(world, "same-origin", method, path, cookie, form).await
}

/// As a browser sends it that has the form from such a site.
async fn send_from(world: &World, site: &str, method: &str, path: &str, cookie: &str, form: &str) -> Page {
    let request = Request::builder().method(method).uri(path).header("cookie", cookie).header("sec-fetch-site", site);
    let request = request.body(Body::from(form.to_owned()));
    let response = web::router(world.service.clone(), BASE).oneshot(request.expect("a request")).await.expect("an answer");
    let header =
        |name: &str| response.headers().get(name).map(|value| value.to_str().expect("text").to_owned()).unwrap_or_default();
    let (location, cookie, policy) = (header("location"), header("set-cookie"), header("content-security-policy"));
    let status = response.status().as_u16();
    let text = String::from_utf8(response.into_body().collect().await.expect("a body").to_bytes().to_vec()).expect("text");
    Page { status, location, cookie, policy, text }
}

/// Signs in with a token; the cookie that a browser keeps.
async fn sign_in(world: &World, token: &str) -> String {
    let page = send(world, "POST", "/ui/sign-in", "", &format!("token={token}")).await;
    assert_eq!((page.status, &*page.location), (303, "/"));
    assert!(page.cookie.contains("HttpOnly; SameSite=Strict"), "{}", page.cookie);
    page.cookie.split(';').next().expect("a cookie").to_owned()
}

/// What a form of a page carries.
fn field(page: &Page, name: &str) -> String {
    let start = page.text.find(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("no {name}: {}", page.text));
    page.text[start..].split('"').nth(3).expect("a value").to_owned()
}

#[tokio::test]
async fn somebody_signs_in_looks_and_upgrades() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let hostile = account(
        "evil",
        1,
        &json!({
            "id": "e", "title": "<script>alert(1)</script>\u{202e}", "password": "hunter22", "retries": null,
        }),
    );
    let net = filled(&ann, "net", &[old("a"), new("b"), hostile]).await;
    let token = world.token("ann", "acme", "read-state,write-state").await;
    // Nobody is signed in.
    let page = send(&world, "GET", "/", "", "").await;
    assert!(page.status == 200 && page.text.contains("Sign in"), "{}", page.text);
    assert_eq!(page.policy, "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
    assert_eq!(send(&world, "GET", &format!("/ui/workspaces/{net}"), "", "").await.status, 401);
    assert_eq!(send(&world, "POST", "/ui/sign-in", "", "token=wrong").await.status, 401);
    // Somebody is.
    let cookie = sign_in(&world, &token).await;
    assert!(send(&world, "GET", "/", &cookie, "").await.text.contains("/ui/organizations/acme"));
    let page = send(&world, "GET", "/ui/organizations/acme", &cookie, "").await;
    assert!(page.text.contains(&format!("/ui/workspaces/{net}")) && page.text.contains("needs an upgrade"), "{}", page.text);
    let page = send(&world, "GET", &format!("/ui/workspaces/{net}"), &cookie, "").await;
    let version = ann.current(&net).await.expect(200).id();
    assert!(page.text.contains(&format!("/ui/state-versions/{version}")), "{}", page.text);
    let plan = send(&world, "GET", &format!("/ui/state-versions/{version}"), &cookie, "").await;
    assert!(plan.text.contains("2 of 3 instances would be upgraded"), "{}", plan.text);
    assert!(!plan.text.contains("<script") && !plan.text.contains('\u{202e}') && !plan.text.contains("hunter"), "{}", plan.text);
    // A form that another site sends, and one of a page that is no longer true.
    let path = format!("/ui/workspaces/{net}/upgrade");
    assert_eq!(send(&world, "POST", &path, &cookie, &format!("version={version}")).await.status, 403);
    assert_eq!(send(&world, "POST", &path, &cookie, &format!("version={version}&csrf=00")).await.status, 403);
    let proof = field(&plan, "csrf");
    assert_eq!(send(&world, "POST", &path, &cookie, &format!("version=sv-other&csrf={proof}")).await.status, 412);
    assert_eq!(ann.versions("net").await.len(), 1);
    let upgraded = send(&world, "POST", &path, &cookie, &format!("version={}&csrf={proof}", field(&plan, "version"))).await;
    assert_eq!((upgraded.status, upgraded.location), (303, format!("/ui/workspaces/{net}")));
    assert_eq!(ann.versions("net").await.len(), 2);
    let page = send(&world, "GET", &format!("/ui/workspaces/{net}"), &cookie, "").await;
    assert!(page.text.contains("an upgrade"), "{}", page.text);
    // And leaves.
    let left = send(&world, "POST", "/ui/sign-out", &cookie, &format!("csrf={proof}")).await;
    assert!(left.status == 303 && left.cookie.contains("Max-Age=0"), "{}", left.cookie);
}

#[tokio::test]
async fn a_page_shows_what_a_token_may_see_and_nothing_else() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let version = ann.current(&net).await.expect(200).id();
    let reader = sign_in(&world, &world.token("rob", "acme", "read-state").await).await;
    let other = sign_in(&world, &world.token("zoe", "other", "read-state,write-state").await).await;
    let outputs = sign_in(&world, &world.token("kim", "acme", "read-outputs").await).await;
    for path in ["/ui/organizations/acme".to_owned(), format!("/ui/workspaces/{net}"), format!("/ui/state-versions/{version}")] {
        assert_eq!(send(&world, "GET", &path, &reader, "").await.status, 200, "{path}");
        assert_eq!(send(&world, "GET", &path, &other, "").await.status, 404, "{path}");
        assert_eq!(send(&world, "GET", &path, &outputs, "").await.status, 403, "{path}");
    }
    let plan = send(&world, "GET", &format!("/ui/state-versions/{version}"), &reader, "").await;
    let form = format!("version={version}&csrf={}", field(&plan, "csrf"));
    assert_eq!(send(&world, "POST", &format!("/ui/workspaces/{net}/upgrade"), &reader, &form).await.status, 403);
    assert_eq!(send(&world, "POST", &format!("/ui/workspaces/{net}/upgrade"), &other, &form).await.status, 403);
    assert_eq!(ann.versions("net").await.len(), 1);
}

#[tokio::test]
async fn no_other_site_signs_anybody_in() {
    let world = World::knowing(registry()).await;
    let token = world.token("ann", "acme", "read-state").await;
    for site in ["cross-site", "same-site"] {
        let page = send_from(&world, site, "POST", "/ui/sign-in", "", &format!("token={token}")).await;
        assert_eq!((page.status, &*page.cookie), (403, ""), "{site}");
        assert!(page.text.contains("Another site sent this form."), "{}", page.text);
    }
    assert_eq!(send_from(&world, "none", "POST", "/ui/sign-in", "", &format!("token={token}")).await.status, 303);
}
