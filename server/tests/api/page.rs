//! The page for people.

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::json;
use tower::ServiceExt as _;
use upstate_server::__internal::web;

use crate::schemas::{account, filled, new, old, registry, stuck};
use crate::world::{BASE, State, World};

pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) location: String,
    pub(crate) cookie: String,
    policy: String,
    /// Every cookie that is set.
    pub(crate) cookies: Vec<String>,
    pub(crate) kept: String,
    /// The type of the body, and its name as a file.
    pub(crate) file: (String, String),
    pub(crate) text: String,
}

impl Page {
    /// Fails without this part of the text.
    #[track_caller]
    pub(crate) fn has(&self, part: &str) {
        assert!(self.text.contains(part), "no {part}: {}", self.text);
    }

    /// Fails with this part of the text.
    #[track_caller]
    pub(crate) fn lacks(&self, part: &str) {
        assert!(!self.text.contains(part), "{part}: {}", self.text);
    }
}

/// Opens a page.
pub(crate) async fn visit(world: &World, path: &str, cookie: &str) -> Page {
    send_from(world, "same-origin", "GET", path, cookie, "").await
}

/// Sends a form of a page.
pub(crate) async fn submit(world: &World, path: &str, cookie: &str, form: &str) -> Page {
    send_from(world, "same-origin", "POST", path, cookie, form).await
}

/// Sends a form of a page as it comes.
pub(crate) async fn submit_body(world: &World, path: &str, cookie: &str, form: Body) -> Page {
    send_body(world, "same-origin", "POST", path, cookie, form).await
}

/// As a browser sends it that has the form from such a site.
async fn send_from(
    world: &World,
    site: &str,
    method: &str,
    path: &str,
    cookie: &str,
    form: &str,
) -> Page {
    send_body(world, site, method, path, cookie, form.to_owned().into()).await
}

async fn send_body(
    world: &World,
    site: &str,
    method: &str,
    path: &str,
    cookie: &str,
    form: Body,
) -> Page {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("cookie", cookie)
        .header("sec-fetch-site", site);
    let request = request.body(form);
    let response = web::router(world.service.clone(), BASE)
        .oneshot(request.expect("a request"))
        .await
        .expect("an answer");
    let header = |name: &str| {
        response
            .headers()
            .get(name)
            .map(|value| value.to_str().expect("text").to_owned())
            .unwrap_or_default()
    };
    let (location, cookie, policy) = (
        header("location"),
        header("set-cookie"),
        header("content-security-policy"),
    );
    let (kept, file) = (
        header("cache-control"),
        (header("content-type"), header("content-disposition")),
    );
    let cookies = response.headers().get_all("set-cookie");
    let cookies = cookies
        .iter()
        .map(|value| value.to_str().expect("text").to_owned())
        .collect();
    let status = response.status().as_u16();
    let text = String::from_utf8(
        response
            .into_body()
            .collect()
            .await
            .expect("a body")
            .to_bytes()
            .to_vec(),
    )
    .expect("text");
    Page {
        status,
        location,
        cookie,
        policy,
        cookies,
        kept,
        file,
        text,
    }
}

/// Signs in with a token; the cookie that a browser keeps.
pub(crate) async fn sign_in(world: &World, token: &str) -> String {
    let page = submit(world, "/ui/sign-in", "", &format!("token={token}")).await;
    assert_eq!((page.status, &*page.location), (303, "/"));
    assert!(
        page.cookie.contains("HttpOnly; SameSite=Lax"),
        "{}",
        page.cookie
    );
    page.cookie.split(';').next().expect("a cookie").to_owned()
}

/// Signs in as a user, with a token that may do this in an organization.
pub(crate) async fn sign_in_as(world: &World, user: &str, org: &str, can: &str) -> String {
    sign_in(world, &world.token(user, org, can).await).await
}

/// What a form of a page carries.
pub(crate) fn field(page: &Page, name: &str) -> String {
    let start = page
        .text
        .find(&format!("name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("no {name}: {}", page.text));
    page.text[start..]
        .split('"')
        .nth(3)
        .expect("a value")
        .to_owned()
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
    let page = visit(&world, "/", "").await;
    assert!(
        page.status == 200 && page.text.contains("Sign in"),
        "{}",
        page.text
    );
    assert_eq!(
        page.policy,
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    );
    assert_eq!(
        visit(&world, &format!("/ui/workspaces/{net}"), "")
            .await
            .status,
        401
    );
    assert_eq!(
        submit(&world, "/ui/sign-in", "", "token=wrong")
            .await
            .status,
        401
    );
    // Somebody is.
    let cookie = sign_in(&world, &token).await;
    assert!(
        visit(&world, "/", &cookie)
            .await
            .text
            .contains("/ui/organizations/acme")
    );
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    page.has(&format!("/ui/workspaces/{net}"));
    page.has("needs an upgrade");
    let page = visit(&world, &format!("/ui/workspaces/{net}"), &cookie).await;
    let version = ann.current(&net).await.expect(200).id();
    page.has(&format!("/ui/state-versions/{version}"));
    let plan = visit(
        &world,
        &format!("/ui/state-versions/{version}/plan"),
        &cookie,
    )
    .await;
    plan.has("2 of 3 instances would be upgraded");
    plan.lacks("<script>");
    plan.lacks("\u{202e}");
    plan.lacks("hunter");
    // A form that another site sends, and one of a page that is no longer true.
    let path = format!("/ui/workspaces/{net}/upgrade");
    assert_eq!(
        submit(&world, &path, &cookie, &format!("version={version}"))
            .await
            .status,
        403
    );
    assert_eq!(
        submit(
            &world,
            &path,
            &cookie,
            &format!("version={version}&csrf=00")
        )
        .await
        .status,
        403
    );
    let proof = field(&plan, "csrf");
    assert_eq!(
        submit(
            &world,
            &path,
            &cookie,
            &format!("version=sv-other&csrf={proof}")
        )
        .await
        .status,
        412
    );
    assert_eq!(ann.versions("net").await.len(), 1);
    let upgraded = submit(
        &world,
        &path,
        &cookie,
        &format!("version={}&csrf={proof}", field(&plan, "version")),
    )
    .await;
    let new = ann.current(&net).await.expect(200).id();
    assert_eq!(
        (upgraded.status, upgraded.location),
        (303, format!("/ui/state-versions/{new}"))
    );
    assert_eq!(ann.versions("net").await.len(), 2);
    let page = visit(&world, &format!("/ui/workspaces/{net}"), &cookie).await;
    page.has(">upgrade<");
    // And leaves.
    let left = submit(&world, "/ui/sign-out", &cookie, &format!("csrf={proof}")).await;
    assert!(
        left.status == 303 && left.cookie.contains("Max-Age=0"),
        "{}",
        left.cookie
    );
}

#[tokio::test]
async fn a_page_shows_what_a_token_may_see_and_nothing_else() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let version = ann.current(&net).await.expect(200).id();
    let reader = sign_in_as(&world, "rob", "acme", "read-state").await;
    let other = sign_in_as(&world, "zoe", "other", "read-state,write-state").await;
    let outputs = sign_in_as(&world, "kim", "acme", "read-outputs").await;
    for path in [
        "/ui/organizations/acme".to_owned(),
        format!("/ui/workspaces/{net}"),
        format!("/ui/state-versions/{version}"),
    ] {
        assert_eq!(visit(&world, &path, &reader).await.status, 200, "{path}");
        assert_eq!(visit(&world, &path, &other).await.status, 404, "{path}");
        assert_eq!(visit(&world, &path, &outputs).await.status, 403, "{path}");
    }
    let plan = visit(
        &world,
        &format!("/ui/state-versions/{version}/plan"),
        &reader,
    )
    .await;
    plan.lacks("Upgrade net");
    plan.has("it needs the permission");
    let form = format!("version={version}&csrf={}", field(&plan, "csrf"));
    assert_eq!(
        submit(
            &world,
            &format!("/ui/workspaces/{net}/upgrade"),
            &reader,
            &form
        )
        .await
        .status,
        403
    );
    assert_eq!(
        submit(
            &world,
            &format!("/ui/workspaces/{net}/upgrade"),
            &other,
            &form
        )
        .await
        .status,
        403
    );
    assert_eq!(ann.versions("net").await.len(), 1);
}

#[tokio::test]
async fn no_other_site_signs_anybody_in() {
    let world = World::knowing(registry()).await;
    let token = world.token("ann", "acme", "read-state").await;
    for site in ["cross-site", "same-site"] {
        let page = send_from(
            &world,
            site,
            "POST",
            "/ui/sign-in",
            "",
            &format!("token={token}"),
        )
        .await;
        assert_eq!((page.status, &*page.cookie), (403, ""), "{site}");
        page.has("Another site sent this form.");
    }
    assert_eq!(
        send_from(
            &world,
            "none",
            "POST",
            "/ui/sign-in",
            "",
            &format!("token={token}")
        )
        .await
        .status,
        303
    );
    // On plain HTTP browsers leave that header out, and say the origin all the same.
    let origin = async |origin: &str, host: &str| {
        let request = Request::builder()
            .method("POST")
            .uri("/ui/sign-in")
            .header("origin", origin)
            .header("host", host);
        let request = request
            .body(Body::from(format!("token={token}")))
            .expect("a request");
        let response = web::router(world.service.clone(), BASE)
            .oneshot(request)
            .await
            .expect("an answer");
        (
            response.status().as_u16(),
            response.headers().contains_key("set-cookie"),
        )
    };
    assert_eq!(origin("http://evil.example", "up.test").await, (403, false));
    assert_eq!(origin("null", "up.test").await, (403, false));
    assert_eq!(
        origin("http://up.test.evil.example", "up.test").await,
        (403, false)
    );
    assert_eq!(origin(BASE, "up.test").await, (303, true));
    assert_eq!(
        origin("http://192.0.2.1:8080", "192.0.2.1:8080").await,
        (303, true)
    );
}

#[tokio::test]
async fn workspaces_that_need_somebody_come_first() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "a-fine", &[new("x")]).await;
    filled(&ann, "b-behind", &[old("x")]).await;
    let locked = filled(&ann, "c-locked", &[new("x")]).await;
    ann.lock(&locked).await.expect(200);
    filled(&ann, "d-stuck", &[stuck("x")]).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    let places = ["d-stuck", "c-locked", "b-behind", "a-fine"]
        .map(|name| page.text.find(name).expect("a workspace"));
    assert!(places.is_sorted(), "{places:?}");
    let page = visit(&world, "/ui/organizations/acme?name=stuck", &cookie).await;
    page.has("d-stuck");
    page.lacks("a-fine");
    let page = visit(&world, "/ui/organizations/acme?name=%3Cscript%3E", &cookie).await;
    page.has("No workspace has &lt;script&gt;");
    assert_eq!(
        visit(&world, "/", &cookie)
            .await
            .text
            .matches("1 workspace")
            .count(),
        3
    );
}

#[tokio::test]
async fn a_lock_is_taken_given_back_and_taken_away_with_a_warning() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,lock").await;
    let path = format!("/ui/workspaces/{net}");
    let page = visit(&world, &path, &cookie).await;
    let proof = field(&page, "csrf");
    let locked = submit(
        &world,
        &format!("{path}/lock"),
        &cookie,
        &format!("csrf={proof}&reason=a+test"),
    )
    .await;
    assert_eq!((locked.status, locked.location), (303, path.clone()));
    let page = visit(&world, &path, &cookie).await;
    page.has("a test");
    page.lacks("force-unlock");
    assert_eq!(
        visit(&world, &format!("{path}/force-unlock"), &cookie)
            .await
            .status,
        403
    );
    assert_eq!(
        submit(
            &world,
            &format!("{path}/force-unlock"),
            &cookie,
            &format!("csrf={proof}")
        )
        .await
        .status,
        403
    );
    let admin = sign_in_as(&world, "eve", "acme", "read-state,lock,force-unlock").await;
    let requested = visit(&world, &format!("{path}/force-unlock"), &admin).await;
    requested.has("errored.tfstate");
    requested.has("User ann");
    assert_eq!(
        submit(
            &world,
            &format!("{path}/unlock"),
            &admin,
            &format!("csrf={}", field(&requested, "csrf"))
        )
        .await
        .status,
        409
    );
    let form = format!("csrf={}", field(&requested, "csrf"));
    assert_eq!(
        submit(&world, &format!("{path}/force-unlock"), &admin, &form)
            .await
            .status,
        303
    );
    assert_eq!(
        ann.get(&format!("/api/v2/workspaces/{net}"))
            .await
            .expect(200)
            .attributes()["locked"],
        false
    );
    assert_eq!(
        submit(
            &world,
            &format!("{path}/unlock"),
            &cookie,
            &format!("csrf={proof}")
        )
        .await
        .status,
        409
    );
}

#[tokio::test]
async fn a_rollback_asks_first_and_leaves_nothing_locked() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let first = ann.current(&net).await.expect(200).id();
    ann.upgrade(&net).await.expect(201);
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state,lock").await;
    let path = format!("/ui/state-versions/{first}/rollback");
    let requested = visit(&world, &path, &cookie).await;
    requested.has("1 version since then is no longer current");
    let (proof, current) = (field(&requested, "csrf"), field(&requested, "current"));
    // Two tabs: the second one was made for a version that is no longer current.
    let form = format!("csrf={proof}&current={current}");
    let done = submit(&world, &path, &cookie, &form).await;
    assert_eq!(
        (done.status, done.location),
        (303, format!("/ui/workspaces/{net}"))
    );
    let late = submit(&world, &path, &cookie, &form).await;
    assert_eq!(late.status, 412, "{}", late.text);
    assert_eq!(ann.versions("net").await.len(), 3);
    let shown = ann.attributes(&format!("/api/v2/workspaces/{net}")).await;
    assert_eq!(shown["locked"], false);
    // Under somebody else's lock, nothing.
    let bob = world.user("bob", "lock,read-state").await;
    bob.lock(&net).await.expect(200);
    let requested = visit(&world, &path, &cookie).await;
    requested.has("locked by User bob");
    requested.lacks("Roll back to serial");
    requested.lacks("name=\"current\"");
    let form = format!(
        "csrf={proof}&current={}",
        ann.current(&net).await.expect(200).id()
    );
    assert_eq!(submit(&world, &path, &cookie, &form).await.status, 409);
    assert_eq!(ann.versions("net").await.len(), 3);
}

#[tokio::test]
async fn versions_are_shown_with_their_resources_outputs_and_changes() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    ann.upgrade(&net).await.expect(201);
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, &format!("/ui/state-versions/{version}"), &cookie).await;
    for part in [
        "example_account.a",
        "1 resource",
        "plain",
        "(sensitive value)",
        "The version before",
        "upgrade",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    let diff = visit(
        &world,
        &format!("/ui/state-versions/{version}/comparison"),
        &cookie,
    )
    .await;
    for part in ["example_account.a", "moved", "title", "The a"] {
        assert!(diff.text.contains(part), "{part}: {}", diff.text);
    }
    assert!(!page.text.contains("hunter") && !diff.text.contains("hunter"));
    // Any two are compared, the other way round as well.
    let first = ann.versions("net").await[1]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    diff.has(&format!("<option value=\"{first}\" selected>serial 1, "));
    let back = visit(
        &world,
        &format!("/ui/state-versions/{first}/comparison?from={version}"),
        &cookie,
    )
    .await;
    back.has("net: serial 2 → 1");
    back.has("Compare serial 1 with");
    back.has(&format!("<option value=\"{version}\" selected>"));
    let found = visit(&world, "/ui/organizations/acme/search?value=The+a", &cookie).await;
    found.has("example_account.a");
    found.has("name");
    let changes = visit(&world, "/ui/organizations/acme/changes", &cookie).await;
    changes.has("It changes nothing");
}

/// Modules, resources, instances, and the values of their attributes.
#[tokio::test]
async fn a_version_is_a_tree_with_the_values_of_its_attributes() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let id = ann.locked("net").await;
    let long = "long ".repeat(2000);
    let hostile = "<script>alert(1)</script>\u{202e}";
    let instance = |key: &str, title: &str| {
        json!({ "index_key": key, "schema_version": 2, "sensitive_attributes": [[{ "type": "get_attr", "value": "retries" }]],
            "attributes": { "id": "a", "name": title, "password": "hunter22", "retries": 987_654_321, "extra": "hunter33" } })
    };
    let resource = |module: &str,
                    mode: &str,
                    type_name: &str,
                    name: &str,
                    instances: &serde_json::Value| {
        json!({ "module": module, "mode": mode, "type": type_name, "name": name, "provider": "provider[\"example.com/test/example\"]",
            "instances": instances })
    };
    let resources = [
        resource(
            "module.net",
            "managed",
            "example_account",
            "many",
            &json!([instance("one", hostile), instance("two", &long)]),
        ),
        resource(
            "module.net",
            "managed",
            "other_thing",
            "o",
            &json!([{ "schema_version": 0, "attributes": { "token": "hunter44" } }]),
        ),
        resource(
            "module.net",
            "data",
            "example_account",
            "d",
            &json!([{ "schema_version": 2, "attributes": { "name": "hunter55" } }]),
        ),
        account(
            "it",
            2,
            &json!({ "id": "i", "name": "plain name", "password": null, "retries": null }),
        ),
    ];
    ann.create(&id, &crate::schemas::state(1, &resources))
        .await
        .expect(201);
    let version = ann.current(&id).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let path = format!("/ui/state-versions/{version}");
    let page = visit(&world, &path, &cookie).await;
    for part in [
        "<code>module.net</code>, 3 resources",
        "root module, 1 resource",
        "<code>example_account.many</code>, 2 instances",
        "example_account.many[&quot;two&quot;]",
        "\\u003cscript\\u003ealert(1)",
        "10002 characters",
        "6002 more are left out",
        "&quot;plain name&quot;",
        "the server does not have this type",
        "Values of data sources are not shown",
        "no schema of the type has it",
        "<tr><th scope=\"row\"><code>retries</code></th><td><em>(sensitive value)</em></td></tr>",
        "<tr><th scope=\"row\"><code>password</code></th><td><em>(sensitive value)</em></td></tr>",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    for secret in ["hunter", "987654321", "<script>alert", "\u{202e}"] {
        assert!(!page.text.contains(secret), "{secret}: {}", page.text);
    }
    let outputs = visit(&world, &format!("{path}?show=outputs"), &cookie).await;
    outputs.has("plain");
    outputs.lacks("example_account.many");
    // Who may not read states sees nothing of it.
    let cookie = sign_in_as(&world, "eve", "acme", "lock").await;
    assert_eq!(visit(&world, &path, &cookie).await.status, 403);
    // What cannot be read says so, and the rest of the page stays.
    let broken = State::of(
        2,
        "l",
        r#"{"version":4,"serial":2,"lineage":"l","resources":[{"mode":"managed"}]}"#,
    );
    ann.create(&id, &broken).await.expect(201);
    let version = ann.current(&id).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, &format!("/ui/state-versions/{version}"), &cookie).await;
    assert!(
        page.status == 200
            && page.text.contains("cannot be read")
            && page.text.contains("The version before"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn a_job_is_started_watched_and_ended() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "good", &[old("x")]).await;
    filled(&ann, "bad", &[old("x"), stuck("y")]).await;
    let cookie = sign_in_as(&world, "ann", "acme", "read-state,write-state").await;
    let jobs = visit(&world, "/ui/organizations/acme/jobs", &cookie).await;
    jobs.has("There is no job yet");
    let form = format!("csrf={}&to-release=", field(&jobs, "csrf"));
    let made = submit(&world, "/ui/organizations/acme/jobs", &cookie, &form).await;
    assert_eq!(made.status, 303, "{}", made.text);
    let page = visit(&world, &made.location, &cookie).await;
    page.has("data-live");
    page.has("0 of 2 workspaces");
    while world.service.work_on_jobs("test").await.expect("work") {}
    let page = visit(&world, &made.location, &cookie).await;
    page.lacks("data-live");
    page.has("1 upgraded");
    page.has("Run release 1.9 first");
    page.has("good");
    let form = format!("csrf={}", field(&page, "csrf"));
    let resumed = submit(&world, &format!("{}/resume", made.location), &cookie, &form).await;
    assert_eq!(resumed.status, 303, "{}", resumed.text);
    let stopped = submit(&world, &format!("{}/stop", made.location), &cookie, &form).await;
    assert_eq!(stopped.status, 303, "{}", stopped.text);
}

#[tokio::test]
async fn administrators_make_tokens_and_teams_and_nobody_else_does() {
    let world = World::knowing(registry()).await;
    world.owner().await;
    let admin = sign_in_as(&world, "eve", "acme", "admin").await;
    let reader = sign_in_as(&world, "rob", "acme", "read-state").await;
    // The user is in a team already: a token allows nothing without one.
    world.token("ci", "acme", "lock").await;
    let (members, audit) = (
        "/ui/organizations/acme/members",
        "/ui/organizations/acme/audit",
    );
    for path in [members, audit] {
        assert_eq!(visit(&world, path, &reader).await.status, 403, "{path}");
    }
    let proof = field(&visit(&world, members, &admin).await, "csrf");
    let readers = field(&visit(&world, "/", &reader).await, "csrf");
    let tokens = "/ui/organizations/acme/tokens";
    let form = "user=ci&description=pipelines&can=read-state&can=lock&days=9";
    assert_eq!(
        submit(&world, tokens, &reader, &format!("csrf={readers}&{form}"))
            .await
            .status,
        403
    );
    // The page that shows it is another one than the one that makes it, so that loading it again
    // makes no second one.
    let made = submit(&world, tokens, &admin, &format!("csrf={proof}&{form}")).await;
    assert_eq!((made.status, made.location.as_str()), (303, members));
    assert!(
        made.cookie.contains(&format!(
            "Path={members}; HttpOnly; SameSite=Strict; Max-Age=60"
        )),
        "{}",
        made.cookie
    );
    let with_it = format!(
        "{admin}; {}",
        made.cookie.split(';').next().expect("a cookie")
    );
    let made = visit(&world, members, &with_it).await;
    assert!(
        made.cookie.starts_with("upstate_made=; ") && made.cookie.contains("Max-Age=0"),
        "{}",
        made.cookie
    );
    assert_eq!(made.kept, "no-store");
    let secret = made
        .text
        .split("upstate.")
        .nth(1)
        .and_then(|rest| rest.split('<').next())
        .expect("a secret");
    let ci = world.client(&format!("upstate.{secret}"));
    ci.get("/api/v2/organizations/acme").await.expect(200);
    let page = visit(&world, members, &admin).await;
    page.lacks(secret);
    page.has("pipelines");
    assert_eq!(
        submit(
            &world,
            tokens,
            &admin,
            &format!("csrf={proof}&user=x&can=fly")
        )
        .await
        .status,
        422
    );
    assert_eq!(
        submit(
            &world,
            tokens,
            &admin,
            &format!("csrf={proof}&user=x&days=0")
        )
        .await
        .status,
        422
    );
    // The token that was made is the newest, and so the first that can be revoked. That cannot be
    // undone, so the page asks first.
    let revoke = page
        .text
        .split("href=\"")
        .find(|part| part.contains("/revoke\""))
        .and_then(|part| part.split('"').next());
    let revoke = revoke.expect("a link").to_owned();
    assert_eq!(visit(&world, &revoke, &reader).await.status, 403);
    let requested = visit(&world, &revoke, &admin).await;
    for part in [
        "Revoke the token of ci",
        "pipelines",
        "errored.tfstate",
        "Keep it",
    ] {
        assert!(requested.text.contains(part), "{part}: {}", requested.text);
    }
    ci.get("/api/v2/organizations/acme").await.expect(200);
    assert_eq!(
        submit(&world, &revoke, &reader, &format!("csrf={readers}"))
            .await
            .status,
        403
    );
    let revoked = submit(&world, &revoke, &admin, &format!("csrf={proof}")).await;
    assert_eq!(revoked.status, 303, "{}", revoked.text);
    assert_eq!(visit(&world, &revoke, &admin).await.status, 404);
    ci.get("/api/v2/organizations/acme").await.expect(401);
    // Teams.
    let team = format!("csrf={proof}&name=ops&can=lock");
    assert_eq!(
        submit(&world, "/ui/organizations/acme/teams", &admin, &team)
            .await
            .status,
        303
    );
    let page = visit(&world, members, &admin).await;
    let team = page
        .text
        .split("action=\"")
        .find(|part| part.starts_with("/ui/organizations/acme/teams/"))
        .and_then(|part| part.split('"').next());
    let team = team.expect("a form").to_owned();
    assert_eq!(
        submit(&world, &team, &admin, &format!("csrf={proof}&add=ci"))
            .await
            .status,
        303
    );
    assert!(
        visit(&world, members, &admin)
            .await
            .text
            .contains("Remove ci from ops")
    );
    assert_eq!(
        submit(&world, &team, &admin, &format!("csrf={proof}&add=nobody"))
            .await
            .status,
        404
    );
    assert_eq!(
        submit(
            &world,
            &team,
            &admin,
            &format!("csrf={proof}&permissions=set&can=admin")
        )
        .await
        .status,
        303
    );
    assert_eq!(
        submit(&world, &team, &admin, &format!("csrf={proof}&remove=ci"))
            .await
            .status,
        303
    );
    assert!(
        !visit(&world, members, &admin)
            .await
            .text
            .contains("Remove ci from ops")
    );
    let log = visit(&world, audit, &admin).await;
    for part in [
        "token.create",
        "of user ci, as the user's teams allow, of that only read-state,lock",
        "team.add-member",
        "team.update",
    ] {
        assert!(log.text.contains(part), "{part}: {}", log.text);
    }
}

#[tokio::test]
async fn a_timeline_says_what_came_and_went() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a"), old("b")]).await;
    ann.upgrade(&net).await.expect(201);
    ann.lock(&net).await.expect(200);
    let foreign = json!({
        "mode": "managed", "type": "other_thing", "name": "o", "provider": "provider.p",
        "instances": [{ "schema_version": 7, "attributes": {} }],
    });
    ann.create(&net, &crate::schemas::state(3, &[new("a"), foreign]))
        .await
        .expect(201);
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, &format!("/ui/workspaces/{net}"), &cookie).await;
    let (_, listed) = page
        .text
        .split_once("<ol class=\"timeline\">")
        .expect("a list");
    let entries: Vec<&str> = listed
        .split("<li>")
        .filter(|entry| entry.contains("Serial "))
        .collect();
    assert!(
        entries[0].contains(", 2 instances")
            && entries[0].contains(">−1 example_account, +1 other_thing<"),
        "{}",
        entries[0]
    );
    assert!(
        entries[1].contains(">example_account from version 1 to 2<"),
        "{}",
        entries[1]
    );
    assert!(
        entries[2].contains(", 2 instances") && !entries[2].contains("example_account"),
        "{}",
        entries[2]
    );
    // They are a picture, too, and a sentence whose numbers add up.
    page.has("aria-label=\"Serial 3, stored by Terraform, current, ");
    page.has("<strong>Current</strong>, at serial 3, stored ");
    page.has("2 instances: 1 current, 1 of an unknown type.");
    let growth = "aria-label=\"Instances of 3 versions: 2 instances at first, 2 instances at last, at most 2 instances\"";
    page.has(growth);
    page.has("aria-label=\"Size of 3 versions: ");
    // Because there is nothing yet, the page has the first commands.
    let empty = ann.workspace("empty").await;
    let page = visit(&world, &format!("/ui/workspaces/{empty}"), &cookie).await;
    page.has("terraform state push terraform.tfstate");
    page.lacks("<svg");
}

#[tokio::test]
async fn an_organization_without_a_workspace_shows_the_first_commands() {
    let world = World::knowing(registry()).await;
    world.owner().await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme", &cookie).await;
    let unlock = "    unlock_address = &quot;http://up.test/http/acme/app&quot;\n";
    for part in [
        "There is no workspace yet.",
        unlock,
        "TF_HTTP_PASSWORD",
        "terraform init",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    // A block for Terraform's own backend needs TLS.
    let request = Request::builder().uri("/ui/organizations/acme").header(
        "cookie",
        cookie.replace("upstate_token", "__Host-upstate_token"),
    );
    let secure = web::router(world.service.clone(), "https://state.example.com");
    let answer = secure
        .oneshot(request.body(Body::empty()).expect("a request"))
        .await
        .expect("an answer");
    let text = String::from_utf8(
        answer
            .into_body()
            .collect()
            .await
            .expect("a body")
            .to_bytes()
            .to_vec(),
    )
    .expect("text");
    for part in [
        "hostname     = &quot;state.example.com&quot;",
        "organization = &quot;acme&quot;",
        "terraform login state.example.com",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A token that expires while a page is open leads to the page to sign in; nothing was done.
#[tokio::test]
async fn an_expired_token_does_nothing() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let attributes =
        json!({ "user": "eve", "permissions": "read-state,write-state", "expires-in-days": 1 });
    let made = json!({ "data": { "type": "authentication-tokens", "attributes": attributes } });
    let made = ann
        .post("/api/v2/organizations/acme/tokens", &made)
        .await
        .expect(201)
        .attributes();
    let cookie = sign_in(&world, made["token"].as_str().expect("a token")).await;
    let version = ann.current(&net).await.expect(200).id();
    let page = visit(
        &world,
        &format!("/ui/state-versions/{version}/plan"),
        &cookie,
    )
    .await;
    let form = format!("csrf={}&version={version}", field(&page, "csrf"));
    world.wait(std::time::Duration::from_hours(25));
    let late = submit(
        &world,
        &format!("/ui/workspaces/{net}/upgrade"),
        &cookie,
        &form,
    )
    .await;
    assert!(
        late.status == 401 && late.text.contains("Sign in again."),
        "{} {}",
        late.status,
        late.text
    );
    assert_eq!(visit(&world, "/", &cookie).await.status, 401);
    assert_eq!(ann.versions("net").await.len(), 1);
}
