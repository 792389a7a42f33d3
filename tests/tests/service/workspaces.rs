//! `terraform workspace`, where one folder has several.

use super::folder::{Folder, HOST};
use super::real::ran::Ran;
use super::real::terraform::{Release, V1_6, V1_10, V1_15};
use super::service::{ORGANIZATION, Service};

/// A folder whose workspaces are selected like this.
fn folder(release: Release, service: &Service, block: &str, selector: &str) -> Folder {
    let folder = Folder::with(release, service.url());
    folder.settings(&format!(
        "  {block} {{\n    hostname = \"{HOST}\"\n    organization = \"{ORGANIZATION}\"\n    workspaces {{\n      {selector}\n    }}\n  }}\n"
    ));
    folder
}

fn workspace(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.run(&[&["workspace"], arguments].concat())
}

fn list(folder: &Folder) -> Vec<String> {
    let listed = workspace(folder, &["list", "-no-color"]);
    let lines = listed
        .succeeds()
        .out
        .lines()
        .map(|line| line.trim_start_matches(['*', ' ']).trim().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// Makes workspaces, works in them and deletes them.
fn come_and_go(release: Release, block: &str, selector: &str, prefix: &str) {
    let service = Service::start();
    let api = service.direct();
    api.create_workspace("another");
    let folder = folder(release, &service, block, selector);
    // There is none yet that could be selected: `cloud` asks for a name, `remote` wants one to be
    // made.
    folder.init().fails();
    if block == "cloud" {
        folder.asked(&["init", "-no-color"], "live\n").succeeds();
    } else {
        workspace(&folder, &["new", "-no-color", "live"]).succeeds();
    }
    folder.init().succeeds();
    workspace(&folder, &["new", "-no-color", "test"]).succeeds();
    assert_eq!(workspace(&folder, &["show"]).succeeds().out.trim(), "test");
    folder.apply_value("in test").succeeds();
    workspace(&folder, &["select", "-no-color", "live"]).succeeds();
    folder.apply_value("in live").succeeds();
    assert_eq!(folder.output("value"), "in live");
    workspace(&folder, &["select", "-no-color", "test"]).succeeds();
    assert_eq!(folder.output("value"), "in test");
    assert_eq!(list(&folder), ["live", "test"]);
    workspace(&folder, &["new", "-no-color", "live"]).fails();
    workspace(&folder, &["select", "-no-color", "another"]).fails();
    // One that still has resources is not deleted by accident.
    workspace(&folder, &["delete", "-no-color", "live"]).fails();
    assert_eq!(api.serials(&format!("{prefix}live")), [1]);
    workspace(&folder, &["delete", "-no-color", "-force", "live"]).succeeds();
    assert_eq!(list(&folder), ["test"]);
    // One without resources is.
    workspace(&folder, &["new", "-no-color", "empty"]).succeeds();
    workspace(&folder, &["select", "-no-color", "test"]).succeeds();
    workspace(&folder, &["delete", "-no-color", "empty"]).succeeds();
    assert_eq!(list(&folder), ["test"]);
    assert_eq!(folder.output("value"), "in test");
    // A name that is free again begins without a state.
    workspace(&folder, &["new", "-no-color", "live"]).succeeds();
    assert_eq!(folder.plan().changes(), (1, 0, 0));
}

#[test]
fn chosen_by_tags() {
    come_and_go(V1_15, "cloud", "tags = [\"shop\", \"eu\"]", "");
}

#[test]
fn chosen_by_tags_with_values() {
    come_and_go(V1_15, "cloud", "tags = { shop = \"eu\" }", "");
}

#[test]
fn chosen_by_tags_with_older_releases() {
    come_and_go(V1_10, "cloud", "tags = [\"shop\", \"eu\"]", "");
    come_and_go(V1_6, "cloud", "tags = [\"shop\", \"eu\"]", "");
}

#[test]
fn chosen_by_a_prefix() {
    come_and_go(V1_15, "backend \"remote\"", "prefix = \"shop-\"", "shop-");
}

#[test]
fn chosen_by_a_prefix_with_older_releases() {
    come_and_go(V1_10, "backend \"remote\"", "prefix = \"shop-\"", "shop-");
    come_and_go(V1_6, "backend \"remote\"", "prefix = \"shop-\"", "shop-");
}
