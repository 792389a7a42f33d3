//! What people do with Terraform all day, with each release and through each backend.

use serde_json::json;

use super::folder::{Backend, Folder};
use super::real::terraform::{Release, V1_6, V1_10, V1_15};
use super::service::Service;

/// The whole life of a state.
fn lives(release: Release, backend: Backend) {
    let service = Service::start();
    let api = service.direct();
    let folder = Folder::with(release, service.url());
    folder.uses(backend, "life");
    if backend == Backend::Http {
        // This backend knows nothing of workspaces, so it can't make one.
        api.create_workspace("life");
    }
    folder.init().succeeds();
    assert_eq!(folder.plan().changes(), (1, 0, 0));
    assert_eq!(api.serials("life"), [0; 0], "a plan stores nothing");

    assert_eq!(folder.apply().changes(), (1, 0, 0));
    assert_eq!(folder.output("value"), "one");
    assert_eq!(folder.output("secret"), "s3cret-one");
    assert_eq!(folder.plan().changes(), (0, 0, 0));
    assert_eq!(folder.apply().changes(), (0, 0, 0));
    assert_eq!(
        api.serials("life"),
        [1],
        "nothing changed, so nothing is stored"
    );

    folder.apply_value("two").succeeds();
    assert_eq!(folder.output("value"), "two");
    assert_eq!(
        folder.run(&["state", "list"]).succeeds().out,
        "terraform_data.it\n"
    );
    assert!(
        folder
            .run(&["state", "show", "-no-color", "terraform_data.it"])
            .succeeds()
            .out
            .contains("\"two\"")
    );
    assert!(
        folder
            .run(&["show", "-no-color"])
            .succeeds()
            .out
            .contains("\"two\"")
    );
    let pulled = folder.pull();
    assert_eq!(
        (
            &pulled["serial"],
            &pulled["resources"][0]["instances"][0]["attributes"]["output"]["value"]
        ),
        (&json!(2), &json!("two"))
    );

    folder
        .run(&["state", "mv", "terraform_data.it", "terraform_data.moved"])
        .succeeds();
    assert_eq!(
        folder.run(&["state", "list"]).succeeds().out,
        "terraform_data.moved\n"
    );
    folder
        .run(&["state", "rm", "terraform_data.moved"])
        .succeeds();
    assert_eq!(folder.run(&["state", "list"]).succeeds().out, "");
    let mut earlier = pulled;
    earlier["serial"] = json!(folder.pull()["serial"].as_u64().unwrap() + 1);
    folder.write("earlier.tfstate", &earlier.to_string());
    folder.run(&["state", "push", "earlier.tfstate"]).succeeds();
    assert_eq!(folder.output("value"), "two");

    folder.run(&["taint", "terraform_data.it"]).succeeds();
    folder.run(&["untaint", "terraform_data.it"]).succeeds();
    folder
        .run(&["refresh", "-no-color", "-var=value=two"])
        .succeeds();
    folder.run(&["providers", "-no-color"]).succeeds();
    folder.run(&["graph"]).succeeds();
    folder
        .run(&[
            "plan",
            "-no-color",
            "-input=false",
            "-var=value=three",
            "-out=saved.tfplan",
        ])
        .succeeds();
    folder
        .run(&["apply", "-no-color", "-input=false", "saved.tfplan"])
        .succeeds();
    assert_eq!(folder.output("value"), "three");
    assert_eq!(folder.destroy().changes(), (0, 0, 1));
    assert_eq!(folder.pull()["resources"], json!([]));

    let serials = api.serials("life");
    let mut falling = serials.clone();
    falling.sort_unstable_by(|a, b| b.cmp(a));
    falling.dedup();
    assert_eq!(
        serials, falling,
        "the newest is first, and each has a serial of its own"
    );
    // What Terraform pulled is what the service has, to the last byte.
    assert_eq!(
        folder.pull(),
        serde_json::from_slice::<serde_json::Value>(&api.download_current(&api.workspace("life")))
            .unwrap()
    );
    assert!(!folder.left_a_state());
    // The lock was given back.
    api.lock(&api.workspace("life")).is(200);
}

macro_rules! lives {
    ($($name:ident: $release:ident, $backend:ident;)+) => {$(
        #[test]
        fn $name() {
            lives($release, Backend::$backend);
        }
    )+};
}

lives! {
    terraform_1_15_cloud: V1_15, Cloud;
    terraform_1_15_remote: V1_15, Remote;
    terraform_1_15_http: V1_15, Http;
    terraform_1_10_cloud: V1_10, Cloud;
    terraform_1_10_remote: V1_10, Remote;
    terraform_1_10_http: V1_10, Http;
    terraform_1_6_cloud: V1_6, Cloud;
    terraform_1_6_remote: V1_6, Remote;
    terraform_1_6_http: V1_6, Http;
}
