//! People sign in with `oidc-provider`, a provider that the `OpenID` Foundation certified, by its
//! own pages. `.ci/full` installs it.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, Url};
use serde_json::{Value, json};
use upstate_server::__internal::model::Timestamp;

use crate::page::{Page, field, submit, visit};
use crate::people::{people_of, world_of};
use crate::world::{BASE, World};

/// A provider, which ends when this is dropped.
struct Provider {
    child: Child,
    issuer: String,
    /// Open, because it goes on writing.
    _lines: Lines<BufReader<ChildStdout>>,
}

impl Provider {
    /// Starts one that differs by these settings from a usual one.
    fn start(settings: &Value) -> Self {
        let folder = std::env::var_os("UPSTATE_OIDC_PROVIDER")
            .expect("UPSTATE_OIDC_PROVIDER, the folder where npm installed oidc-provider");
        let mut child = Command::new("node")
            .current_dir(folder)
            .args(["--input-type=module", "--eval"])
            .arg(include_str!("certified_provider.mjs"))
            .arg(settings.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let issuer = lines.next().expect("a line").expect("an issuer");
        Self {
            child,
            issuer,
            _lines: lines,
        }
    }

    async fn world(&self) -> World {
        let world = world_of(people_of(&self.issuer, "email")).await;
        // Its ID tokens are of today.
        let late = Timestamp::now().as_millis() - world.service.now().as_millis();
        let by = Duration::from_millis(late.unsigned_abs());
        if late < 0 {
            world.set_back(by);
        } else {
            world.wait(by);
        }
        world
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A sign-in that was begun: the page of the provider, and what the browser keeps.
struct Begun {
    to: Url,
    cookie: String,
}

impl Begun {
    async fn at(world: &World) -> Self {
        let page = visit(world, "/ui/sign-in/provider", "").await;
        assert_eq!(page.status, 303, "{}", page.text);
        Self {
            to: page.location.parse().expect("a URL"),
            cookie: kept(&page),
        }
    }

    /// With another value of a parameter.
    fn changed(mut self, name: &str, value: &str) -> Self {
        let pairs: Vec<_> = self.to.query_pairs().into_owned().collect();
        let mut changed = self.to.query_pairs_mut();
        changed.clear();
        for (key, old) in &pairs {
            changed.append_pair(key, if key == name { value } else { old });
        }
        drop(changed);
        self
    }
}

fn kept(page: &Page) -> String {
    page.cookie.split(';').next().expect("a cookie").to_owned()
}

/// The part of a page from behind some words to the next quotation mark.
fn after<'p>(page: &'p str, words: &str) -> &'p str {
    let rest = page.split(words).nth(1);
    rest.and_then(|rest| rest.split('"').next())
        .unwrap_or_else(|| panic!("no {words}: {page}"))
}

/// The browser of somebody, at the provider.
struct Browser {
    client: Client,
    cookies: BTreeMap<String, String>,
    login: &'static str,
    /// True if they decline.
    declines: bool,
}

impl Browser {
    fn of(login: &'static str) -> Self {
        // The client takes its cryptography from the process, where only the first choice counts.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().redirect(Policy::none());
        Self {
            client: client.build().expect("a client"),
            cookies: BTreeMap::new(),
            login,
            declines: false,
        }
    }

    async fn answer(&mut self, request: RequestBuilder) -> Response {
        let pairs = self.cookies.iter();
        let cookies: Vec<_> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let request = request.header("cookie", cookies.join("; "));
        let answer = request.send().await.expect("an answer");
        for cookie in answer.headers().get_all("set-cookie") {
            let cookie = cookie.to_str().expect("text");
            let pair = cookie.split(';').next().expect("a pair");
            let (name, value) = pair.split_once('=').expect("a pair");
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    /// Goes through the pages of the provider until one leads back: the path of this server.
    async fn back(&mut self, begun: &Begun) -> String {
        let mut request = self.client.get(begun.to.clone());
        for _ in 0..10 {
            let answer = self.answer(request).await;
            if let Some(location) = answer.headers().get("location") {
                let next = answer.url().join(location.to_str().expect("text"));
                let next = next.expect("a URL");
                if let Some(path) = next.as_str().strip_prefix(BASE) {
                    return path.to_owned();
                }
                request = self.client.get(next);
                continue;
            }
            let page = answer.text().await.expect("a page");
            request = if self.declines {
                self.client.get(after(&page, "<a href=\""))
            } else {
                let login = self.login;
                let form = if page.contains("name=\"login\"") {
                    format!("prompt=login&login={login}&password=x")
                } else {
                    "prompt=consent".to_owned()
                };
                let kind = ("content-type", "application/x-www-form-urlencoded");
                let request = self.client.post(after(&page, "action=\""));
                request.header(kind.0, kind.1).body(form)
            };
        }
        panic!("the provider does not lead back");
    }

    /// The answer of this server to what the provider sends back.
    async fn ends(&mut self, world: &World, begun: &Begun) -> Page {
        let path = self.back(begun).await;
        visit(world, &path, &begun.cookie).await
    }

    /// The cookie of a session.
    async fn signs_in(&mut self, world: &World) -> String {
        let page = self.ends(world, &Begun::at(world).await).await;
        assert_eq!((page.status, &*page.location), (303, "/"), "{}", page.text);
        kept(&page)
    }
}

async fn sees(world: &World, cookie: &str) -> u16 {
    visit(world, "/ui/organizations/acme", cookie).await.status
}

#[track_caller]
fn refused(page: &Page, says: &str) {
    assert!(
        page.status == 401 && page.text.contains(says),
        "{says}: {} {}",
        page.status,
        page.text
    );
}

#[tokio::test]
#[ignore = "it needs a provider, which `.ci/full` has"]
async fn people_sign_in_and_out_by_the_pages_of_a_provider() {
    let provider = Provider::start(&json!({}));
    let world = provider.world().await;
    let mut kim = Browser::of("kim");
    let begun = Begun::at(&world).await;
    let path = kim.back(&begun).await;
    let page = visit(&world, &path, &begun.cookie).await;
    assert_eq!((page.status, &*page.location), (303, "/"), "{}", page.text);
    let cookie = kept(&page);
    assert_eq!(sees(&world, &cookie).await, 200);
    let home = visit(&world, "/", &cookie).await;
    home.has("Signed in as kim@example.com");
    // A code is redeemed once.
    let wrong = "answer was refused";
    refused(&visit(&world, &path, &begun.cookie).await, wrong);
    // Those of another group are in no team.
    let other = Browser::of("lee").signs_in(&world).await;
    assert_eq!(sees(&world, &other).await, 404);
    // Signing out ends the session of this server, and leads to the page that ends the provider's.
    let form = format!("csrf={}", field(&home, "csrf"));
    let page = submit(&world, "/ui/sign-out", &cookie, &form).await;
    assert_eq!((page.status, sees(&world, &cookie).await), (200, 401));
    let there = after(&page.text, "<a class=\"button\" href=\"").replace("&amp;", "&");
    let request = kim.client.get(there);
    assert_eq!(kim.answer(request).await.status().as_u16(), 200);
    assert_eq!(sees(&world, &kim.signs_in(&world).await).await, 200);
}

#[tokio::test]
#[ignore = "it needs a provider, which `.ci/full` has"]
async fn what_a_provider_answers_to_another_sign_in_is_refused() {
    let provider = Provider::start(&json!({}));
    let world = provider.world().await;
    let mut kim = Browser::of("kim");
    let wrong = "answer was refused";
    let begun = Begun::at(&world).await.changed("nonce", "another");
    refused(&kim.ends(&world, &begun).await, wrong);
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let begun = Begun::at(&world).await.changed("code_challenge", challenge);
    refused(&kim.ends(&world, &begun).await, wrong);
    let not_begun = "was not begun in this browser";
    let begun = Begun::at(&world).await.changed("state", "another");
    refused(&kim.ends(&world, &begun).await, not_begun);
    let (begun, other) = (Begun::at(&world).await, Begun::at(&world).await);
    let path = kim.back(&begun).await;
    refused(&visit(&world, &path, &other.cookie).await, not_begun);
    let mut kim = Browser::of("kim");
    kim.declines = true;
    let page = kim.ends(&world, &Begun::at(&world).await).await;
    refused(&page, "did not sign you in: access_denied");
}

#[tokio::test]
#[ignore = "it needs a provider, which `.ci/full` has"]
async fn new_keys_of_a_provider_are_taken() {
    // With the secret in the body and all claims in the ID token, because providers do that, too.
    let provider = Provider::start(&json!({
        "clientAuthMethods": ["client_secret_post"], "conformIdTokenClaims": false,
    }));
    let world = provider.world().await;
    let mut kim = Browser::of("kim");
    assert_eq!(sees(&world, &kim.signs_in(&world).await).await, 200);
    let rotate = kim.client.post(format!("{}/rotate", provider.issuer));
    let answer = rotate.send().await.expect("an answer");
    assert_eq!(answer.status().as_u16(), 200);
    // A provider is asked for its keys again after half a minute at the earliest.
    let page = kim.ends(&world, &Begun::at(&world).await).await;
    assert_eq!(page.status, 503, "{}", page.text);
    world.wait(Duration::from_secs(31));
    assert_eq!(sees(&world, &kim.signs_in(&world).await).await, 200);
}
