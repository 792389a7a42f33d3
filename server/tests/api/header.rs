//! The head of every page: the other organizations, and the search over everything.

use sha2::{Digest as _, Sha256};
use upstate_server::__internal::model::{AuditEntry, Permissions, Token, TokenId, TokenKind};

use crate::page::{Page, sign_in, sign_in_as, visit};
use crate::schemas::{filled, new, old, registry, stuck};
use crate::world::World;

/// The token of somebody who is in teams of several organizations.
async fn of_both(world: &World, name: &str) -> String {
    let mut user = None;
    for organization in ["acme", "umbrella"] {
        let (organization, _) = world
            .service
            .ensure_organization("test", organization)
            .await
            .expect("an organization");
        let team = world
            .service
            .ensure_team("test", &organization.id, "readers", Permissions::READ)
            .await
            .expect("a team");
        user = Some(
            world
                .service
                .join("test", &team, name)
                .await
                .expect("a member"),
        );
    }
    world
        .service
        .ensure_organization("test", "foreign")
        .await
        .expect("an organization");
    let secret = format!("token of {name}");
    let at = world.service.now();
    let token = Token {
        id: TokenId::new(),
        hash: Sha256::digest(secret.as_bytes()).into(),
        kind: TokenKind::User(user.expect("a user").id),
        description: String::new(),
        created_at: at,
        expires_at: None,
    };
    let (who, action) = ("test".to_owned(), "test".into());
    let entry = AuditEntry {
        at,
        who,
        action,
        organization: None,
        workspace: None,
        subject: String::new(),
        detail: String::new(),
    };
    assert!(
        world
            .service
            .store()
            .add_token(&token, entry)
            .await
            .expect("a store")
    );
    secret
}

/// The links to organizations in the head of a page.
fn links(page: &Page) -> Vec<&str> {
    let Some((_, rest)) = page
        .text
        .split_once("<nav class=\"panel\" aria-label=\"Organizations\">")
    else {
        return Vec::new();
    };
    let nav = rest.split("</nav>").next().expect("an end");
    nav.split("href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().expect("an end"))
        .collect()
}

#[tokio::test]
async fn every_page_leads_to_the_other_organizations() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in(&world, &of_both(&world, "zoe").await).await;
    let overview = ["/ui/organizations/acme", "/ui/organizations/umbrella"];
    for path in [
        "/".to_owned(),
        "/ui/organizations/acme".to_owned(),
        "/ui/organizations/acme/types".to_owned(),
        format!("/ui/workspaces/{net}"),
        format!("/ui/state-versions/{version}"),
        format!("/ui/state-versions/{version}/plan"),
        "/ui/tokens".to_owned(),
        "/ui/anything".to_owned(),
        "/ui/workspaces/ws-none".to_owned(),
    ] {
        let page = visit(&world, &path, &cookie).await;
        assert_eq!(links(&page), overview, "{path}: {}", page.text);
        assert!(!page.text.contains("foreign"), "{path}");
    }
    // Each leads to the section that is open here.
    let jobs = visit(&world, "/ui/organizations/acme/jobs", &cookie).await;
    assert_eq!(
        links(&jobs),
        [
            "/ui/organizations/acme/jobs",
            "/ui/organizations/umbrella/jobs"
        ]
    );
    jobs.has("href=\"/ui/organizations/acme/jobs\" aria-current=\"true\">acme</a>");
    jobs.has("Organization: </span>acme</summary>");
    // One organization has no switcher, because there is no other.
    let rob = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme", &rob).await;
    assert!(
        links(&page).is_empty() && !page.text.contains("<details class=\"switch\">"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn one_field_finds_names_types_addresses_and_ids() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net-prod", &[old("gate")]).await;
    filled(&ann, "shop", &[new("cart")]).await;
    let other = world
        .token("eve", "umbrella", "read-state,write-state,lock")
        .await;
    let foreign = filled_elsewhere(&world, &other).await;
    let version = ann.current(&net).await.expect(200).id();
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let find = |text: &str| {
        let query = form_urlencoded::Serializer::new("/ui/organizations/acme/search?".to_owned())
            .append_pair("find", text)
            .finish();
        let (world, cookie) = (&world, cookie.clone());
        async move { visit(world, &query, &cookie).await }
    };
    let page = find("NET").await;
    page.has(&format!("href=\"/ui/workspaces/{net}\">net-prod</a>"));
    page.lacks(">shop<");
    let page = find("Example_acc").await;
    page.has("href=\"/ui/organizations/acme/types/example_account\"");
    let page = find("account.gate").await;
    page.has("<code>example_account.gate</code>");
    page.has("1 instance");
    for (id, to) in [
        (net.clone(), format!("/ui/workspaces/{net}")),
        (version.clone(), format!("/ui/state-versions/{version}")),
    ] {
        let page = find(&format!(" {id} ")).await;
        assert_eq!((page.status, page.location), (303, to));
    }
    // An id that is not there, or that is another organization's, is found no more than any other
    // text.
    for nothing in ["ws-none", &foreign, "<b>"] {
        let page = find(nothing).await;
        assert!(
            page.status == 200 && page.text.contains("No workspace, type or address has it"),
            "{nothing}: {}",
            page.text
        );
        page.lacks("<b>");
    }
    // The field is on the pages of the organization.
    let page = visit(&world, &format!("/ui/workspaces/{net}"), &cookie).await;
    page.has("action=\"/ui/organizations/acme/search\" role=\"search\"");
}

/// A workspace of the organization `umbrella`; its id.
async fn filled_elsewhere(world: &World, token: &str) -> String {
    let eve = world.client(token);
    let body = serde_json::json!({ "data": { "type": "workspaces", "attributes": { "name": "net-secret" } } });
    eve.post("/api/v2/organizations/umbrella/workspaces", &body)
        .await
        .expect(201)
        .id()
}

#[tokio::test]
async fn types_come_in_pages_and_those_that_need_somebody_first() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let foreign = |index: usize| {
        serde_json::json!({
            "mode": "managed", "type": format!("aaa_thing_{index:03}"), "name": "o", "provider": "provider.p",
            "instances": [{ "schema_version": 7, "attributes": {} }],
        })
    };
    let mut resources: Vec<_> = (0..60).map(foreign).collect();
    resources.extend([old("a"), new("b"), stuck("c")]);
    filled(&ann, "net", &resources).await;
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let page = visit(&world, "/ui/organizations/acme/types", &cookie).await;
    page.has("<strong>2</strong> of 63 instances of 61 types are not at the current version.");
    let place = |text: &str| {
        page.text
            .find(text)
            .unwrap_or_else(|| panic!("no {text}: {}", page.text))
    };
    assert!(
        place("cannot be upgraded</span>") < place("needs an upgrade</span>")
            && place("needs an upgrade</span>") < place("aaa_thing_000")
    );
    page.has("Page 1 of 2");
    page.lacks("aaa_thing_059");
    let second = visit(&world, "/ui/organizations/acme/types?page=2", &cookie).await;
    second.has("aaa_thing_059");
    second.lacks("aaa_thing_000");
    let named = visit(&world, "/ui/organizations/acme/types?name=ACCOUNT", &cookie).await;
    named.has("example_account");
    named.lacks("aaa_thing");
}

/// Times are relative, with the moment and its zone beside.
#[tokio::test]
async fn times_say_how_long_ago_and_in_which_zone() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let token = world
        .token("ida", "acme", "read-state,write-state,lock,admin")
        .await;
    world.wait(std::time::Duration::from_hours(3));
    let cookie = sign_in(&world, &token).await;
    for path in [
        format!("/ui/workspaces/{net}"),
        "/ui/organizations/acme/members".to_owned(),
        "/ui/organizations/acme/audit".to_owned(),
    ] {
        let page = visit(&world, &path, &cookie).await;
        let time = page
            .text
            .split("<time ")
            .find(|part| part.contains(">3 hours ago<"))
            .unwrap_or_else(|| panic!("{path}: {}", page.text));
        let title = time
            .split("title=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .expect("a title");
        assert!(
            title.ends_with(" UTC") && title.len() == "2026-11-22 02:01:03 UTC".len(),
            "{title}"
        );
        assert!(!page.text.contains("<time>"), "{path}: {}", page.text);
    }
}

#[tokio::test]
async fn no_page_is_a_dead_end() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let body = serde_json::json!({ "data": { "type": "workspaces", "relationships": { "tag-bindings": { "data": [
        { "type": "tag-bindings", "attributes": { "key": "team", "value": "core" } },
    ] } } } });
    ann.patch(&format!("/api/v2/workspaces/{net}"), &body)
        .await
        .expect(200);
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    // A page of a list that has no more than one leads back.
    let far = visit(&world, "/ui/organizations/acme?page=999", &cookie).await;
    assert!(
        far.status == 200 && far.text.contains("?page=1\">The last page</a>"),
        "{}",
        far.text
    );
    let page = visit(&world, &format!("/ui/workspaces/{net}"), &cookie).await;
    page.has("<code>team=core</code>");
    let kim = sign_in_as(&world, "kim", "acme", "read-outputs").await;
    let home = visit(&world, "/", &kim).await;
    home.has("its overview needs");
    home.lacks("href=\"/ui/organizations/acme\"");
}
