//! State that moves into the service, out of it, and is read from elsewhere.

use super::folder::{Backend, Folder, HOST};
use super::real::terraform::{Release, V1_6, V1_10, V1_15};
use super::service::{ORGANIZATION, Service};

fn moves_in(release: Release, backend: Backend) {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::with(release, service.url());
    folder.init().succeeds();
    folder.apply_value("one").succeeds();
    folder.apply_value("two").succeeds();
    assert!(folder.path("terraform.tfstate").exists());
    if backend == Backend::Http {
        api.create_workspace("moved");
    }
    folder.uses(backend, "moved");
    match backend {
        Backend::Cloud => folder.asked(&["init", "-no-color"], "yes\n"),
        Backend::Remote | Backend::Http => folder.run(&["init", "-no-color", "-input=false", "-migrate-state", "-force-copy"]),
    }
    .succeeds();
    assert_eq!(folder.output("value"), "two");
    assert_eq!(api.serials("moved").len(), 1);
    folder.run(&["plan", "-no-color", "-input=false", "-detailed-exitcode", "-var=value=two"]).succeeds();
    folder.apply_value("three").succeeds();
    assert_eq!(api.serials("moved").len(), 2);
    api.lock(&api.workspace("moved")).is(200);
}

#[test]
fn from_a_file_to_cloud() {
    moves_in(V1_15, Backend::Cloud);
}

#[test]
fn from_a_file_to_remote() {
    moves_in(V1_15, Backend::Remote);
}

#[test]
fn from_a_file_to_http() {
    moves_in(V1_15, Backend::Http);
}

#[test]
fn from_a_file_with_older_releases() {
    moves_in(V1_10, Backend::Cloud);
    moves_in(V1_6, Backend::Cloud);
}

#[test]
fn from_one_backend_to_another_and_to_a_file_again() {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::new(service.url());
    folder.uses(Backend::Remote, "first").init().succeeds();
    folder.apply().succeeds();
    api.create_workspace("second");
    let migrate = ["init", "-no-color", "-input=false", "-migrate-state", "-force-copy"];
    folder.uses(Backend::Http, "second").run(&migrate).succeeds();
    assert_eq!(folder.output("value"), "one");
    folder.uses_a_file().run(&migrate).succeeds();
    assert_eq!(folder.output("value"), "one");
    let file: serde_json::Value = serde_json::from_str(&folder.read("terraform.tfstate")).unwrap();
    assert_eq!(file["resources"][0]["name"], "it");
    // What was moved is still where it was.
    assert_eq!((api.serials("first"), api.serials("second").len()), (vec![1], 1));
}

#[test]
fn terraform_remote_state_reads_it() {
    let service = Service::start();
    let owner = Folder::new(service.url());
    owner.uses(Backend::Cloud, "network").init().succeeds();
    owner.apply().succeeds();
    for release in [V1_15, V1_10, V1_6] {
        let reader = Folder::with(release, service.url());
        reader.write(
            "main.tf",
            &format!(
                "data \"terraform_remote_state\" \"network\" {{\n  backend = \"remote\"\n  config = {{\n    hostname = \"{HOST}\"\n    \
                 organization = \"{ORGANIZATION}\"\n    workspaces = {{ name = \"network\" }}\n  }}\n}}\noutput \"read\" {{\n  value = \
                 data.terraform_remote_state.network.outputs.value\n}}\n"
            ),
        );
        reader.init().succeeds();
        reader.apply().succeeds();
        assert_eq!(reader.output("read"), "one", "{}", release.terraform);
    }
}
