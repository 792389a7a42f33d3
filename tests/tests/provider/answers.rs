//! Answers that would make Terraform forget a resource or print a riddle: none of them leaves the
//! provider.

use serde_json::json;

use super::workspace::Workspace;

fn answer(answer: &str) -> Workspace {
    let workspace = Workspace::new("quay");
    workspace.write(
        "main.tf",
        &format!("resource \"quay_answer\" \"it\" {{\n  answer = \"{answer}\"\n}}\n"),
    );
    workspace.store(&[workspace.stored("quay_answer", 0, &json!({"id": "q-1", "answer": answer}))]);
    workspace
}

/// What Terraform prints when an upgrade that was written by hand answers this.
#[track_caller]
fn refused(what: &str) -> (String, String) {
    let workspace = answer(what);
    let before = workspace.read("terraform.tfstate");
    let error = workspace.apply().error();
    assert_eq!(workspace.read("terraform.tfstate"), before, "{what}");
    assert_eq!(
        error["address"], "quay_answer.it",
        "{what}: Terraform's own errors name no address"
    );
    let text = |name: &str| error[name].as_str().unwrap().to_owned();
    (text("summary"), text("detail"))
}

const ABOUT: &str =
    "Resource type quay_answer, stored at schema version 0, current version 1, id \"q-1\".";

#[test]
fn null_is_refused_where_terraform_would_make_the_resource_a_second_time() {
    let (summary, detail) = refused("null");
    assert_eq!(summary, "Missing Upgraded Resource State");
    assert!(detail.ends_with(ABOUT), "{detail}");
}

#[test]
fn an_answer_without_what_the_model_needs_is_refused() {
    for what in ["empty", "null required"] {
        let (summary, detail) = refused(what);
        assert_eq!(summary, "Invalid Upgraded Resource State", "{what}");
        let said = "The upgrade of quay_answer from schema version 0 made a state that its model can't hold: answer: the stored value is \
                    null, but must not be";
        assert!(detail.starts_with(said), "{what}: {detail}");
    }
}

#[test]
fn what_the_schema_does_not_allow_is_refused_with_its_place() {
    for (what, place) in [
        ("unknown", "size"),
        ("wrong type", "size"),
        ("extra", "bogus"),
    ] {
        let (summary, detail) = refused(what);
        assert_eq!(summary, "Unable to Upgrade Resource State", "{what}");
        assert!(
            detail.contains(&format!("(at {place})")),
            "{what}: {detail}"
        );
        assert!(detail.contains(ABOUT), "{what}: {detail}");
    }
}

#[test]
fn an_attribute_that_was_left_out_is_null_as_in_the_framework() {
    let workspace = answer("");
    assert_eq!(workspace.apply().changes(), (0, 0, 0));
    let stored = workspace.instance("quay_answer");
    assert_eq!(
        stored["attributes"],
        json!({"answer": "", "id": "q-1", "size": null})
    );
    assert_eq!(stored["schema_version"], 1);
}
