//! The guide's page "I keep Terraform state", done as it says: the first start prints the token and
//! the page's blocks, and Terraform keeps its state with them.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;

use super::folder::Folder;
use super::real::ran::Ran;
use super::service::free_address;

const PAGE: &str = include_str!("../../../docs/src/start-state.md");

#[test]
fn it_does_what_the_page_says() {
    let [host, main] = PAGE
        .split("```hcl\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0)
        .collect::<Vec<_>>()[..]
    else {
        panic!("the page has two blocks of HCL")
    };
    let (cloud, _) = main.split_once("\n\n").unwrap();
    let states = tempfile::tempdir().unwrap();
    let address = free_address().to_string();
    let mut server = Command::new(env!("CARGO_BIN_EXE_state_versions_service"))
        .args(["serve", "--data", "./states", "--listen", &address])
        .current_dir(states.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut printed = String::new();
    let mut lines = BufReader::new(server.stdout.take().unwrap());
    while !printed.contains("asks for the token") {
        assert_ne!(
            lines.read_line(&mut printed).unwrap(),
            0,
            "the server ended: {printed}"
        );
    }
    let (_, token) = printed.split_once("shown this once:\n\n  ").unwrap();
    let (token, _) = token.split_once('\n').unwrap();

    // It prints what the page has, further in, with the token in its place.
    let indented = |block: &str| {
        block
            .trim_end()
            .lines()
            .flat_map(|line| ["  ", line, "\n"])
            .collect::<String>()
    };
    let host = host.replace("127.0.0.1:8080", &address).replace('…', token);
    assert!(printed.contains(&indented(&host)), "{printed}");
    assert!(
        printed.contains(&indented(&cloud.replace("network", "my-workspace"))),
        "{printed}"
    );

    let folder = Folder::new(&format!("http://{address}"));
    folder.write("page.tfrc", &format!("disable_checkpoint = true\n{host}"));
    folder.write("main.tf", main);
    let commands = PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("$ terraform "));
    let mut pulled = None;
    for command in commands {
        let arguments: Vec<&str> = command.split(' ').collect();
        let mut terraform = folder.command(&arguments);
        terraform.env("TF_CLI_CONFIG_FILE", folder.path("page.tfrc"));
        let ran = Ran::of(&mut terraform, &arguments);
        ran.succeeds();
        pulled = Some(ran);
    }
    let state = pulled.unwrap().json();
    assert_eq!(
        (&state["serial"], &state["resources"][0]["name"]),
        (&json!(1), &json!("hello"))
    );
    server.kill().unwrap();
    server.wait().unwrap();
}
