//! The pictures of the guide about state versions: each is drawn from what a server answered while
//! somebody did what it shows. `UPDATE=1` draws them again.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::schemas::{filled, new, old, registry, state};
use crate::world::{Answer, Client, State, World, text};

/// The colors and letters of all three, light and dark.
const STYLE: &str = "<style>\n\
    .s { --ground: #fff; --ink: #1b1f24; --soft: #505a66; --line: #8d97a3; --box: #eef3fa; --good: #0a6b2d; --bad: #b3261e; --warn: #a15c00; }\n\
    @media (prefers-color-scheme: dark) { .s { --ground: #14171a; --ink: #e8eaed; --soft: #adb5bd; --line: #6c7680; --box: #1e2a38; --good: #7ed99a; --bad: #ff9c94; --warn: #f2c46d; } }\n\
    .s text { font: 13px system-ui, sans-serif; fill: var(--ink); } .s .b { font-weight: 700; } .s .n { font-size: 12px; fill: var(--soft); }\n\
    .s .ground { fill: var(--ground); } .s .box { fill: var(--box); stroke: var(--line); } .s .now { stroke: var(--good); stroke-width: 2.5; } .s .gone { stroke-dasharray: 4 3; }\n\
    .s path { fill: none; stroke: var(--line); stroke-width: 1.5; marker-end: url(#end); } .s .plain { marker-end: none; } .s .back { stroke: var(--warn); }\n\
    .s .hold { fill: var(--warn); opacity: .25; } .s .x { fill: var(--bad); } .s .tip { fill: var(--line); }\n\
    </style>\n\
    <defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"plain\" d=\"M0 0L8 4L0 8z\" style=\"fill: var(--line); stroke: none\"/></marker></defs>\n";

/// A picture that is being drawn.
struct Picture {
    svg: String,
}

impl Picture {
    fn new(title: &str, (width, height): (usize, usize)) -> Self {
        Self {
            svg: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"s\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
                 role=\"img\">\n<title>{title}</title>\n{STYLE}<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n"
            ),
        }
    }

    fn words(&mut self, (x, y): (usize, usize), class: &str, words: &str) {
        let words = words.replace('&', "&amp;").replace('<', "&lt;");
        writeln!(
            self.svg,
            "<text x=\"{x}\" y=\"{y}\" class=\"{class}\" text-anchor=\"middle\">{words}</text>"
        )
        .expect("a string");
    }

    fn left(&mut self, (x, y): (usize, usize), class: &str, words: &str) {
        writeln!(
            self.svg,
            "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{words}</text>"
        )
        .expect("a string");
    }

    /// A box with a name, and a note below it.
    fn place(&mut self, (x, y, width): (usize, usize, usize), class: &str, name: &str, note: &str) {
        writeln!(self.svg, "<rect class=\"box {class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"48\" rx=\"6\"/>")
            .expect("a string");
        self.words((x + width / 2, y + 20), "b", name);
        self.words((x + width / 2, y + 37), "n", note);
    }

    fn path(&mut self, class: &str, d: &str) {
        writeln!(self.svg, "<path class=\"{class}\" d=\"{d}\"/>").expect("a string");
    }

    /// Compares it with the one in the guide, or draws that again.
    fn compare(mut self, name: &str) {
        self.svg.push_str("</svg>\n");
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../docs/src/images")
            .join(name);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &self.svg).expect("a file");
        }
        let there = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            there == self.svg,
            "docs/src/images/{name} is not what the server does; UPDATE=1 draws it again"
        );
    }
}

fn status(answer: &Answer) -> String {
    text(&answer.attributes()["status"])
}

async fn status_of(ann: &Client<'_>, version: &str) -> String {
    status(
        &ann.get(&format!("/api/v2/state-versions/{version}"))
            .await
            .expect(200),
    )
}

async fn is_current(ann: &Client<'_>, workspace: &str, version: &str) -> bool {
    ann.current(workspace).await.expect(200).id() == version
}

/// From the request that makes it to the end of its bytes.
#[tokio::test]
async fn the_life_of_a_state_version() {
    let world = World::new().await;
    let ann = world.owner().await;
    let net = ann.locked("net").await;
    let first = State::new(1, "l", "one");
    let made = ann.begin(&net, &first).await.expect(201);
    let (one, pending) = (made.id(), status(&made));
    let upload = text(&made.attributes()["hosted-state-upload-url"]);
    ann.put(&upload, &first.bytes).await.expect(200);
    let finalized = status_of(&ann, &one).await;
    assert!(is_current(&ann, &net, &one).await);
    let two = ann.stored(&net, &State::new(2, "l", "two")).await;
    assert!(is_current(&ann, &net, &two).await && status_of(&ann, &one).await == finalized);
    // Its lock is taken away before its bytes come.
    let waits = State::new(3, "l", "three");
    let made = ann.begin(&net, &waits).await.expect(201);
    let (three, late) = (
        made.id(),
        text(&made.attributes()["hosted-state-upload-url"]),
    );
    ann.force_unlock(&net).await.expect(200);
    let discarded = status_of(&ann, &three).await;
    assert!(ann.put(&late, &waits.bytes).await.status >= 400);
    let kept = ann
        .json(&format!("/api/v2/workspaces/{net}/quarantine"))
        .await;
    assert_eq!(kept["data"].as_array().map(Vec::len), Some(1), "{kept}");
    // The bytes of one that is not current can be hidden, brought back, and deleted.
    let act = |action: &'static str| {
        let path = format!("/api/v2/state-versions/{one}/actions/{action}_backing_data");
        let ann = &ann;
        async move { ann.send("POST", &path, &[], "").await.expect(204) }
    };
    act("soft_delete").await;
    let hidden = status_of(&ann, &one).await;
    act("restore").await;
    assert_eq!(status_of(&ann, &one).await, finalized);
    // A rollback makes a new version of its bytes.
    ann.lock(&net).await.expect(200);
    let four = ann.rollback(&net, &one).await.expect(201).id();
    assert!(is_current(&ann, &net, &four).await);
    act("soft_delete").await;
    act("permanently_delete").await;
    let deleted = status_of(&ann, &one).await;

    let mut picture = Picture::new("The life of a state version", (880, 330));
    picture.place((10, 60, 150), "", &pending, "waits for its bytes");
    picture.place((330, 60, 180), "now", &finalized, "and current");
    picture.place((680, 60, 190), "", &finalized, "no longer current");
    picture.place((10, 230, 150), "gone", &discarded, "late bytes: quarantine");
    picture.place((680, 230, 190), "", &hidden, "its bytes are hidden");
    picture.place((330, 230, 180), "gone", &deleted, "its bytes are gone");
    picture.path("", "M160 84H328");
    picture.words((244, 76), "n", "the bytes, by their MD5");
    picture.path("", "M510 84H678");
    picture.words((594, 76), "n", "a newer one is stored");
    picture.path("", "M85 108V228");
    picture.left((93, 160), "n", "its lock is taken");
    picture.left((93, 176), "n", "away before");
    picture.path("", "M735 108V228");
    picture.left((668, 172), "n", "soft delete");
    picture.path("", "M815 230V110");
    picture.left((823, 172), "n", "restore");
    picture.path("", "M680 254H512");
    picture.words((596, 246), "n", "delete for ever");
    picture.path("back", "M775 60C740 18 480 18 420 57");
    picture.words(
        (598, 18),
        "n",
        "rollback: its bytes again, as a new version",
    );
    picture.compare("life.svg");
}

/// Who holds the lock at each step, and what a server that dies there leaves behind.
#[tokio::test]
async fn an_upgrade_under_lock() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let before = ann.current(&net).await.expect(200).id();
    let upgraded = ann.upgrade(&net).await.expect(201).id();
    let log = ann
        .json("/api/v2/organizations/acme/audit?filter[action]=state-version.upgrade")
        .await;
    assert_eq!(log["data"].as_array().map(Vec::len), Some(1), "{log}");
    let workspace = ann.attributes(&format!("/api/v2/workspaces/{net}")).await;
    assert!(
        workspace["locked"] == false
            && is_current(&ann, &net, &upgraded).await
            && before != upgraded
    );
    // A request that comes again finds that there is nothing to do.
    assert_eq!(ann.upgrade(&net).await.expect(200).id(), upgraded);
    let lease = world.service.conduct().lease;
    assert!(
        lease >= Duration::from_secs(30),
        "the minute of the picture"
    );

    let mut picture = Picture::new(
        "An upgrade under lock, and what is left when the server is killed",
        (880, 400),
    );
    for (x, name) in [(110, "you"), (400, "server"), (700, "store")] {
        picture.words((x, 28), "b", name);
        picture.path("plain", &format!("M{x} 40V385"));
    }
    writeln!(
        picture.svg,
        "<rect class=\"hold\" x=\"694\" y=\"100\" width=\"12\" height=\"190\"/>"
    )
    .expect("a string");
    let step = |picture: &mut Picture, y: usize, (from, to): (usize, usize), words: &str| {
        let end = if to > from { to - 8 } else { to + 8 };
        picture.path("", &format!("M{from} {y}H{end}"));
        picture.words((usize::midpoint(from, to), y - 7), "n", words);
    };
    step(
        &mut picture,
        70,
        (110, 400),
        "upgrade, If-Match: the version that you saw",
    );
    step(
        &mut picture,
        100,
        (400, 700),
        "lock it in your name; is that version current?",
    );
    step(&mut picture, 150, (700, 400), "the bytes");
    picture.words(
        (550, 195),
        "n",
        "upgrades every instance, in memory: all or none",
    );
    picture.words(
        (550, 250),
        "n",
        "is the lock still the server's? Otherwise nothing",
    );
    step(
        &mut picture,
        290,
        (400, 700),
        "one transaction: new version and unlock",
    );
    step(&mut picture, 360, (400, 110), "201: the new version");
    picture.left((714, 190), "n", "locked by you");
    for (y, words) in [
        (125, "locked, until its minute is over"),
        (225, "the same; the state is as it was"),
        (320, "upgraded and unlocked"),
    ] {
        picture.words((400, y + 5), "b x", "✕");
        picture.words((255, y + 4), "n", &format!("killed here: {words}"));
    }
    picture.compare("upgrade.svg");
}

/// A serial only grows: a rollback is a version of its own.
#[tokio::test]
async fn the_serials_of_a_rollback() {
    let world = World::knowing(registry()).await;
    let ann = world.owner().await;
    let net = filled(&ann, "net", &[old("a")]).await;
    let first = ann.current(&net).await.expect(200).id();
    ann.upgrade(&net).await.expect(201);
    ann.lock(&net).await.expect(200);
    ann.create(&net, &state(3, &[new("a"), new("b")]))
        .await
        .expect(201);
    ann.rollback(&net, &first).await.expect(201);
    ann.create(&net, &state(5, &[old("a")])).await.expect(201);
    let mut versions = ann.versions("net").await;
    versions.reverse();
    let related = |version: &Value, name: &str| {
        version["relationships"][name]["data"]["id"]
            .as_str()
            .map(str::to_owned)
    };
    let place = |id: &str| {
        versions
            .iter()
            .position(|version| version["id"] == id)
            .expect("a version")
    };

    let mut picture = Picture::new(
        "The serials of a rollback",
        (versions.len() * 170 + 20, 190),
    );
    for (index, version) in versions.iter().enumerate() {
        let x = 20 + index * 170;
        let serial = version["attributes"]["serial"].as_i64().expect("a serial");
        let rolled_back = related(version, "rollback-state-version");
        let note = match (
            related(version, "upgraded-from-state-version"),
            &rolled_back,
        ) {
            (Some(_), _) => "upgrade",
            (None, Some(_)) => "rollback",
            (None, None) => "terraform apply",
        };
        let class = if index + 1 == versions.len() {
            "now"
        } else {
            ""
        };
        picture.place((x, 90, 150), class, &format!("serial {serial}"), note);
        if index + 1 < versions.len() {
            picture.path("", &format!("M{} 114H{}", x + 150, x + 168));
        }
        if let Some(source) = rolled_back {
            let (from, to) = (20 + place(&source) * 170 + 75, x + 75);
            picture.path("back", &format!("M{from} 90C{from} 20 {to} 20 {to} 87"));
            picture.words(
                (usize::midpoint(from, to), 30),
                "n",
                &format!(
                    "the bytes of serial {}, with serial {serial} in them",
                    serial_of(&versions, &source)
                ),
            );
        }
    }
    let stale = place(&first) + 2;
    picture.words(
        (20 + stale * 170 + 75, 165),
        "n",
        "a plan that was saved here",
    );
    picture.words(
        (20 + stale * 170 + 75, 181),
        "n",
        "is stale from serial 4 on",
    );
    picture.compare("serials.svg");
}

fn serial_of(versions: &[Value], id: &str) -> i64 {
    versions
        .iter()
        .find(|version| version["id"] == id)
        .and_then(|version| version["attributes"]["serial"].as_i64())
        .expect("a serial")
}
