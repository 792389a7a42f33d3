//! The first page of an organization, which says whether anything is wrong, and the page of a type.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower::ServiceExt as _;
use upstate_server::__internal::web;

use crate::page::{Page, sign_in_as, visit};
use crate::schemas::{filled, new, old, registry, stuck};
use crate::world::{BASE, World};

/// The place of a string on a page.
fn place(page: &Page, text: &str) -> usize {
    page.text
        .find(text)
        .unwrap_or_else(|| panic!("no {text}: {}", page.text))
}

#[tokio::test]
async fn the_route_of_a_type_is_data_and_a_picture() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "net", &[old("a"), new("b")]).await;
    let route = ann
        .attributes("/api/v2/upstate/types/example_account/route")
        .await;
    let lanes = route["routes"][0]["lanes"].as_array().expect("lanes");
    let moved = lanes
        .iter()
        .find(|lane| lane["places"] == json!(["title", "name"]))
        .expect("a lane");
    assert_eq!(moved["fates"], json!([{ "fate": "moved" }]));
    ann.get("/api/v2/upstate/types/example_none/route")
        .await
        .refused(404, "resource type example_none");
    let cookie = sign_in_as(&world, "rob", "acme", "read-state").await;
    let fleet = visit(&world, "/ui/organizations/acme", &cookie).await;
    fleet.has("href=\"/ui/organizations/acme/types/example_account\"");
    let page = visit(
        &world,
        "/ui/organizations/acme/types/example_account",
        &cookie,
    )
    .await;
    let sentence = "2 instances: 1 in 1 workspace at version 1, 1 in 1 workspace at version 2, the current one.";
    for part in [
        sentence,
        "<title>title becomes name</title>",
        "Back: lossless",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    // The policy of content lets no style in the page be, so that the sheet has that of the
    // picture.
    page.lacks("<style");
    page.lacks("hunter22");
    let sheet = page
        .text
        .split("<link rel=\"stylesheet\" href=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .expect("a sheet");
    assert!(
        visit(&world, sheet, "")
            .await
            .text
            .contains(".lanes .lane-moved path"),
        "{sheet}"
    );
    assert_eq!(
        visit(&world, "/ui/organizations/acme/types/example_none", &cookie)
            .await
            .status,
        404
    );
}

/// A browser fetches the style once a release; while servers of two releases run, each page has
/// one.
#[tokio::test]
async fn static_files_are_kept_by_their_hash() {
    let world = World::new().await;
    let page = visit(&world, "/", "").await;
    assert_eq!(page.kept, "no-store");
    let files: Vec<&str> = page
        .text
        .split('"')
        .filter(|part| part.starts_with("/ui/static/"))
        .collect();
    assert_eq!(files.len(), 3, "{}", page.text);
    for file in files {
        let found = visit(&world, file, "").await;
        assert_eq!(
            (found.status, &*found.kept),
            (200, "public, max-age=31536000, immutable"),
            "{file}"
        );
        let (name, rest) = file.split_once('.').expect("a hash");
        let other = format!(
            "{name}.0123456789abcdef.{}",
            rest.split_once('.').expect("an extension").1
        );
        let other = visit(&world, &other, "").await;
        assert_eq!(
            (other.status, &*other.kept, &other.text),
            (200, "no-store", &found.text)
        );
    }
    assert_eq!(visit(&world, "/ui/static/evil.js", "").await.status, 404);
}

/// A browser gets a page and its style compressed, if it takes them so; a page to which another
/// site leads has a length that says nothing of its words.
#[tokio::test]
async fn pages_are_compressed_unless_another_site_leads_to_them() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    filled(&ann, "net", &[old("a")]).await;
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let get = async |path: &str, takes: &str, site: &str, dest: &str| {
        let request = Request::builder()
            .uri(path)
            .header("cookie", cookie.as_str());
        let request = request
            .header("accept-encoding", takes)
            .header("sec-fetch-site", site)
            .header("sec-fetch-dest", dest);
        let request = request.body(Body::empty()).expect("a request");
        let response = web::router(world.service.clone(), BASE)
            .oneshot(request)
            .await
            .expect("an answer");
        let header = |name: &str| {
            response
                .headers()
                .get(name)
                .map_or("", |value| value.to_str().expect("text"))
                .to_owned()
        };
        let (encoding, varies) = (header("content-encoding"), header("vary"));
        (
            encoding,
            varies,
            response
                .into_body()
                .collect()
                .await
                .expect("a body")
                .to_bytes(),
        )
    };
    let path = "/ui/organizations/acme";
    let plain = visit(&world, path, &cookie).await.text;
    let sheet = plain
        .split('"')
        .find(|part| part.starts_with("/ui/static/style."))
        .expect("a sheet");
    for (path, text) in [
        (path, plain.clone()),
        (sheet, visit(&world, sheet, "").await.text),
    ] {
        let (encoding, varies, bytes) =
            get(path, "gzip, deflate, br, zstd", "same-origin", "document").await;
        assert_eq!(
            (&*encoding, &*varies),
            ("zstd", "accept-encoding, sec-fetch-site, sec-fetch-dest"),
            "{path}"
        );
        assert!(
            bytes.len() * 2 < text.len(),
            "{path}: {} of {}",
            bytes.len(),
            text.len()
        );
        let whole = zstd::bulk::decompress(&bytes, 1 << 20).expect("a page");
        // The beginning alone, because the times of a page go on.
        assert!(whole.starts_with(&text.as_bytes()[..100]), "{path}");
        // The script of a page that another site has opened requests the address again, which is of
        // the same origin then.
        let others = [
            ("gzip, br", "same-origin", "document"),
            ("zstd", "cross-site", "document"),
            ("zstd", "same-origin", "empty"),
        ];
        for (takes, site, dest) in others {
            let (encoding, varies, bytes) = get(path, takes, site, dest).await;
            let found = (&*encoding, &*varies);
            assert_eq!(
                found,
                ("", "accept-encoding, sec-fetch-site, sec-fetch-dest"),
                "{path} {takes} {site} {dest}"
            );
            assert!(bytes.starts_with(&text.as_bytes()[..100]), "{path}");
        }
    }
}

/// The sentence first, then the bar, then who needs somebody, then each workspace, and the list
/// last.
#[tokio::test]
async fn the_first_screen_says_what_is_wrong() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let owner = sign_in_as(&world, "ida", "acme", "read-state").await;
    filled(&ann, "core-0", &[new("a")]).await;
    let page = visit(&world, "/ui/organizations/acme", &owner).await;
    page.has("The only workspace is current. None needs an upgrade.");
    for name in ["core-1", "core-2", "core-3", "core-4", "core-5"] {
        filled(&ann, name, &[new("a")]).await;
    }
    filled(&ann, "shop-1", &[old("a")]).await;
    filled(&ann, "shop-2", &[stuck("c")]).await;
    filled(&ann, "shop-3", &[stuck("c")]).await;
    let locked = filled(&ann, "lone", &[new("d")]).await;
    let bob = world.user("bob", "lock,read-state").await;
    bob.lock(&locked).await.expect(200);
    let cookie = sign_in_as(&world, "eve", "acme", "read-state").await;
    let show = async || visit(&world, "/ui/organizations/acme", &cookie).await;
    let page = show().await;
    let order = [
        "class=\"lead\"",
        "class=\"bar\"",
        "Needs somebody",
        "Every workspace",
        "<h2>Workspaces</h2>",
        "<h2>Resource types</h2>",
    ];
    let places: Vec<usize> = order.iter().map(|text| place(&page, text)).collect();
    assert!(places.is_sorted(), "{places:?}: {}", page.text);
    let sentence = page.text[places[0]..places[1]].to_owned();
    for part in [
        "<strong>70 %</strong> of 10 workspaces are current",
        "<strong>1</strong> needs an upgrade",
        "<strong>2</strong> cannot",
        "<strong>1</strong> is locked",
    ] {
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
    // One cause is one row, and a lock of this minute is none.
    let needs = page.text[places[2]..places[3]].to_owned();
    assert_eq!(needs.matches("<tr>").count(), 1, "{needs}");
    assert!(
        needs.contains("shop-2</a> <span class=\"soft\">+1")
            && needs.contains(": no upgrader leads from it to 2"),
        "{needs}"
    );
    world.wait(Duration::from_mins(24));
    let page = show().await;
    let needs =
        page.text[place(&page, "Needs somebody")..place(&page, "Every workspace")].to_owned();
    assert_eq!(needs.matches("<tr>").count(), 2, "{needs}");
    assert!(needs.contains(">24 minutes</time> by User bob"), "{needs}");
    // Each square is a workspace: those that need nobody are one path, the others links.
    let squares =
        page.text[place(&page, "Every workspace")..place(&page, "<h2>Workspaces</h2>")].to_owned();
    assert_eq!(squares.matches("h9v9h-9z").count(), 7, "{squares}");
    assert!(
        squares.contains("<title>6 are current</title>")
            && squares.contains("<title>lone is current, locked</title>"),
        "{squares}"
    );
    assert_eq!(
        squares.matches("cannot be upgraded</title>").count(),
        2,
        "{squares}"
    );
    // A group leads to its list, and one workspace to its page.
    assert!(
        squares.contains("<a href=\"?name=core\">core</a>"),
        "{squares}"
    );
    assert!(
        squares.contains(&format!("<a href=\"/ui/workspaces/{locked}\">lone</a>")),
        "{squares}"
    );
}

/// Nobody waits for a page of a large organization, and finds its end.
#[tokio::test]
async fn a_thousand_workspaces_of_many_types_are_small_pages() {
    const HEAVY: usize = 150 * 1024;
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let kinds: Vec<Value> = (0..121)
        .map(|number| {
            json!({
                "mode": "managed", "type": format!("example_kind_with_a_long_name_{number}"), "name": "k", "provider": "provider[\"example.com/test/example\"]",
                "instances": [{ "schema_version": number % 3, "attributes": { "id": "k" }, "sensitive_attributes": [] }],
            })
        })
        .collect();
    for number in 0..1000 {
        let account = match number % 100 {
            0 => stuck("c"),
            1..20 => old("a"),
            _ => new("b"),
        };
        let mut resources = vec![account];
        if number < 5 {
            resources.extend(kinds.iter().cloned());
        }
        filled(
            &ann,
            &format!("team{}-production-{number:04}", number % 40),
            &resources,
        )
        .await;
    }
    let cookie = sign_in_as(&world, "eve", "acme", "read-state,write-state").await;
    for path in [
        "",
        "/types",
        "/plan",
        "/jobs",
        "/search?type=example",
        "/changes",
        "/types/example_account",
    ] {
        let page = visit(&world, &format!("/ui/organizations/acme{path}"), &cookie).await;
        assert_eq!(page.status, 200, "{path}");
        println!("{path}: {} bytes", page.text.len());
        assert!(
            page.text.len() <= HEAVY,
            "{path}: {} bytes",
            page.text.len()
        );
        let rows = page.text.matches("<tr").count();
        assert!(rows <= 200, "{path}: {rows} rows");
    }
}
