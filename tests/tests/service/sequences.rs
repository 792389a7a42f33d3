//! What Terraform asks for, command by command: more requests, or others, are a client that went
//! another way than it does elsewhere.

use super::folder::{Backend, Folder};
use super::proxy::{Exchange, Proxy};
use super::service::{Kept, Service, Store};

/// A letter or a word for each request: `P` ping, `E` entitlements, `W` workspace, `C` current
/// version, `D` its bytes.
fn named(exchange: &Exchange) -> String {
    let path = exchange.path.split('?').next().unwrap();
    let parts: Vec<&str> = path
        .trim_start_matches("/api/v2")
        .split('/')
        .skip(1)
        .collect();
    let name = match (exchange.method.as_str(), parts.as_slice()) {
        ("GET", ["ping"]) => "P",
        ("GET", ["organizations", _, "entitlement-set"]) => "E",
        ("GET", ["organizations", _, "workspaces", _] | ["workspaces", _]) => "W",
        ("GET", ["organizations", _, "workspaces"]) => "list",
        ("POST", ["organizations", _, "workspaces"]) => "new",
        ("PATCH", ["workspaces", _]) => "PATCH",
        ("POST", ["workspaces", _, "actions", action]) => action,
        ("GET", ["workspaces", _, "current-state-version"]) => "C",
        ("GET", ["workspaces", _, "current-state-version-outputs"]) => "outputs",
        ("GET", ["state-version-outputs", _]) => "output",
        ("POST", ["workspaces", _, "state-versions"]) => "POST",
        ("GET", ["state-versions", _]) => "GET",
        ("PUT", ["objects", ..]) => "PUT",
        ("GET", ["objects", ..]) => "D",
        (method, ["http", ..]) => method,
        _ => return format!("{} {path}", exchange.method),
    };
    if exchange.status < 300 {
        name.to_owned()
    } else {
        format!("{name}→{}", exchange.status)
    }
}

struct Watched {
    proxy: Proxy,
    _service: Service,
    folder: Folder,
}

impl Watched {
    fn new(backend: Backend) -> Self {
        let proxy = Proxy::start();
        let service = Service::of(Kept::new(Store::Sqlite), Some(&proxy.url()), &[]);
        proxy.before(&[service.listens()]);
        let folder = Folder::new(service.url());
        folder.uses(backend, "watched");
        Self {
            proxy,
            _service: service,
            folder,
        }
    }

    #[track_caller]
    fn asks(&self, arguments: &[&str], requests: &str) {
        self.folder.run(arguments).succeeds();
        let asked: Vec<String> = self.proxy.exchanges().iter().map(named).collect();
        assert_eq!(
            asked.join(" "),
            requests,
            "terraform {}",
            arguments.join(" ")
        );
    }
}

const APPLY: [&str; 4] = ["apply", "-no-color", "-input=false", "-auto-approve"];

#[test]
fn through_cloud() {
    let watched = Watched::new(Backend::Cloud);
    watched.asks(
        &["init", "-no-color", "-input=false"],
        "P E W→404 new PATCH C→404",
    );
    watched.asks(&["init", "-no-color", "-input=false"], "P E W C→404");
    watched.asks(
        &["plan", "-no-color", "-input=false"],
        "P E W W lock C→404 unlock",
    );
    watched.asks(&APPLY, "P E W W lock C→404 C→404 POST PUT PUT GET unlock");
    watched.asks(&APPLY, "P E W W lock C D unlock");
    watched.asks(
        &[&APPLY[..], &["-var=value=two"]].concat(),
        "P E W W lock C D POST PUT PUT GET unlock",
    );
    watched.asks(&["output", "-json"], "P E W outputs output");
    watched.asks(&["state", "list"], "P E W C D");
    watched.asks(
        &["state", "rm", "terraform_data.it"],
        "P E W W lock C D P E POST PUT PUT GET unlock",
    );
}

#[test]
fn through_remote() {
    let watched = Watched::new(Backend::Remote);
    watched.asks(
        &["init", "-no-color", "-input=false"],
        "P E W→404 new C→404",
    );
    watched.asks(
        &["plan", "-no-color", "-input=false"],
        "P E W W lock C→404 unlock",
    );
    watched.asks(&APPLY, "P E W W lock C→404 C→404 POST PUT GET unlock");
    watched.asks(&["output", "-json"], "P E W C D");
}

#[test]
fn through_http() {
    let watched = Watched::new(Backend::Http);
    watched.folder.init().succeeds();
    watched.proxy.exchanges();
    watched.asks(&APPLY, "GET LOCK GET GET POST UNLOCK");
    watched.asks(
        &["plan", "-no-color", "-input=false"],
        "GET LOCK GET UNLOCK",
    );
}
