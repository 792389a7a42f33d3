//! The acceptance tests that the provider crate offers to authors, used for the example provider,
//! and themselves.

use std::path::Path;

use serde_json::{Value, json};
use upstate_provider::testing::{
    Acceptance, Comparison, Config, Known, PlannedAction, Step, Terraform,
};

use super::real::terraform::{V1_6, V1_10, V1_15};

/// A test of the example provider that keeps everything below a folder.
fn test() -> Acceptance {
    let terraform =
        Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    Acceptance::of(&terraform, harbor::provider).always()
}

fn file(root: &Path, arguments: &str) -> String {
    format!(
        "provider \"harbor\" {{\n  root = {root:?}\n}}\n\nresource \"harbor_file\" \"it\" {{\n  {arguments}\n}}\n\n\
         output \"size\" {{\n  value = harbor_file.it.size\n}}\n"
    )
}

const IT: &str = "harbor_file.it";

#[test]
fn a_file_lives() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_owned();
    let written = root.join("a.txt");
    test()
        .step(Step::refused(
            file(&root, "path = \"../a.txt\"\n  content = \"one\""),
            "does not stay below the provider's root",
        ))
        .step(
            Step::apply(file(&root, "path = \"a.txt\"\n  content = \"one\""))
                .plans(IT, PlannedAction::Create)
                .has(IT, "size", 3)
                .has(IT, "permissions", "0644")
                .has_some(IT, "sha256")
                .outputs("size", 3)
                .holds(move |_| {
                    if written.exists() {
                        Ok(())
                    } else {
                        Err("there is no file".to_owned())
                    }
                }),
        )
        .step(Step::import(IT, "a.txt"))
        .step(
            Step::apply(file(&root, "path = \"a.txt\"\n  content = \"more\""))
                .plans(IT, PlannedAction::Update)
                .outputs("size", 4),
        )
        .step(
            Step::apply(file(&root, "path = \"b.txt\"\n  content = \"more\""))
                .plans(IT, PlannedAction::Replace),
        )
        .step(Step::destroy().lacks(IT))
        .run();
    assert!(!folder.path().join("b.txt").exists());
}

#[test]
fn a_state_of_an_earlier_release_plans_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one").unwrap();
    let attributes = json!({"id": "f", "filename": "a.txt", "content": "one", "mode": 644});
    let state = json!({"version": 4, "terraform_version": "1.5.0", "serial": 7, "lineage": "8a1f", "outputs": {}, "check_results": null,
        "resources": [{"mode": "managed", "type": "harbor_file", "name": "it",
            "provider": "provider[\"example.com/upstate/harbor\"]", "instances": [{"schema_version": 0, "attributes": attributes}]}]});
    test()
        .from_state(state.to_string())
        .step(
            Step::apply(file(
                folder.path(),
                "path = \"a.txt\"\n  content = \"one\"\n  permissions = \"0644\"",
            ))
            .with(harbor::provider)
            .plans(IT, PlannedAction::Nothing)
            .has(IT, "id", "a.txt"),
        )
        .run();
}

#[test]
fn what_does_not_hold_fails_the_test_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let apply = |arguments: &str| Step::apply(file(folder.path(), arguments));
    let good = "path = \"a.txt\"\n  content = \"one\"";
    let failure = |steps: Vec<Step>| {
        let told = steps
            .into_iter()
            .fold(test(), Acceptance::step)
            .try_run()
            .unwrap_err()
            .to_string();
        assert!(!folder.path().join("a.txt").exists(), "{told}");
        told
    };
    let told = failure(vec![apply(good).has(IT, "size", 4)]);
    assert_eq!(told, "step 1: harbor_file.it: size: expected 4, found 3");
    let told = failure(vec![
        apply(good),
        apply(good).plans(IT, PlannedAction::Update),
    ]);
    assert_eq!(
        told,
        "step 2: the plan of harbor_file.it is no-op, expected Update"
    );
    let told = failure(vec![apply(good), apply(good).changes_remain()]);
    assert_eq!(
        told,
        "step 2: a plan right after the apply is empty, and `changes_remain()` says that it is not"
    );
    let told = failure(vec![Step::refused(
        file(folder.path(), good),
        "Invalid Path",
    )]);
    assert!(
        told.starts_with("step 1: terraform plan -no-color -input=false succeeded, expected an error with \"Invalid Path\":"),
        "{told}"
    );
    let told = failure(vec![apply("path = \"..\"\n  content = \"one\"")]);
    assert!(
        told.starts_with("step 1: terraform plan") && told.contains("Invalid Path"),
        "{told}"
    );
    // A secret cannot be read back: the content that an import finds is not the one of the state.
    let secret = apply("path = \"a.txt\"\n  secret = \"sesame\"\n  secret_version = 1");
    let import = || Step::import(IT, "a.txt");
    let told = failure(vec![secret, import()]);
    assert!(
        told.starts_with("step 2: harbor_file.it is imported with other values than it had: content, secret_version."),
        "{told}"
    );
    assert!(!told.contains("sesame"), "{told}");
    let secret = apply("path = \"a.txt\"\n  secret = \"sesame\"\n  secret_version = 1");
    [secret, import().ignoring(["content", "secret_version"])]
        .into_iter()
        .fold(test(), Acceptance::step)
        .run();
}

#[test]
fn a_terraform_that_is_not_there_is_named() {
    let told = Acceptance::of(&Terraform::program("/nowhere/terraform"), harbor::provider)
        .always()
        .step(Step::destroy())
        .try_run();
    let told = told.unwrap_err().to_string();
    assert!(
        told.starts_with("step 1: /nowhere/terraform could not be run: "),
        "{told}"
    );
    assert!(
        told.ends_with("Install Terraform, or say where it is in TF_ACC_TERRAFORM_PATH"),
        "{told}"
    );
}

#[test]
fn checks_see_the_whole_state() {
    let folder = tempfile::tempdir().unwrap();
    let resources = |state: &Value| {
        state["values"]["root_module"]["resources"]
            .as_array()
            .map_or(0, Vec::len)
    };
    let apply = Step::apply(file(folder.path(), "path = \"a.txt\"\n  content = \"one\""));
    test()
        .step(apply.holds(move |state| {
            if resources(state) == 1 {
                Ok(())
            } else {
                Err("not one".to_owned())
            }
        }))
        .run();
}

#[test]
fn plans_and_states_are_checked_as_the_test_says() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_owned();
    let apply = |arguments: &str| Step::apply(file(&root, arguments));
    let (ids, digests) = (Comparison::same(), Comparison::different());
    test()
        .step(
            apply("path = \"a.txt\"\n  content = \"one\"")
                .plans_value(IT, "size", 3)
                .plans_value(IT, "sha256", Known::matching("^[0-9a-f]{64}$"))
                .plans_unknown(IT, "id")
                .plans_output("size", 3)
                .plans_sensitive(IT, "secret")
                .hides(IT, "secret")
                .has(IT, "secret", Known::null())
                .has(IT, "permissions", Known::matching("^0[0-7]{3}$"))
                .compares(IT, "id", &ids)
                .compares(IT, "sha256", &digests),
        )
        .step(
            apply("path = \"a.txt\"\n  content = \"more\"")
                .plans_value(IT, "id", "a.txt")
                .compares(IT, "id", &ids)
                .compares(IT, "sha256", &digests),
        )
        .step(apply("path = \"a.txt\"\n  content = \"more\"").plans_nothing())
        .run();
}

#[test]
fn steps_do_what_those_of_go_do() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_owned();
    let good = file(&root, "path = \"a.txt\"\n  content = var.content");
    let good = format!("variable \"content\" {{\n  type = string\n}}\n{good}");
    let written = root.join("a.txt");
    let (change, gone) = (written.clone(), written.clone());
    test()
        .needs("1.12.0")
        .step(Step::apply(&*good).variable("content", "one").has(IT, "size", 3))
        .step(Step::plan_only(&*good))
        .step(Step::plan_only(&*good).variable("content", "more").changes_remain().plans(IT, PlannedAction::Update))
        .step(Step::apply(&*good).variable("content", "one").plans_nothing())
        // Somebody changes the file behind Terraform's back.
        .step(
            Step::refresh()
                .before(move || std::fs::write(&change, "other").map_err(|error| error.to_string()))
                .changes_remain()
                .has(IT, "size", 5),
        )
        .step(Step::apply(&*good).plans(IT, PlannedAction::Update))
        .step(Step::import_found(IT, |state| {
            let id = state["values"]["root_module"]["resources"][0]["values"]["id"].as_str();
            id.map(str::to_owned).ok_or_else(|| "there is no id".to_owned())
        }))
        .step(Step::import_block(IT, "a.txt").plans(IT, PlannedAction::Nothing))
        .step(Step::import_identity(IT, json!({"path": "a.txt"})))
        .step(Step::refused_matching(file(&root, "path = \"../a\"\n  content = \"x\""), "(?i)invalid path"))
        .step(Step::failing(
            format!("{good}resource \"harbor_file\" \"other\" {{\n  path = \"a.txt\"\n  content = \"x\"\n}}\n"),
            "There is a file \"a.txt\" already",
        ))
        .step(Step::apply(&*good).plans_nothing())
        .destroyed(move |before| {
            assert_eq!(before["values"]["root_module"]["resources"][0]["address"], IT);
            if gone.exists() { Err("the file is still there".to_owned()) } else { Ok(()) }
        })
        .run();
    assert!(!written.exists());
}

#[test]
fn what_a_plan_or_a_destruction_is_not_fails_the_test() {
    let folder = tempfile::tempdir().unwrap();
    let good = || Step::apply(file(folder.path(), "path = \"a.txt\"\n  content = \"one\""));
    let failure = |steps: Vec<Step>| {
        steps
            .into_iter()
            .fold(test(), Acceptance::step)
            .try_run()
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        failure(vec![good().plans_value(IT, "size", 4)]),
        "step 1: the plan of harbor_file.it: size: expected 4, found 3"
    );
    assert_eq!(
        failure(vec![good().plans_value(IT, "id", "a.txt")]),
        "step 1: the plan of harbor_file.it: id is known only after the apply, expected \"a.txt\""
    );
    assert_eq!(
        failure(vec![good().plans_unknown(IT, "size")]),
        "step 1: the plan of harbor_file.it: size is known, expected that it is known only after the apply"
    );
    assert_eq!(
        failure(vec![good().plans_sensitive(IT, "size")]),
        "step 1: the plan of harbor_file.it: size is not sensitive"
    );
    assert_eq!(
        failure(vec![good().plans_output("size", 4)]),
        "step 1: the plan of output size: expected 4, found 3"
    );
    assert_eq!(
        failure(vec![good().plans_unknown_output("size")]),
        "step 1: the plan of output size is known, expected that it is known only after the apply"
    );
    assert_eq!(
        failure(vec![good().identifies(IT, json!({"path": "b.txt"}))]),
        "step 1: the identity of harbor_file.it: expected {\"path\":\"b.txt\"}, found {\"path\":\"a.txt\"}"
    );
    assert_eq!(
        failure(vec![good().plans_nothing()]),
        "step 1: the plan changes harbor_file.it, output size, expected nothing"
    );
    let sizes = Comparison::different();
    assert_eq!(
        failure(vec![
            good().compares(IT, "size", &sizes),
            good().compares(IT, "size", &sizes)
        ]),
        "step 2: harbor_file.it: size: it has the value that it had before"
    );
    assert_eq!(
        failure(vec![
            good(),
            Step::plan_only(file(
                folder.path(),
                "path = \"a.txt\"\n  content = \"more\""
            ))
        ]),
        "step 2: the plan is not empty: it changes harbor_file.it, output size. If that is meant, say `changes_remain()`"
    );
    let failed = test()
        .step(good())
        .destroyed(|_| Err("it is still there".to_owned()))
        .try_run()
        .unwrap_err()
        .to_string();
    assert_eq!(failed, "at the end: it is still there");
    assert_eq!(
        failure(vec![good().before(|| Err("nobody is there".to_owned()))]),
        "step 1: nobody is there"
    );
    // Nothing is done with an older Terraform.
    test().needs("99.0.0").step(good().plans_nothing()).run();
}

#[test]
fn a_test_runs_with_several_terraforms_and_looks_into_outputs() {
    for release in [V1_6, V1_10, V1_15] {
        let folder = tempfile::tempdir().unwrap();
        let terraform =
            Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(release.library());
        let all = "output \"all\" {\n  value = [{ id = harbor_file.it.id, size = harbor_file.it.size }]\n}\n";
        let config = file(folder.path(), "path = \"a.txt\"\n  content = \"one\"") + all;
        let test = || Acceptance::of(&terraform, harbor::provider).always();
        let step = || {
            Step::apply(&config)
                .plans_unknown_output("all.0.id")
                .plans_output("all.0.size", 3)
        };
        test()
            .step(
                step()
                    .outputs("all.0.size", 3)
                    .outputs("all", Known::holding(json!([{"size": 3}]))),
            )
            .run();
        // An identity is in states of 1.12 and later.
        test()
            .needs(">=1.12")
            .step(step().identifies(IT, Known::with(json!({"path": "a.txt"}))))
            .run();
        test().needs("<1.6").step(Step::apply("not one")).run();
    }
}

#[test]
fn a_configuration_may_be_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (config, root) = (folder.path().join("config"), folder.path().join("root"));
    std::fs::create_dir_all(config.join("inner")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(config.join(name), text).unwrap();
    write(
        "main.tf",
        &format!(
            "provider \"harbor\" {{\n  root = {root:?}\n}}\n\nmodule \"inner\" {{\n  source = \"./inner\"\n  text = var.text\n}}\n"
        ),
    );
    write("variables.tf", "variable \"text\" {\n  type = string\n}\n");
    write("texts.auto.tfvars", "text = \"one\"\n");
    write("terraform.tfstate", "not one");
    write(
        "versions.tf",
        "terraform {\n  required_providers {\n    harbor = { source = \"example.com/upstate/harbor\" }\n  }\n}\n",
    );
    let inner = "terraform {\n  required_providers {\n    harbor = { source = \"example.com/upstate/harbor\" }\n  }\n}\n\nvariable \"text\" {}\n\n\
                 resource \"harbor_file\" \"it\" {\n  path = \"a.txt\"\n  content = var.text\n}\n";
    write("inner/main.tf", inner);
    let it = "module.inner.harbor_file.it";
    test()
        .step(Step::apply(Config::folder(&config)).has(it, "content", "one"))
        .step(Step::import(it, "a.txt"))
        .step(
            Step::plan_only(file(&root, "path = \"b.txt\"\n  content = \"x\""))
                .changes_remain()
                .plans(IT, PlannedAction::Create),
        )
        // The former configuration counts, because one that was only planned does not stay.
        .step(Step::refresh())
        .step(Step::apply(file(&root, "path = \"b.txt\"\n  content = \"x\"")).lacks(it))
        .run();
    let failed = |folder: &Path| {
        test()
            .step(Step::apply(Config::folder(folder)))
            .try_run()
            .unwrap_err()
            .to_string()
    };
    assert!(
        failed(&config.join("none")).contains("config/none: "),
        "{}",
        failed(&config.join("none"))
    );
    let empty = tempfile::tempdir().unwrap();
    assert!(failed(empty.path()).ends_with("there is no file in it"));
}

/// A folder with a program of the example provider.
fn program() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(
        env!("CARGO_BIN_EXE_provider_under_test"),
        folder.path().join("terraform-provider-harbor"),
    )
    .unwrap();
    folder
}

#[test]
fn a_program_serves_beside_the_provider_or_before_it() {
    let (programs, folder) = (program(), tempfile::tempdir().unwrap());
    let pet = "resource \"random_pet\" \"it\" {\n  prefix = harbor_file.it.content\n}\n";
    let config = file(folder.path(), "path = \"a.txt\"\n  content = \"rex\"") + pet;
    let terraform =
        Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    Acceptance::of(&terraform, random::provider)
        .always()
        .external("example.com/upstate/harbor", programs.path())
        .step(
            Step::apply(&config)
                .has("random_pet.it", "id", Known::matching("^rex-"))
                .has(IT, "size", 3),
        )
        .run();
    let config = file(folder.path(), "path = \"a.txt\"\n  content = \"rex\"");
    // A release that is not in this process makes the file, and the provider of the test finds
    // nothing to change.
    test()
        .external("example.com/upstate/harbor", programs.path())
        .step(Step::apply(&*config).released())
        .step(Step::plan_only(&*config))
        .run();
    let none = test()
        .external("example.com/upstate/harbor", "/nowhere")
        .step(Step::apply(config))
        .try_run()
        .unwrap_err();
    assert!(none.to_string().starts_with("/nowhere: "), "{none}");
}

#[test]
fn an_ephemeral_value_is_seen_through_the_provider_echo() {
    let terraform =
        Terraform::program(env!("CARGO_BIN_EXE_terraform_client")).argument(V1_15.library());
    let config = "ephemeral \"random_password\" \"it\" {\n  length = 20\n  special = false\n}\n\n\
         provider \"echo\" {\n  data = ephemeral.random_password.it\n}\n\nresource \"echo\" \"it\" {}\n";
    let step = || Step::apply(config).has("echo.it", "data.length", 20);
    let echoing = || {
        Acceptance::of(&terraform, random::provider)
            .always()
            .echoing()
    };
    let kept = Comparison::same();
    echoing()
        .step(
            step()
                .plans_unknown("echo.it", "data")
                .has(
                    "echo.it",
                    "data.result",
                    Known::matching("^[0-9A-Za-z]{20}$"),
                )
                .has("echo.it", "data.special", false)
                .compares("echo.it", "data.result", &kept),
        )
        // It keeps the first, although another is drawn each time.
        .step(
            step()
                .plans_nothing()
                .compares("echo.it", "data.result", &kept),
        )
        .step(step().tainted("echo.it").compares(
            "echo.it",
            "data.result",
            &Comparison::different(),
        ))
        .run();
    let failed = echoing()
        .step(step().has("echo.it", "data.length", 21))
        .try_run()
        .unwrap_err()
        .to_string();
    assert_eq!(
        failed,
        "step 1: echo.it: data.length: expected 21, found 20"
    );
}

#[test]
fn what_is_tainted_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let config = file(folder.path(), "path = \"a.txt\"\n  content = \"one\"");
    test()
        .step(Step::apply(&config))
        .step(Step::apply(&config).plans_nothing())
        .step(
            Step::apply(&config)
                .tainted(IT)
                .plans(IT, PlannedAction::Replace),
        )
        .run();
    let failed = test()
        .step(Step::apply(&config).tainted(IT))
        .try_run()
        .unwrap_err()
        .to_string();
    assert!(
        failed.starts_with("step 1: terraform taint harbor_file.it failed:"),
        "{failed}"
    );
}

#[test]
fn an_import_may_stay_in_the_state() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one").unwrap();
    let config = file(folder.path(), "path = \"a.txt\"\n  content = \"one\"");
    let import = |config: &str| Step::import_kept(config, IT, "a.txt");
    test()
        .step(import(&config).has(IT, "size", 3))
        .step(Step::apply(&config).plans_nothing().outputs("size", 3))
        .step(import(&config).has(IT, "content", "one"))
        .step(Step::plan_only(&config))
        .destroyed(|before| {
            assert_eq!(
                before["values"]["root_module"]["resources"][0]["address"],
                IT
            );
            Ok(())
        })
        .run();
    assert!(!folder.path().join("a.txt").exists());
    std::fs::write(folder.path().join("a.txt"), "one").unwrap();
    let other = config.replace("\"one\"", "\"two\"");
    let failed = test()
        .step(import(&other))
        .try_run()
        .unwrap_err()
        .to_string();
    assert!(
        failed.starts_with(
            "step 1: a plan right after the import is not empty: it changes harbor_file.it"
        ),
        "{failed}"
    );
}

#[test]
fn a_query_finds_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("b.txt", "two"), ("c.md", "three")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let config = file(folder.path(), "path = \"a.txt\"\n  content = \"one\"");
    let lists = "list \"harbor_file\" \"all\" {\n  provider = harbor\n}\n\n\
         list \"harbor_file\" \"texts\" {\n  provider = harbor\n  include_resource = true\n  config {\n    suffix = \".txt\"\n  }\n}\n";
    let (all, texts) = ("list.harbor_file.all", "list.harbor_file.texts");
    let query = || Step::query(lists);
    test()
        .step(Step::apply(&config))
        .step(
            query()
                .lists(all, 3)
                .lists(texts, 2)
                .finds(
                    all,
                    Known::with(json!({"display_name": "c.md", "identity": {"path": "c.md"}})),
                )
                .finds(
                    texts,
                    Known::with(json!({"resource_object": {"content": "two"}})),
                )
                .has(IT, "size", 3),
        )
        .step(Step::plan_only(&config))
        .run();
    let failure = |step: Step| {
        test()
            .step(Step::apply(&config))
            .step(step)
            .try_run()
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        failure(query().lists(all, 2)),
        format!("step 2: {all} finds 3, expected 2: a.txt, b.txt, c.md")
    );
    assert_eq!(
        failure(query().lists("list.harbor_file.no", 1)),
        "step 2: list.harbor_file.no finds 0, expected 1: nothing"
    );
    assert_eq!(
        failure(query().finds(texts, Known::with(json!({"display_name": "c.md"})))),
        format!(
            "step 2: {texts} finds a.txt, b.txt, expected an object with {{\"display_name\":\"c.md\"}}"
        )
    );
    assert_eq!(
        failure(Step::plan_only(&config).lists(all, 3)),
        "step 2: `lists` and `finds` look at what a `Step::query` finds, and this step is another"
    );
    let failed = failure(Step::query("list \"harbor_file\" \"it\" {}\n"));
    assert!(
        failed.starts_with("step 2: terraform query -json failed:"),
        "{failed}"
    );
}

#[test]
fn warnings_of_plans_and_refreshes_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let directory = |permissions: &str| {
        format!(
            "provider \"harbor\" {{\n  root = {root:?}\n}}\n\nresource \"harbor_directory\" \"it\" {{\n  path = \"a\"\n  permissions = \"{permissions}\"\n}}\n"
        )
    };
    test()
        .step(
            Step::apply(directory("0777"))
                .warns("Open Directory")
                .warns("Everybody on this machine"),
        )
        .step(Step::apply(directory("0755")).plans("harbor_directory.it", PlannedAction::Update))
        .run();
    let failed = test()
        .step(Step::apply(directory("0755")).warns("Open Directory"))
        .try_run()
        .unwrap_err()
        .to_string();
    let expected = "step 1: terraform plan -no-color -input=false -out=plan.bin did not warn with \"Open Directory\":";
    assert!(failed.starts_with(expected), "{failed}");
    // An error with these words does not count, because nothing warns.
    let config = file(root, "path = \"../a.txt\"\n  content = \"one\"");
    let failed = test()
        .step(Step::refused(config, "Invalid Path").warns("Invalid Path"))
        .try_run()
        .unwrap_err()
        .to_string();
    assert!(
        failed.contains("did not warn with \"Invalid Path\""),
        "{failed}"
    );
}

#[test]
#[ignore = "run by the test of the gate, in a process of its own"]
fn behind_the_gate() {
    // There is no such program, so that the test fails if it runs.
    Acceptance::of(&Terraform::program("/nowhere/terraform"), harbor::provider)
        .step(Step::destroy())
        .run();
}

#[test]
fn a_test_runs_only_where_the_environment_lets_it() {
    let run = |gate: Option<&str>| {
        let mut tests = std::process::Command::new(std::env::current_exe().unwrap());
        tests
            .args([
                "acceptance::behind_the_gate",
                "--exact",
                "--ignored",
                "--nocapture",
            ])
            .env_remove("TF_ACC");
        let ran = tests
            .envs(gate.map(|gate| ("TF_ACC", gate)))
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (ran.status.success(), text(&ran.stdout) + &text(&ran.stderr))
    };
    for gate in [None, Some("")] {
        let (passed, printed) = run(gate);
        let skipped =
            "skipped: the acceptance test of example.com/upstate/harbor runs with TF_ACC=1";
        assert!(
            passed && printed.contains("1 passed") && printed.contains(skipped),
            "{printed}"
        );
    }
    let (passed, printed) = run(Some("1"));
    assert!(
        !passed && printed.contains("/nowhere/terraform could not be run"),
        "{printed}"
    );
}

#[test]
fn reports_of_actions_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let signal = "action \"harbor_signal\" \"it\" {\n  config {\n    path = \"log\"\n    message = \"${harbor_file.it.size} bytes\"\n  }\n}\n";
    let triggers = "content = \"one\"\n  lifecycle {\n    action_trigger {\n      events = [after_create]\n      actions = [action.harbor_signal.it]\n    }\n  }";
    let config = file(folder.path(), &format!("path = \"a.txt\"\n  {triggers}")) + signal;
    let it = "action.harbor_signal.it";
    test()
        .step(
            Step::apply(&config)
                .warns("First Signal")
                .reports(it, ["1 signals"])
                .report_count(it, 1),
        )
        .step(Step::apply(&config).report_count(it, 0))
        .destroyed(|_| Ok(()))
        .run();
    assert_eq!(
        std::fs::read_to_string(folder.path().join("log")).unwrap(),
        "3 bytes\n"
    );
    let failure = |step: Step| test().step(step).try_run().unwrap_err().to_string();
    let failed = failure(Step::apply(&config).reports(it, ["3 signals"]));
    assert_eq!(
        failed,
        "step 1: action.harbor_signal.it reports 2 signals so far, expected \"3 signals\""
    );
    let failed = failure(Step::apply(&config).report_count("action.harbor_signal.us", 1));
    assert_eq!(
        failed,
        "step 1: action.harbor_signal.us reports 0 times, expected 1: nothing"
    );
    let failed = failure(Step::plan_only(&config).report_count(it, 1));
    assert_eq!(
        failed,
        "step 1: `reports` and `report_count` look at what a `Step::apply` invokes, and this step is another"
    );
}
