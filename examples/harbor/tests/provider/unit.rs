//! The provider's functions and the lives of its resources, without Terraform.

use harbor::{ConfigFile, File, FileLookup, Files, Harbor, Pass, Signal, provider};
use serde_json::json;
use upstate::AttributePath;
use upstate_provider::testing::{self, Core, PlannedAction, Values};
use upstate_provider::{Action, ManagedResource};

/// The content of a file, nothing if there is none.
fn text(folder: &tempfile::TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap_or_default()
}

#[test]
fn a_file_lives() {
    let folder = tempfile::tempdir().unwrap();
    let terraform = Core::of(provider(), json!({"root": folder.path()})).unwrap();
    let mut file = terraform.resource::<File>();
    let config = json!({"path": "a.txt", "content": "one"});
    let plan = file.plan(config.clone()).unwrap();
    // The content decides, because there is no file yet.
    assert_eq!(
        (plan.action, plan.get("size"), plan.is_known("sha256")),
        (PlannedAction::Create, &3.into(), true)
    );
    file.apply(config).unwrap();
    assert_eq!(text(&folder, "a.txt"), "one");
    file.apply(json!({"path": "a.txt", "content": "more"}))
        .unwrap();
    assert_eq!(text(&folder, "a.txt"), "more");
    // The content is not known when it is planned, and neither is what follows from it.
    let unknown = Values::from(json!({"path": "a.txt"})).unknown("content");
    assert!(!file.plan(unknown.clone()).unwrap().is_known("sha256"));
    file.apply_when_known(unknown, json!({"path": "a.txt", "content": "later"}))
        .unwrap();
    assert_eq!(text(&folder, "a.txt"), "later");
    let plan = file
        .plan(json!({"path": "b.txt", "content": "later"}))
        .unwrap();
    assert_eq!(
        (plan.action, plan.replaced_by),
        (PlannedAction::Replace, vec![AttributePath::from("path")])
    );
    let refused = file
        .plan(json!({"path": "../b.txt", "content": "x"}))
        .unwrap_err();
    assert!(
        refused.to_string().starts_with("Invalid Path: "),
        "{refused}"
    );
    // Somebody removes it behind Terraform's back.
    std::fs::remove_file(folder.path().join("a.txt")).unwrap();
    assert_eq!(
        file.apply(json!({"path": "a.txt", "content": "later"}))
            .unwrap()
            .action,
        PlannedAction::Create
    );
    file.destroy().unwrap();
    assert!(!folder.path().join("a.txt").exists());
}

#[test]
fn a_secret_is_written_and_stored_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let terraform = Core::of(provider(), json!({"root": folder.path()})).unwrap();
    let mut file = terraform.resource::<File>();
    file.apply(json!({"path": "a.txt", "secret": "sesame", "secret_version": 1}))
        .unwrap();
    assert_eq!(text(&folder, "a.txt"), "sesame");
    assert!(
        file.state()
            .get(&"secret".into())
            .is_some_and(upstate::Value::is_null)
    );
}

#[test]
fn an_old_state_and_an_import_plan_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one").unwrap();
    let terraform = Core::of(provider(), json!({"root": folder.path()})).unwrap();
    let config = json!({"path": "a.txt", "content": "one", "permissions": "0644"});
    let mut file = terraform.resource::<File>();
    file.upgrade(
        0,
        &json!({"id": "f", "filename": "a.txt", "content": "one", "mode": 644}),
    )
    .unwrap();
    file.refresh().unwrap();
    assert_eq!(
        file.plan(config.clone()).unwrap().action,
        PlannedAction::Nothing
    );
    let mut found = terraform.resource::<File>();
    found.import("a.txt").unwrap();
    let permissions = found
        .model()
        .unwrap()
        .and_then(|file| file.permissions)
        .unwrap();
    assert_eq!(
        found
            .plan(json!({"path": "a.txt", "content": "one", "permissions": permissions}))
            .unwrap()
            .action,
        PlannedAction::Nothing
    );
}

#[test]
fn what_exists_is_looked_up() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one").unwrap();
    let terraform = Core::of(provider(), json!({"root": folder.path()})).unwrap();
    terraform
        .read::<FileLookup>(json!({"path": "a.txt"}))
        .unwrap();
    assert!(
        !terraform
            .read::<FileLookup>(json!({"path": "b.txt"}))
            .unwrap_err()
            .is_by_terraform()
    );
}

#[test]
fn functions_are_called_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let harbor = testing::run(Harbor::open(folder.path())).unwrap();
    let mut context = testing::context(harbor);
    let mut plan = testing::creation::<File>(json!({"path": "a.txt", "content": "one"}));
    testing::run(File::modify_plan(&mut plan, &mut context)).unwrap();
    let planned = plan.model().unwrap().unwrap();
    assert_eq!(planned.size, 3);
    let made = testing::run(File::create(planned, &mut context)).unwrap();
    assert_eq!(
        (made.id.as_str(), text(&folder, "a.txt").as_str()),
        ("a.txt", "one")
    );
    // It exists already.
    assert!(testing::run(File::create(made, &mut context)).is_err());
    let all = testing::list(
        Files {
            path: None,
            suffix: Some(".txt".to_owned()),
        },
        10,
        &mut context,
    )
    .unwrap();
    let names: Vec<&str> = all
        .iter()
        .map(|listed| listed.display_name.as_str())
        .collect();
    assert_eq!(names, ["a.txt"]);
    let (progress, mut messages) = testing::progress();
    let signal = Signal {
        path: "signals.txt".to_owned(),
        message: "fog".to_owned(),
    };
    testing::run(Signal::invoke(signal, &progress, &mut context)).unwrap();
    assert!(!messages.take().is_empty());
    assert!(text(&folder, "signals.txt").contains("fog"));
}

#[test]
fn a_pass_is_there_while_it_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let terraform = Core::of(provider(), json!({"root": folder.path()})).unwrap();
    let pass = terraform.open::<Pass>(json!({"path": "pass.txt"})).unwrap();
    assert!(text(&folder, "pass.txt").contains(&pass.model().number));
    pass.close().unwrap();
    assert!(!folder.path().join("pass.txt").exists());
}

#[test]
fn a_configuration_file_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let harbor = testing::run(Harbor::open(folder.path())).unwrap();
    let mut context = testing::context(harbor);
    let section = json!({"name": "quay", "settings": {"depth": "7", "name": "a = b"}});
    let plan = testing::creation::<ConfigFile>(
        json!({"path": "a.ini", "comment": "by hand", "section": [section]}),
    );
    let made = testing::run(ConfigFile::create(
        plan.model().unwrap().unwrap(),
        &mut context,
    ))
    .unwrap();
    assert_eq!(
        text(&folder, "a.ini"),
        "# by hand\n[quay]\ndepth = 7\nname = a = b\n"
    );
    let found = testing::run(ConfigFile::read(made.clone(), &mut context)).unwrap();
    assert_eq!(found.as_ref(), Some(&made));
    std::fs::write(folder.path().join("a.ini"), "depth = 7").unwrap();
    let refused = testing::run(ConfigFile::read(made, &mut context)).unwrap_err();
    assert!(
        refused.to_string().contains("Line 1 of the file"),
        "{refused}"
    );
}
