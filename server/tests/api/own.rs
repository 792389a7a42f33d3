//! The pages for one's own tokens and sessions, for trusts, and the cookie behind them.

use axum::body::Body;
use axum::http::Request;
use tower::ServiceExt as _;
use upstate_server::__internal::model::{AuditFilter, Permissions};
use upstate_server::__internal::service::TokenFor;
use upstate_server::__internal::store::Page as Listed;
use upstate_server::__internal::web;

use crate::page::{Page, field, sign_in, sign_in_as, submit, visit};
use crate::world::World;

const TOKENS: &str = "/ui/tokens";
const TRUSTS: &str = "/ui/organizations/acme/trusts";

/// The links of a page that end in a word.
fn links(page: &Page, end: &str) -> Vec<String> {
    let all = page
        .text
        .split("href=\"")
        .filter_map(|part| part.split('"').next());
    all.filter(|link| link.ends_with(end))
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn people_see_and_revoke_their_own_tokens() {
    let world = World::new().await;
    world.owner().await;
    let narrow = world.token("ann", "acme", "read-state").await;
    let wide = world
        .token("ann", "acme", "read-state,lock,write-state")
        .await;
    world.token("ann", "other", "read-state").await;
    world.token("bob", "acme", "read-state").await;
    let whole = world
        .token("ann", "acme", &Permissions::ALL.to_string())
        .await;
    // A token sees those that grant no more than it does, itself among them.
    let narrow_cookie = sign_in(&world, &narrow).await;
    let page = visit(&world, TOKENS, &narrow_cookie).await;
    assert_eq!(
        (page.status, links(&page, "/revoke").len()),
        (200, 0),
        "{}",
        page.text
    );
    page.has("in use here");
    page.has("acme, only read-state");
    let cookie = sign_in(&world, &wide).await;
    let page = visit(&world, TOKENS, &cookie).await;
    assert_eq!(links(&page, "/revoke").len(), 1, "{}", page.text);
    let whole_cookie = sign_in(&world, &whole).await;
    let home = visit(&world, "/", &whole_cookie).await;
    home.has("href=\"/ui/tokens\"");
    let all = visit(&world, TOKENS, &whole_cookie).await;
    assert_eq!(links(&all, "/revoke").len(), 3, "{}", all.text);
    all.lacks("other");
    // A form of another visitor revokes nothing, because a token that is not shown does not exist
    // for it.
    let of_whole = links(&all, "/revoke");
    let proof = field(&page, "csrf");
    let foreign = of_whole
        .iter()
        .find(|link| !links(&page, "/revoke").contains(*link))
        .expect("a token")
        .clone();
    assert_eq!(visit(&world, &foreign, &narrow_cookie).await.status, 404);
    let narrows = field(&visit(&world, TOKENS, &narrow_cookie).await, "csrf");
    assert_eq!(
        submit(&world, &foreign, &narrow_cookie, &format!("csrf={narrows}"))
            .await
            .status,
        404
    );
    let link = links(&page, "/revoke").remove(0);
    assert_eq!(
        submit(&world, &link, &cookie, &format!("csrf={narrows}"))
            .await
            .status,
        403
    );
    let asked = visit(&world, &link, &cookie).await;
    asked.has("Keep it");
    asked.has("errored.tfstate");
    world
        .client(&narrow)
        .get("/api/v2/organizations/acme")
        .await
        .expect(200);
    let revoked = submit(&world, &link, &cookie, &format!("csrf={proof}")).await;
    assert_eq!(
        (revoked.status, revoked.location.as_str()),
        (303, TOKENS),
        "{}",
        revoked.text
    );
    world
        .client(&narrow)
        .get("/api/v2/organizations/acme")
        .await
        .expect(401);
    assert_eq!(visit(&world, TOKENS, &narrow_cookie).await.status, 401);
    assert_eq!(visit(&world, &link, &cookie).await.status, 404);
    let filter = AuditFilter {
        action: Some("token.remove".to_owned()),
        ..AuditFilter::default()
    };
    let log = world
        .service
        .store()
        .audit(&filter, Listed { number: 1, size: 9 })
        .await
        .expect("a log");
    assert!(
        log.total == 1 && log.items[0].who.starts_with("user ann ("),
        "{log:?}"
    );
    // An expired one is over, and a token of no user has no others.
    world.wait(std::time::Duration::from_hours(1));
    let (acme, _) = world
        .service
        .ensure_organization("test", "acme")
        .await
        .expect("an organization");
    let of_acme = world
        .service
        .create_token("test", TokenFor::Organization(acme.id), "", None, None)
        .await
        .expect("a token");
    let reader = sign_in(&world, &of_acme.secret).await;
    let page = visit(&world, TOKENS, &reader).await;
    assert_eq!(
        (page.status, links(&page, "/revoke").len()),
        (200, 0),
        "{}",
        page.text
    );
    assert_eq!(visit(&world, TOKENS, "").await.status, 401);
}

#[tokio::test]
async fn administrators_trust_jobs_and_stop_it() {
    let world = World::new().await;
    let ann = world.owner().await;
    ann.workspace("net").await;
    let admin = sign_in_as(&world, "eve", "acme", "admin,read-state,write-state").await;
    let reader = sign_in_as(&world, "rob", "acme", "read-state").await;
    let other = sign_in_as(&world, "zoe", "other", "admin").await;
    for (who, status) in [(&reader, 403), (&other, 404), (&String::new(), 401)] {
        assert_eq!(visit(&world, TRUSTS, who).await.status, status);
    }
    let page = visit(&world, TRUSTS, &admin).await;
    page.has("There is no trust yet.");
    page.lacks("style=");
    let proof = field(&page, "csrf");
    let form = |name: &str, claims: &str, place: &str| {
        format!(
            "csrf={proof}&name={name}&issuer=https%3A%2F%2Fci.example.com&audience=upstate&{claims}&{place}&can=read-state&can=lock"
        )
    };
    let main = "claim=sub&value=repo%3Aacme%2Finfra%3Aref%3Arefs%2Fheads%2Fmain&claim=&value=&claim=&value=";
    let net = "kind=workspace&place=net";
    for (form, status, why) in [
        (
            form("main", "claim=sub&value=", net),
            422,
            "claims must say whose jobs are meant",
        ),
        (
            form("main", "claim=&value=x", net),
            422,
            "has no claim: name it",
        ),
        (
            form("main", "claim=a&value=x&claim=a&value=y", net),
            422,
            "is there twice",
        ),
        (
            form("main", main, "kind=workspace&place=nothing"),
            404,
            "workspace",
        ),
        (
            form("main", main, "kind=project&place=nothing"),
            404,
            "project",
        ),
        (
            form("main", main, net).replace("ci.example.com", "10.0.0.1"),
            422,
            "is not a public address",
        ),
        (
            form("main", main, net).replace("&can=read-state&can=lock", ""),
            422,
            "name what the jobs may do",
        ),
        (
            form("main", main, net).replace(&proof, "00"),
            403,
            "not made for you",
        ),
    ] {
        let refused = submit(&world, TRUSTS, &admin, &form).await;
        assert!(
            refused.status == status && refused.text.contains(why),
            "{why}: {} {}",
            refused.status,
            refused.text
        );
    }
    assert_eq!(
        submit(&world, TRUSTS, &reader, &form("main", main, net))
            .await
            .status,
        403
    );
    let made = submit(&world, TRUSTS, &admin, &form("main", main, net)).await;
    assert_eq!(
        (made.status, made.location.as_str()),
        (303, TRUSTS),
        "{}",
        made.text
    );
    let made = submit(
        &world,
        TRUSTS,
        &admin,
        &form("all", main, "kind=project&place=Default+Project"),
    )
    .await;
    assert_eq!(made.status, 303, "{}", made.text);
    let page = visit(&world, TRUSTS, &admin).await;
    for part in [
        "read-state,lock in workspace net",
        "sub = repo:acme/infra:ref:refs/heads/main",
        "in project Default Project",
        "trust-",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let link = links(&page, "/remove").remove(0);
    for (who, status) in [(&reader, 403), (&other, 404)] {
        assert_eq!(visit(&world, &link, who).await.status, status);
    }
    let asked = visit(&world, &link, &admin).await;
    asked.has("Remove the trust all");
    asked.has("Keep it");
    // One of another organization is not there under this one.
    let owner_of_other = sign_in_as(&world, "zoe", "other", "admin,read-state").await;
    let moved = link.replace("/organizations/acme/", "/organizations/other/");
    assert_eq!(visit(&world, &moved, &owner_of_other).await.status, 404);
    assert_eq!(
        submit(&world, &link, &admin, &format!("csrf={proof}"))
            .await
            .status,
        303
    );
    let page = visit(&world, TRUSTS, &admin).await;
    assert_eq!(links(&page, "/remove").len(), 1, "{}", page.text);
    assert_eq!(
        submit(&world, &link, &admin, &format!("csrf={proof}"))
            .await
            .status,
        404
    );
}

#[tokio::test]
async fn no_other_host_sets_the_cookie_of_a_session() {
    let world = World::new().await;
    let token = world.token("ann", "acme", "read-state").await;
    let ask = async |method: &str, path: &str, cookie: String, form: String| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("cookie", cookie)
            .header("sec-fetch-site", "same-origin");
        let request = request.body(Body::from(form)).expect("a request");
        let answer = web::router(world.service.clone(), "https://up.test")
            .oneshot(request)
            .await
            .expect("an answer");
        let cookie = answer
            .headers()
            .get("set-cookie")
            .map(|value| value.to_str().expect("text").to_owned());
        (answer.status().as_u16(), cookie.unwrap_or_default())
    };
    let (status, cookie) = ask(
        "POST",
        "/ui/sign-in",
        String::new(),
        format!("token={token}"),
    )
    .await;
    assert_eq!(status, 303);
    assert!(
        cookie.starts_with("__Host-upstate_token=")
            && cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"),
        "{cookie}"
    );
    let kept = cookie.split(';').next().expect("a cookie").to_owned();
    assert_eq!(
        ask("GET", "/ui/organizations/acme", kept.clone(), String::new())
            .await
            .0,
        200
    );
    // Under the name that other hosts can set, it is none.
    let set = kept.replace("__Host-", "");
    assert_eq!(
        ask("GET", "/ui/organizations/acme", set, String::new())
            .await
            .0,
        401
    );
    let (status, _) = ask("GET", "/ui/nothing", kept, String::new()).await;
    assert_eq!(status, 404);
}
