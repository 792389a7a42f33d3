//! A provider with another one beside it, which serves what has not moved yet: in both protocols,
//! with a provider in Go, and with programs that behave badly.

use std::time::{Duration, Instant};

use serde_json::json;

use super::real::aws;
use super::real::terraform::{V1_6, V1_15};
use super::recorded::api;
use super::workspace::Workspace;

const PROGRAM: &str = env!("CARGO_BIN_EXE_provider_under_test");

const CONFIGURATION: &str = "provider \"jetty\" {\n token = \"t-5520118\"\n color = \"blue\"\n}\n";

const RESOURCES: &str = "resource \"jetty_plank\" \"it\" {\n width = 3\n}\n\
     resource \"jetty_rope\" \"it\" {\n length = 14\n code = \"c-882211\"\n}\n\
     data \"jetty_gossip\" \"it\" {\n about = \"a-771133\"\n}\n\
     output \"color\" {\n value = data.jetty_gossip.it.color\n}\n";

fn jetty() -> Workspace {
    jetty_of(V1_15)
}

fn jetty_of(release: super::real::terraform::Release) -> Workspace {
    let workspace = Workspace::built("example.com/upstate/jetty", PROGRAM, release);
    workspace.beside("old-jetty", PROGRAM);
    workspace.write("provider.tf", CONFIGURATION);
    workspace.write("main.tf", RESOURCES);
    workspace
}

/// What the old provider made is planned, read, changed and destroyed by both.
fn moves(workspace: &mut Workspace) {
    workspace.write("provider.tf", CONFIGURATION);
    workspace.write("main.tf", RESOURCES);
    workspace.set("JETTY_OLD", "1");
    assert_eq!(workspace.apply().changes(), (2, 0, 0));
    assert_eq!(
        workspace.instance("jetty_plank")["attributes"],
        json!({"id": "old plank 3", "width": "3"})
    );
    let rope = workspace.instance("jetty_rope");

    workspace.unset("JETTY_OLD");
    assert_eq!(workspace.plan().changes(), (0, 0, 0));
    let applied = workspace.apply();
    assert_eq!(applied.changes(), (0, 0, 0));
    let warning = applied
        .diagnostics()
        .into_iter()
        .find(|it| it["summary"] == "Gossip")
        .unwrap();
    assert_eq!(warning["range"]["start"]["line"], json!(9), "{warning}");
    let plank = workspace.instance("jetty_plank");
    assert_eq!(plank["schema_version"], json!(1));
    assert_eq!(
        plank["attributes"],
        json!({"id": "old plank 3", "width": 3, "label": null})
    );
    assert_eq!(workspace.instance("jetty_rope"), rope);
    assert_eq!(
        workspace.state()["outputs"]["color"]["value"],
        json!("blue")
    );

    // Each resource by the provider that has it now.
    workspace.write(
        "provider.tf",
        &CONFIGURATION.replace("color", "label = \"new\"\n color"),
    );
    workspace.write(
        "main.tf",
        &RESOURCES.replace("= 3", "= 4").replace("= 14", "= 21"),
    );
    assert_eq!(workspace.apply().changes(), (1, 1, 1));
    assert_eq!(
        workspace.instance("jetty_plank")["attributes"],
        json!({"id": "old plank 3", "width": 4, "label": "new"})
    );
    assert_eq!(
        workspace.instance("jetty_rope")["attributes"]["id"],
        json!("rope 21")
    );
    workspace.write("main.tf", "");
    assert_eq!(workspace.apply().changes(), (0, 0, 2));
}

#[test]
fn a_resource_moves_with_its_state_and_the_rest_stays_where_it_was() {
    moves(&mut jetty());
    moves(&mut jetty_of(V1_6));
}

#[test]
fn the_other_provider_may_speak_protocol_5_alone() {
    let mut workspace = jetty();
    let old = workspace.beside("really-old-jetty", PROGRAM);
    workspace.script(
        "old-jetty",
        &format!("PLUGIN_PROTOCOL_VERSIONS=5 exec {}", old.display()),
    );
    moves(&mut workspace);
}

#[test]
fn terraform_may_speak_protocol_5_to_both() {
    let mut workspace = jetty();
    let new = workspace.beside("new-jetty", PROGRAM);
    workspace.script(
        "terraform-provider-jetty",
        &format!("PLUGIN_PROTOCOL_VERSIONS=5 exec {}", new.display()),
    );
    moves(&mut workspace);
    // One that speaks 6 alone is translated.
    let old = workspace.beside("really-old-jetty", PROGRAM);
    workspace.script(
        "old-jetty",
        &format!("PLUGIN_PROTOCOL_VERSIONS=6 exec {}", old.display()),
    );
    moves(&mut workspace);
}

#[test]
fn a_resource_that_lost_its_identity_is_refused_in_both_protocols() {
    let mut workspace = jetty();
    workspace.set("JETTY_RAFTS", "1");
    let problem = "stores an identity of jetty_raft, and Terraform could not read it with this provider: the resource has none here. Declare \
                   `identity = …` with \"name\" as \"string\" in version 0, and register it `with_identified`.";
    workspace
        .run(&["validate", "-no-color"])
        .fails_with(problem);
    let new = workspace.beside("new-jetty", PROGRAM);
    workspace.script(
        "terraform-provider-jetty",
        &format!("PLUGIN_PROTOCOL_VERSIONS=5 exec {}", new.display()),
    );
    workspace
        .run(&["validate", "-no-color"])
        .fails_with(problem);
}

#[test]
fn functions_imports_and_the_schema_are_those_of_both() {
    let workspace = jetty();
    workspace.write(
        "main.tf",
        "output \"knots\" {\n value = provider::jetty::knots(21)\n}\nimport {\n to = jetty_rope.it\n id = \"rope 7\"\n}\n\
         resource \"jetty_rope\" \"it\" {\n length = 7\n lifecycle {\n ignore_changes = all\n }\n}\n",
    );
    workspace.apply().succeeds();
    assert_eq!(workspace.state()["outputs"]["knots"]["value"], json!(3));
    assert_eq!(
        workspace.instance("jetty_rope")["attributes"]["id"],
        json!("rope 7")
    );
    let schemas = workspace.run(&["providers", "schema", "-json"]).json();
    let schema = &schemas["provider_schemas"]["example.com/upstate/jetty"];
    let names =
        |of: &serde_json::Value| of.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&schema["provider"]["block"]["attributes"]),
        ["color", "label", "token"]
    );
    assert_eq!(
        schema["provider"]["block"]["attributes"]["token"]["sensitive"],
        json!(true)
    );
    assert_eq!(
        names(&schema["resource_schemas"]),
        ["jetty_plank", "jetty_rope"]
    );
    assert_eq!(
        schema["resource_schemas"]["jetty_plank"]["version"],
        json!(1)
    );
    assert_eq!(names(&schema["functions"]), ["knots"]);
}

#[test]
fn it_ends_with_the_provider() {
    let mut workspace = jetty();
    let file = workspace.path("pid");
    workspace.set("JETTY_PID", &file.to_string_lossy());
    assert_eq!(workspace.apply().changes(), (2, 0, 0));
    let pid = std::fs::read_to_string(file).unwrap();
    assert!(
        !std::path::Path::new("/proc").join(&pid).exists(),
        "{pid} still runs"
    );
}

#[cfg(unix)]
#[test]
fn it_ends_when_the_provider_is_killed() {
    use std::fs;
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;

    let workspace = jetty();
    let mut command = workspace.program();
    command
        .args(["compare", "waits.tf.json"])
        .current_dir(workspace.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    // It neither answers nor ends by itself.
    workspace.script(
        "old-jetty",
        "echo $$ >pid.new; mv pid.new pid; exec sleep 600",
    );
    workspace.write(
        "waits.tf.json",
        &json!({"resource": {"jetty_plank": {"it": {"width": 3}}}}).to_string(),
    );
    let mut provider = command.spawn().unwrap();
    let errors = provider.stderr.take().unwrap();
    let wait = |what: &str, done: &dyn Fn() -> bool| {
        let began = Instant::now();
        while !done() {
            assert!(began.elapsed() < Duration::from_secs(60), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let pid = || fs::read_to_string(workspace.path("pid"));
    wait("the program beside does not start", &|| pid().is_ok());
    let pid = pid().unwrap();
    // A process that nobody waits for is a zombie where no process 1 takes it.
    let runs = || {
        fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
            .is_ok_and(|stat| !stat.contains(") Z "))
    };
    assert!(runs(), "{pid}");
    let parent = |pid: &str| {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap();
        stat.rsplit(") ")
            .next()
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .to_owned()
    };
    let is_guard = |pid: &str| {
        fs::read_to_string(format!("/proc/{pid}/cmdline"))
            .unwrap()
            .contains("--beside")
    };
    // `compare` starts the provider as Terraform does, and a guard may be between it and the
    // program.
    let mut host = parent(&pid);
    while is_guard(&host) {
        host = parent(&host);
    }
    assert!(
        std::process::Command::new("kill")
            .args(["-9", &host])
            .status()
            .unwrap()
            .success()
    );
    wait("the program beside still runs", &|| !runs());
    provider.kill().unwrap();
    provider.wait().unwrap();
    // So does the guard, the last to hold the pipe.
    assert!(BufReader::new(errors).lines().all(|line| line.is_ok()));
}

#[test]
fn a_program_that_can_not_be_used_is_named_with_its_problem() {
    let mut workspace = jetty();
    let began = Instant::now();
    let cases = [
        (
            "echo bad flag >&2\nexit 3",
            "It ended (exit status: 3) before it said where it listens. It printed: bad flag",
        ),
        (
            "(sleep 0.3; echo late >&2) >/dev/null &\nexit 3",
            "It printed: late",
        ),
        (
            "sleep 3600",
            "It did not report its address and schema within 2s.",
        ),
        (
            "echo Welcome!",
            "Its first line is \"Welcome!\", and a provider begins with where it listens.",
        ),
        (
            "echo '1|4|tcp|127.0.0.1:1|netrpc'",
            "It speaks plugin protocol 4; this provider speaks 5 and 6.",
        ),
        (
            "echo '1|6|unix|/nowhere|grpc|MII'; sleep 1",
            "It can't be connected to at \"/nowhere\":",
        ),
        (
            "echo '1|6|unix|/nowhere|grpc|'; sleep 1",
            "It has no certificate, so the connection would not be encrypted.",
        ),
    ];
    for (script, problem) in cases {
        workspace.script("old-jetty", script);
        // On a busy machine the others take their time, too.
        workspace.set(
            "JETTY_PATIENCE",
            if script.starts_with("sleep") {
                "2"
            } else {
                "300"
            },
        );
        workspace
            .run(&["validate", "-no-color"])
            .fails_with(problem);
    }
    assert!(
        began.elapsed() < Duration::from_secs(1800),
        "a program that hangs is not waited for"
    );
    workspace.set("JETTY_BESIDE", "nothing");
    workspace
        .validate()
        .fails_with("There is no such file. A release has it in its archive, beside the program of this provider.");
}

#[test]
fn a_program_that_dies_is_named_and_the_state_stays() {
    let workspace = jetty();
    workspace.apply().succeeds();
    let before = workspace.instance("jetty_rope");
    for (behaviour, how) in [
        ("exit", "ended (exit status: 3)"),
        ("abort", "ended (signal: 6 (SIGABRT)"),
    ] {
        workspace.write(
            "main.tf",
            &RESOURCES.replace("code", &format!("behaviour = {behaviour:?}\n code")),
        );
        let ran = workspace.apply();
        ran.fails_with(how);
        ran.fails_with(
            "before it answered ApplyResourceChange. Work that it began may be half done.",
        );
        assert!(
            !ran.out.contains("c-882211") && !ran.err.contains("c-882211"),
            "{}\n{}",
            ran.out,
            ran.err
        );
        assert_eq!(workspace.instance("jetty_rope"), before);
    }
}

#[test]
fn what_it_prints_is_in_the_log_without_secrets() {
    let mut workspace = jetty();
    workspace.set("TF_LOG", "TRACE");
    workspace.write(
        "main.tf",
        &RESOURCES.replace("about", "behaviour = \"tell\"\n about"),
    );
    let log = (0..10)
        .map(|_| workspace.plan().succeeds().err.clone())
        .find(|log| log.contains("a line of"));
    let log = log.unwrap();
    assert!(
        log.contains("they say (sensitive value) about Some(\"(sensitive value)\")"),
        "{log}"
    );
    assert!(
        log.lines()
            .any(|line| line.contains("[WARN]") && line.contains("a line of (sensitive value)")),
        "{log}"
    );
    let printed = log
        .lines()
        .filter(|line| line.contains("terraform-provider-jetty"));
    let leaked: Vec<&str> = printed
        .filter(|line| {
            ["t-5520118", "a-771133", "c-882211"]
                .iter()
                .any(|it| line.contains(it))
        })
        .collect();
    assert_eq!(leaked, [""; 0]);
}

#[test]
fn a_resource_of_the_aws_provider_moves_and_key_pairs_stay_in_go() {
    let mut workspace = Workspace::built(
        "registry.terraform.io/hashicorp/aws",
        env!("CARGO_BIN_EXE_aws_in_rust"),
        V1_15,
    );
    let go = aws::program("3.39.0");
    let api = api::serve();
    workspace.write(
        "provider.tf",
        &format!(
            "provider \"aws\" {{\n region = \"eu-west-1\"\n access_key = \"mock\"\n secret_key = \"mock-882211\"\n max_retries = 1\n\
             skip_credentials_validation = true\n skip_metadata_api_check = true\n skip_region_validation = true\n\
             skip_requesting_account_id = true\n skip_get_ec2_platforms = true\n endpoints {{\n ec2 = {api:?}\n ssm = {api:?}\n }}\n}}\n"
        ),
    );
    workspace.set("AWS_IN_GO", &go.to_string_lossy());
    let group = json!({"baseline_id": "pb-0123456789abcdef0", "id": "web", "patch_group": "web"});
    let pair = json!({"arn": "arn:1", "fingerprint": "f", "id": "k", "key_name": "k", "key_name_prefix": null, "key_pair_id": "key-1",
        "public_key": "ssh-rsa A", "tags": {"a": "b"}, "tags_all": {"a": "b"}});
    workspace.store(&[
        workspace.stored("aws_ssm_patch_group", 0, &group),
        workspace.stored("aws_key_pair", 1, &pair),
    ]);
    workspace.write(
        "main.tf",
        "resource \"aws_ssm_patch_group\" \"it\" {\n baseline_id = \"pb-0123456789abcdef0\"\n patch_group = \"web\"\n}\n\
         resource \"aws_key_pair\" \"it\" {\n key_name = \"k\"\n public_key = \"ssh-rsa A\"\n tags = { a = \"d\" }\n}\n\
         data \"aws_iam_policy_document\" \"it\" {\n statement {\n actions = [\"s3:*\"]\n resources = [\"*\"]\n }\n}\n\
         data \"aws_arn\" \"it\" {\n arn = \"arn:aws:rds:eu-west-1:123456789012:db:mysql-db\"\n}\n\
         output \"policy\" {\n value = jsondecode(data.aws_iam_policy_document.it.json).Statement[0].Action\n}\n\
         output \"service\" {\n value = data.aws_arn.it.service\n}\n",
    );
    workspace.validate().succeeds();
    assert_eq!(workspace.apply().changes(), (0, 1, 0));
    let state = workspace.state();
    assert_eq!(state["outputs"]["policy"]["value"], json!("s3:*"));
    assert_eq!(state["outputs"]["service"]["value"], json!("rds"));
    let moved = workspace.instance("aws_ssm_patch_group");
    assert_eq!(moved["attributes"]["id"], json!("web,pb-0123456789abcdef0"));
    // Key pairs are Go's, so that their conflicts are found there.
    workspace.write(
        "main.tf",
        "resource \"aws_key_pair\" \"it\" {\n key_name = \"k\"\n key_name_prefix = \"p\"\n public_key = \"ssh-rsa A\"\n}\n",
    );
    workspace
        .validate()
        .fails_with("conflicts with key_name_prefix");
}

#[test]
fn what_the_aws_provider_stored_and_plans_is_compared_with_models() {
    let workspace = Workspace::built(
        "registry.terraform.io/hashicorp/aws",
        env!("CARGO_BIN_EXE_aws_in_rust"),
        V1_15,
    );
    let group = json!({"baseline_id": "pb-0123456789abcdef0", "id": "web", "patch_group": "web"});
    let pair = json!({"arn": "arn:1", "fingerprint": "f", "id": "k", "key_name": "k", "key_name_prefix": null, "key_pair_id": "key-1",
        "public_key": "ssh-rsa A", "tags": {"a": "b"}, "tags_all": {"a": "b"}});
    workspace.store(&[
        workspace.stored("aws_ssm_patch_group", 0, &group),
        workspace.stored("aws_key_pair", 1, &pair),
    ]);
    let provider = json!({"aws": {"region": "eu-west-1", "access_key": "mock", "secret_key": "mock-882211", "skip_credentials_validation": true,
        "skip_metadata_api_check": true, "skip_region_validation": true, "skip_requesting_account_id": true, "skip_get_ec2_platforms": true}});
    let groups = json!({"new": {"baseline_id": "pb-0123456789abcdef0", "patch_group": "db"}, "none": {"patch_group": "db"}});
    let cases = json!({"provider": provider, "resource": {"aws_ssm_patch_group": groups}});
    workspace.write("cases/main.tf.json", &cases.to_string());
    let mut program = workspace.program();
    let (status, report) = compare_by(
        program.env("AWS_IN_GO", aws::program("3.39.0")),
        &workspace,
        &["terraform.tfstate", "cases"],
    );
    let expected = [
        "left out: aws_key_pair.it in terraform.tfstate: only one of the two serves it",
        "Compared terraform-provider-aws with terraform-provider-aws_v3.39.0 on 3 resources: no difference.",
    ];
    assert_eq!(
        (status, report),
        (Some(0), expected.map(str::to_owned).to_vec())
    );
}

/// Runs `compare` of the provider's own program on a folder: the exit status, and the lines of the
/// report.
fn compare(workspace: &Workspace, paths: &[&str]) -> (Option<i32>, Vec<String>) {
    compare_by(
        workspace.program().env("JETTY_BUOYS", "1"),
        workspace,
        paths,
    )
}

fn compare_by(
    program: &mut std::process::Command,
    workspace: &Workspace,
    paths: &[&str],
) -> (Option<i32>, Vec<String>) {
    let output = program
        .arg("compare")
        .args(paths)
        .current_dir(workspace.path(""))
        .output()
        .unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    // Between the lines of the report are those of the other program's log.
    (
        output.status.code(),
        report
            .lines()
            .filter(|line| !line.starts_with('{'))
            .map(str::to_owned)
            .collect(),
    )
}

#[test]
fn what_the_old_provider_stored_is_compared_across_schema_versions() {
    let mut workspace = jetty();
    workspace.set("JETTY_OLD", "1");
    assert_eq!(workspace.apply().changes(), (2, 0, 0));
    let before = std::fs::read(workspace.path("terraform.tfstate")).unwrap();
    let (status, report) = compare(&workspace, &["terraform.tfstate"]);
    let expected = [
        "left out: jetty_rope.it in terraform.tfstate: only one of the two serves it",
        "Compared terraform-provider-jetty with old-jetty on 1 resource: no difference.",
    ];
    assert_eq!(
        (status, report.as_slice()),
        (Some(0), expected.map(str::to_owned).as_slice())
    );
    assert_eq!(
        std::fs::read(workspace.path("terraform.tfstate")).unwrap(),
        before
    );

    // A plank whose width has no number is one only for the old provider.
    workspace.write(
        "odd/wide.tf.json",
        &json!({"resource": {"jetty_plank": {"wide": {"width": "very"}}}}).to_string(),
    );
    let (status, report) = compare(&workspace, &["odd"]);
    assert_eq!((status, report.len()), (Some(1), 2), "{report:?}");
    assert!(
        report[0].starts_with(
            "jetty_plank.wide in odd/wide.tf.json: the configuration differs: terraform-provider-jetty does not take it: "
        ),
        "{report:?}"
    );
}

#[test]
fn differences_of_values_plans_and_diagnostics_are_shown_and_secrets_are_not() {
    let workspace = jetty();
    let attributes = json!({"id": "buoy 7", "depth": 7, "code": "s-user-9931"});
    let instance = json!({"schema_version": 0, "attributes": attributes});
    let resource =
        json!({"mode": "managed", "type": "jetty_buoy", "name": "it", "instances": [instance]});
    let state = json!({"version": 4, "resources": [resource]});
    workspace.write("cases/old.tfstate", &state.to_string());
    let buoys =
        json!({"it": {"depth": 9}, "deep": {"depth": 90}, "named": {"depth": "${var.depth}"}});
    let provider = json!({"jetty": {"token": "t-5520118"}});
    workspace.write(
        "cases/main.tf.json",
        &json!({"provider": provider, "resource": {"jetty_buoy": buoys}}).to_string(),
    );

    let (status, report) = compare(&workspace, &["cases"]);
    let (own, old) = ("terraform-provider-jetty", "old-jetty");
    let expected = [
        format!(
            "jetty_buoy.it in cases/old.tfstate: the plan differs: code is another (sensitive value) for {own}, another (sensitive value) for {old}"
        ),
        format!("jetty_buoy.it in cases/old.tfstate: the action differs: {own} updates, {old} replaces"),
        format!("jetty_buoy.deep in cases/main.tf.json: the validation differs: {own} reports nothing, {old} an error at depth"),
        "left out: jetty_buoy.named in cases/main.tf.json: it has expressions, which only Terraform evaluates".to_owned(),
        format!("Compared {own} with {old} on 2 resources: 2 differ."),
    ];
    assert_eq!((status, report), (Some(1), expected.to_vec()));

    // Nothing to compare is not the same as no difference.
    let (status, report) = compare(&workspace, &[]);
    assert!(
        status == Some(2) && report[0].starts_with("nothing to compare is named"),
        "{report:?}"
    );
    let (status, report) = compare(&workspace, &["providers.tf"]);
    assert!(
        status == Some(2) && report[0].contains("is neither a state"),
        "{report:?}"
    );
}
