//! Both protocols, encrypted or not, started by Terraform or not.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;

use super::workspace::Workspace;

const FILE: &str =
    "resource \"harbor_file\" \"it\" {\n path = \"a.txt\"\n content = \"hello\"\n}\n";

/// Creates, upgrades and destroys.
fn lives(workspace: &Workspace) {
    workspace.write("main.tf", FILE);
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    let old = json!({"id": "f", "filename": "a.txt", "content": "hello", "mode": 644});
    workspace.store(&[workspace.stored("harbor_file", 0, &old)]);
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    assert_eq!(workspace.instance("harbor_file")["schema_version"], 3);
    assert_eq!(workspace.destroy().changes(), (0, 0, 1));
}

/// Uses a data source, a function and an ephemeral resource.
fn serves_every_kind(workspace: &Workspace) {
    workspace.write("harbor/tide.txt", "high");
    workspace.write(
        "main.tf",
        "data \"harbor_file\" \"it\" {\n path = provider::harbor::join(\"/\", \"tide.txt\")\n}\n\
         ephemeral \"harbor_pass\" \"it\" {\n path = \"pass\"\n}\n\
         resource \"harbor_file\" \"it\" {\n path = \"used\"\n secret = ephemeral.harbor_pass.it.number\n}\n\
         output \"it\" {\n value = data.harbor_file.it.content\n}\n",
    );
    assert_eq!(workspace.apply().changes(), (1, 0, 0));
    assert_eq!(workspace.state()["outputs"]["it"]["value"], "high");
    assert_eq!(workspace.read("harbor/used").len(), 32);
    assert!(!workspace.path("harbor/pass").exists());
}

fn in_this_process(protocol: u32) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let server = {
        let _inside = runtime.enter();
        harbor::provider().reattached(protocol).unwrap()
    };
    let workspace = Workspace::reattached("harbor", server.reattach());
    let root = workspace.path("harbor");
    // The provider's working directory is that of the test.
    workspace.write(
        "provider.tf",
        &format!("provider \"harbor\" {{\n root = {root:?}\n}}\n"),
    );
    lives(&workspace);
    serves_every_kind(&workspace);
}

#[test]
fn protocol_6_from_inside_this_process() {
    in_this_process(6);
}

#[test]
fn protocol_5_from_inside_this_process() {
    in_this_process(5);
}

#[test]
fn without_encryption_if_terraform_wants_none() {
    let mut workspace = Workspace::new("harbor");
    workspace.set("TF_DISABLE_PLUGIN_TLS", "1");
    lives(&workspace);
}

#[test]
fn over_tcp() {
    let mut workspace = Workspace::new("harbor");
    workspace.set("UPSTATE_PROVIDER_TCP", "1");
    lives(&workspace);
}

#[test]
fn started_by_hand_it_says_what_it_is() {
    let output = Command::new(env!("CARGO_BIN_EXE_provider_under_test"))
        .env_remove("TF_PLUGIN_MAGIC_COOKIE")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "This is a Terraform provider, which Terraform starts by itself. By hand, give it one of these arguments:\n\
         \x20 --debug  serve a Terraform that did not start it, and print what to set for it\n\
         \x20 docs     write the pages that a registry shows\n\
         \x20 package  pack a release\n"
    );
}

#[test]
fn run_by_hand_with_debug_it_serves_a_terraform_that_did_not_start_it() {
    let mut provider = Command::new(env!("CARGO_BIN_EXE_provider_under_test"));
    let mut provider = provider
        .arg("--debug")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Nobody reads the rest of what it says, nor what it may say later.
    let told: Vec<String> = BufReader::new(provider.stderr.take().unwrap())
        .lines()
        .take(3)
        .map(Result::unwrap)
        .collect();
    let reattach = told[2]
        .trim()
        .strip_prefix("TF_REATTACH_PROVIDERS='")
        .and_then(|rest| rest.strip_suffix('\''))
        .unwrap();
    let workspace = Workspace::reattached("harbor", reattach);
    workspace.write(
        "provider.tf",
        &format!(
            "provider \"harbor\" {{\n root = {:?}\n}}\n",
            workspace.path("harbor")
        ),
    );
    lives(&workspace);
    Command::new("kill")
        .args(["-INT", &provider.id().to_string()])
        .status()
        .unwrap();
    assert!(provider.wait().unwrap().success());
}

/// How long that takes is measured by `cargo run --release -p upstate-provider --example measure`.
#[test]
fn it_says_where_it_listens_with_encryption_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut provider = Command::new(env!("CARGO_BIN_EXE_provider_under_test"))
        .env(
            "TF_PLUGIN_MAGIC_COOKIE",
            "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
        )
        .env("PLUGIN_PROTOCOL_VERSIONS", "6,5")
        .env(
            "PLUGIN_CLIENT_CERT",
            include_str!("../../../provider/src/serve/testdata/host.pem"),
        )
        .env("PLUGIN_UNIX_SOCKET_DIR", folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(provider.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    provider.kill().unwrap();
    provider.wait().unwrap();
    assert!(line.starts_with("1|6|unix|"), "{line}");
    // The last part is the certificate that the host is to trust.
    assert_eq!(line.trim_end().split('|').count(), 6, "{line}");
    assert!(!line.trim_end().ends_with('|'), "{line}");
}

/// The provider's own tests compare the table with what is served and what is not.
#[test]
fn the_table_of_methods_names_tests_that_are_there() {
    let page = include_str!("methods.md");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/provider");
    let mut named = 0;
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let Some(test) = cells[3]
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix('`'))
        else {
            assert!(
                cells[2].starts_with("not served") || cells[3].starts_with("none with Terraform"),
                "{line}"
            );
            continue;
        };
        let (module, function) = test.split_once("::").unwrap();
        let source = std::fs::read_to_string(folder.join(format!("{module}.rs"))).unwrap();
        let start = source.find(&format!("#[test]\nfn {function}() {{"));
        let body = start.and_then(|start| source[start..].split("\n}\n").next());
        let body = body.unwrap_or_else(|| panic!("there is no test {test}: {line}"));
        // A test that names no release runs the one that a workspace has unless it is given
        // another.
        for release in ["1_10", "1_6"] {
            assert_eq!(
                body.contains(&format!("V{release}")),
                function.contains(&format!("terraform_{release}")),
                "{line}"
            );
        }
        named += 1;
    }
    assert!(named > 15, "{named}");
}
