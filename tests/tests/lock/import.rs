//! Models made from the schemas of a real provider written in Go, two releases of it: they compile,
//! and are what the schemas say.
//!
//! `UPSTATE_IMPORT=all` compiles every resource of the provider in place of some; `.ci/full` does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::real::aws;
use crate::real::packages::{cache, run};
use crate::real::terraform::{V1_15, folders};
use crate::target::Target;
use upstate_compat::import::{ReleasedSchemas, SourceFile, models};

const RELEASES: [&str; 2] = ["2.70.0", "3.39.0"];

/// Those with higher versions, the widest, and what has every kind of nested block and set of
/// objects.
const SOME: [&str; 30] = [
    "aws_acm_certificate",
    "aws_acmpca_certificate_authority",
    "aws_appmesh_virtual_node",
    "aws_autoscaling_group",
    "aws_cloudfront_distribution",
    "aws_cloudwatch_event_target",
    "aws_cloudwatch_metric_alarm",
    "aws_db_instance",
    "aws_default_route_table",
    "aws_default_security_group",
    "aws_dynamodb_table",
    "aws_ecs_task_definition",
    "aws_eks_cluster",
    "aws_elastic_beanstalk_environment",
    "aws_elasticache_replication_group",
    "aws_iam_role",
    "aws_imagebuilder_image",
    "aws_instance",
    "aws_key_pair",
    "aws_kinesis_firehose_delivery_stream",
    "aws_lambda_function",
    "aws_launch_template",
    "aws_network_acl",
    "aws_route53_record",
    "aws_s3_bucket",
    "aws_security_group",
    "aws_security_group_rule",
    "aws_ssm_patch_group",
    "aws_subnet",
    "aws_vpc",
];

/// What `terraform providers schema -json` prints for a release of the provider.
fn schemas(release: &str) -> PathBuf {
    let place = cache("aws").join(format!("{release}.json"));
    if place.exists() {
        return place;
    }
    let packages = aws::packages(&format!(
        ", or put the output of `terraform providers schema -json` at {}",
        place.display()
    ));
    let scratch = tempfile::tempdir_in(cache("aws")).unwrap();
    let root = scratch.path();
    folders(root);
    let mirror = root.join("mirror/registry.terraform.io/hashicorp/aws");
    fs::create_dir_all(&mirror).unwrap();
    let package = format!("terraform-provider-aws_{release}_linux_amd64.zip");
    fs::copy(packages.join(&package), mirror.join(&package)).unwrap();
    let configuration = format!(
        "provider_installation {{\n  filesystem_mirror {{\n    path = {:?}\n  }}\n}}\n",
        root.join("mirror")
    );
    fs::write(root.join("cli.tfrc"), configuration).unwrap();
    let required = format!(
        "terraform {{\n  required_providers {{\n    aws = {{\n      source  = \"hashicorp/aws\"\n      version = \"{release}\"\n    }}\n  }}\n}}\n"
    );
    fs::write(root.join("work/main.tf"), required).unwrap();
    run(V1_15.command(root).arg("init")).unwrap();
    let printed = V1_15
        .command(root)
        .args(["providers", "schema", "-json"])
        .output()
        .unwrap();
    let json = root.join("schemas.json");
    fs::write(&json, printed.stdout).unwrap();
    // What is there is whole.
    fs::rename(&json, &place).unwrap();
    place
}

fn released(release: &str) -> ReleasedSchemas {
    let json = fs::read(schemas(release)).unwrap();
    ReleasedSchemas::parse(release.parse().unwrap(), &json, Some("aws")).unwrap()
}

#[test]
fn models_of_a_real_provider_compile() {
    let all = std::env::var("UPSTATE_IMPORT").is_ok_and(|which| which == "all");
    let imported = models(&RELEASES.map(released), |type_name| {
        all || SOME.contains(&type_name)
    });
    assert_eq!(imported.left_out, []);
    let files = imported.files;
    assert_eq!(files.len(), if all { 712 } else { SOME.len() + 1 });
    let text = |name: &str| &files.iter().find(|file| file.name == name).unwrap().text;
    // Version 1 added an attribute and two blocks.
    let target = text("aws_cloudwatch_event_target.rs");
    assert!(
        target.contains("since(\"2.70.0\" => 0, \"3.39.0\" => 1)"),
        "{target}"
    );
    assert!(
        target.contains("#[upgrade_from(0 => 1,\n    set(event_bus_name = null),\n    set(dead_letter_config = []),"),
        "{target}"
    );
    // Both releases stored version 2, and no document says what was before.
    assert!(text("aws_route53_record.rs").contains("version = 2, oldest = 2)"));
    compiles(&files);
}

/// Checks files as the module `models` of a package of their own, and that its registry can be
/// made.
fn compiles(files: &[SourceFile]) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path().join("src/models");
    fs::create_dir_all(&sources).unwrap();
    for file in files {
        fs::write(sources.join(&file.name), &file.text).unwrap();
    }
    let library =
        "mod models;\n\npub fn registry() -> upstate::Registry {\n    models::registry()\n}\n";
    fs::write(folder.path().join("src/lib.rs"), library).unwrap();
    let upstate = workspace.join("upstate");
    let manifest = format!(
        "[package]\nname = \"imported\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nupstate = {{ path = {upstate:?} }}\n\n[workspace]\n"
    );
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::copy(
        workspace.join("Cargo.lock"),
        folder.path().join("Cargo.lock"),
    )
    .unwrap();
    let target = Target::new();
    let mut check = Command::new(env!("CARGO"));
    let output = target
        .set(check.args(["check", "--quiet"]).current_dir(folder.path()))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
            .chars()
            .take(4_000)
            .collect::<String>()
    );
}

/// What changed between two releases, made up: each construct once.
#[test]
fn differences_between_releases_are_proposed() {
    let schema = |version: u64, attributes: &str, blocks: &str| {
        format!(
            r#"{{"provider_schemas": {{"example.com/test/acme": {{"resource_schemas": {{"acme_server": {{"version": {version}, "block": {{
            "attributes": {{"id": {{"type": "string", "computed": true}}, {attributes}}}, "block_types": {{{blocks}}}}}}}}}}}}}}}"#
        )
    };
    let before = schema(
        0,
        r#""cidr": {"type": "string", "optional": true}, "port": {"type": "string", "required": true}, "legacy": {"type": ["set", "string"], "optional": true, "sensitive": true}"#,
        r#""rule": {"nesting_mode": "list", "block": {"attributes": {"from": {"type": "number", "optional": true}}}}"#,
    );
    let now = schema(
        1,
        r#""cidr_block": {"type": "string", "optional": true}, "port": {"type": "number", "required": true}, "zone": {"type": "string", "optional": true}"#,
        r#""rule": {"nesting_mode": "list", "block": {"attributes": {"from": {"type": "number", "optional": true}, "self": {"type": "bool", "optional": true}}}}"#,
    );
    let parse = |release: &str, json: &str| {
        ReleasedSchemas::parse(release.parse().unwrap(), json.as_bytes(), None).unwrap()
    };
    let files = models(&[parse("2.0.0", &now), parse("1.0.0", &before)], |_| true).files;
    let head: Vec<&str> = files[0]
        .text
        .lines()
        .skip_while(|line| !line.starts_with("#[upgrade_from"))
        .take(8)
        .collect();
    assert_eq!(
        head,
        [
            "#[upgrade_from(0 => 1,",
            "    rename(cidr => cidr_block), // check",
            "    set(zone = null),",
            "    drop(#[attribute(sensitive, set)] legacy: Option<Vec<String>>, \"release 2.0.0 no longer has it\"),",
            "    convert(port: String, empty = refuse),",
            "    set(rule.self_ = null),",
            ")]",
            "pub struct Server {",
        ]
    );
    compiles(&files);
}

#[test]
fn a_document_that_cannot_be_read_says_why() {
    let two = r#"{"provider_schemas": {"example.com/a/acme": {}, "example.com/b/acme": {}}}"#;
    for (json, asked, why) in [
        (
            "",
            None,
            "not the output of `terraform providers schema -json`: it is empty",
        ),
        (
            "{\"provider_schemas\":\n {\"example",
            None,
            "not the output of `terraform providers schema -json`: it ends at line 2, column 10, in the middle: is the file complete?",
        ),
        (
            "[]",
            None,
            "not the output of `terraform providers schema -json`: it is not a JSON object",
        ),
        (
            "null",
            None,
            "not the output of `terraform providers schema -json`: it is not a JSON object",
        ),
        (
            r#"{"provider_schemas": []}"#,
            None,
            "not the output of `terraform providers schema -json`: its `provider_schemas` is not an object",
        ),
        // What Terraform prints where the configuration requires no provider.
        (
            r#"{"format_version":"1.0"}"#,
            None,
            "it has no provider: run `terraform providers schema -json` in a folder whose configuration requires the provider, after `terraform init`",
        ),
        (
            r#"{"format_version":"2.0","provider_schemas":{}}"#,
            None,
            "its format is \"2.0\", which this release of upstate cannot read: it reads 1.0",
        ),
        (
            two,
            None,
            "it has several providers; say which one with `--provider`: example.com/a/acme, example.com/b/acme",
        ),
        (
            two,
            Some("acme"),
            "it has several providers; say which one with `--provider`: example.com/a/acme, example.com/b/acme",
        ),
        (
            two,
            Some("bees"),
            "it has no provider \"bees\", only example.com/a/acme, example.com/b/acme",
        ),
    ] {
        let read = ReleasedSchemas::parse("1.0.0".parse().unwrap(), json.as_bytes(), asked);
        assert_eq!(read.err().as_deref(), Some(why), "{json}");
    }
    assert!(
        ReleasedSchemas::parse(
            "1.0.0".parse().unwrap(),
            two.as_bytes(),
            Some("example.com/b/acme")
        )
        .is_ok()
    );
}

/// Later releases of Terraform may have more modes of nesting.
#[test]
fn a_schema_that_cannot_be_read_leaves_out_its_type_alone() {
    let document = |mode: &str| {
        format!(
            r#"{{"provider_schemas": {{"example.com/test/acme": {{"resource_schemas": {{"acme_disk": {{"version": 0, "block": {{
            "block_types": {{"part": {{"nesting_mode": "{mode}", "block": {{}}}}}}}}}}, "acme_server": {{"version": 0, "block": {{}}}}}}}}}}}}"#
        )
    };
    let parse = |release: &str, mode| {
        ReleasedSchemas::parse(release.parse().unwrap(), document(mode).as_bytes(), None).unwrap()
    };
    // Without the first release, the history would be another.
    for releases in [["tree", "list"], ["list", "tree"]] {
        let [first, second] = releases;
        let imported = models(&[parse("1.0.0", first), parse("2.0.0", second)], |_| true);
        let [(type_name, why)] = &imported.left_out[..] else {
            panic!("{:?}", imported.left_out)
        };
        assert_eq!(type_name, "acme_disk");
        let release = if first == "tree" { "1.0.0" } else { "2.0.0" };
        assert!(
            why.starts_with(&format!(
                "its schema in release {release}: unknown variant `tree`"
            )),
            "{why}"
        );
        assert_eq!(imported.files[0].name, "acme_server.rs");
    }
    let mut lock = upstate_compat::lock::Lock::default();
    let refused = lock
        .import(document("tree").as_bytes(), None, "1.0.0".parse().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("acme_disk: unknown variant `tree`"),
        "{refused}"
    );
    assert_eq!(lock, upstate_compat::lock::Lock::default());
}

/// One type in several releases, each a version and its attributes.
fn history(releases: &[(&str, u64, &str)]) -> upstate_compat::import::Imported {
    let parse = |(release, version, attributes): &(&str, u64, &str)| {
        let json = format!(
            r#"{{"provider_schemas": {{"example.com/test/acme": {{"resource_schemas": {{"acme_server": {{"version": {version}, "block": {{
            "attributes": {{{attributes}}}}}}}}}}}}}}}"#
        );
        ReleasedSchemas::parse(release.parse().unwrap(), json.as_bytes(), None).unwrap()
    };
    models(&releases.iter().map(parse).collect::<Vec<_>>(), |_| true)
}

#[test]
fn versions_that_no_document_can_upgrade_are_refused_and_say_what_is_missing() {
    let imported = history(&[
        ("1.0.0", 0, r#""a": {"type": "string", "optional": true}"#),
        (
            "2.0.0",
            1,
            r#""a": {"type": "string", "optional": true}, "b": {"type": "bool", "optional": true}"#,
        ),
        (
            "3.0.0",
            4,
            r#""a": {"type": "string", "required": true}, "b": {"type": ["list", "bool"], "optional": true}"#,
        ),
        (
            "4.0.0",
            5,
            r#""a": {"type": "string", "required": true}, "c": {"type": "number", "required": true}"#,
        ),
        (
            "5.0.0",
            6,
            r#""a": {"type": "string", "required": true}, "c": {"type": "number", "required": true}, "d": {"type": "bool", "optional": true}"#,
        ),
    ]);
    let text = &imported.files[0].text;
    let head: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("#[resource"))
        .collect();
    let end = head
        .iter()
        .position(|line| line.starts_with("pub struct"))
        .unwrap();
    assert_eq!(
        head[..end],
        [
            r#"#[resource(type_name = "acme_server", version = 6, since("1.0.0" => 0, "2.0.0" => 1, "3.0.0" => 4, "4.0.0" => 5, "5.0.0" => 6))]"#,
            "#[upgrade_from(5 => 6,",
            "    set(d = null),",
            ")]",
            "// No schema has the values that this upgrade needs; complete it, and remove `unsupported`:",
            "//   `c` is new and required: `set(c = …)` gives its initial value",
            "// #[upgrade_from(4 => 5,",
            r#"//     drop(b: Option<Vec<bool>>, "release 4.0.0 no longer has it"),"#,
            "// )]",
            r#"#[upgrade_from(4, unsupported = "version 4 lacks values that release 4.0.0 needs")]"#,
            r#"#[upgrade_from(2..=3, unsupported = "no schema document says what this version stored")]"#,
            "// No schema has the values that this upgrade needs; complete it, and remove `unsupported`:",
            "//   `a` is required now: `default(a = …)` says what null was",
            "//   `b` has another type now: `convert(b: …, with = path)` calls a function for it",
            "// #[upgrade_from(1 => 4, carry)]",
            r#"#[upgrade_from(1, unsupported = "version 1 lacks values that release 3.0.0 needs")]"#,
            "// #[upgrade_from(0 => 1,",
            "//     set(b = null),",
            "// )]",
            r#"#[upgrade_from(0, unsupported = "version 0 lacks values that release 3.0.0 needs")]"#,
        ]
    );
    compiles(&imported.files);
}

#[test]
fn what_no_model_can_describe_is_left_out_by_name() {
    for (attributes, why) in [
        (
            r#""diskSize": {"type": "number", "optional": true}"#,
            "`diskSize` is not a name that a model can have",
        ),
        (
            r#""count": {"type": "number", "optional": true}"#,
            "`count` is reserved by Terraform",
        ),
        (
            r#""none": {"type": ["tuple", []], "optional": true}"#,
            "a tuple of 0 elements, and a model has tuples of one to six",
        ),
        (
            r#""many": {"type": ["tuple", ["bool", "bool", "bool", "bool", "bool", "bool", "bool"]], "optional": true}"#,
            "a tuple of 7 elements, and a model has tuples of one to six (at `many`)",
        ),
        (
            r#""_": {"type": "bool", "optional": true}"#,
            "`_` is not a name that a model can have",
        ),
        (
            r#""any": {"type": ["set", "dynamic"], "optional": true}"#,
            "a set holds values of any type",
        ),
    ] {
        let imported = history(&[("1.0.0", 0, attributes)]);
        let [(type_name, said)] = &imported.left_out[..] else {
            panic!("{attributes}: {:?}", imported.left_out)
        };
        assert!(type_name == "acme_server" && said.contains(why), "{said}");
        assert_eq!(imported.files.len(), 1, "the registry alone");
    }
    // Where it is, if it is not at the root.
    let inner = r#""a": {"type": ["list", ["object", {"b": ["object", {"c-d": "string"}]}]], "optional": true}"#;
    let left_out = history(&[("1.0.0", 0, inner)]).left_out;
    assert!(
        left_out[0].1.starts_with("`c-d` is not a name") && left_out[0].1.ends_with("(at `a.b`)"),
        "{left_out:?}"
    );
    // What no comment can have, names of Rust, and an empty type.
    let odd = r#""self": {"type": "bool", "optional": true, "description": "one\rtwo\u202e\n\nthree"}, "String": {"type": "bool"}"#;
    assert_eq!(history(&[("1.0.0", 0, odd)]).left_out.len(), 1);
    let odd = odd.replace(r#", "String": {"type": "bool"}"#, "");
    for attributes in [odd.as_str(), ""] {
        let imported = history(&[("1.0.0", 0, attributes)]);
        compiles(&imported.files);
    }
}

#[test]
fn a_value_that_may_have_another_name_now_is_not_dropped_without_a_word() {
    let imported = history(&[
        (
            "1.0.0",
            0,
            r#""zone": {"type": "string", "optional": true}, "size": {"type": "bool", "optional": true}"#,
        ),
        (
            "2.0.0",
            1,
            r#""location": {"type": "string", "optional": true}, "a": {"type": "string", "optional": true}"#,
        ),
    ]);
    let text = &imported.files[0].text;
    let zone = r#"drop(zone: Option<String>, "release 2.0.0 no longer has it"), // check: was it renamed? `a`, `location`"#;
    assert!(text.contains(zone), "{text}");
    assert!(
        text.contains("drop(size: Option<bool>, \"release 2.0.0 no longer has it\"),\n"),
        "{text}"
    );
    compiles(&imported.files);
}

#[test]
fn a_version_that_went_down_is_noted() {
    let imported = history(&[("1.0.0", 1, ""), ("2.0.0", 0, "")]);
    let note = "// Release 1.0.0 stored version 1, which is later than 0: this model refuses that state.\n#[resource(";
    assert!(
        imported.files[0].text.contains(note),
        "{}",
        imported.files[0].text
    );
}

/// Types without a provider's name that are keywords, crates and names of the standard library.
#[test]
fn types_that_are_called_like_something_of_rust_compile() {
    let names = [
        "core", "crate", "lib", "main", "mod", "option", "self", "self_", "std", "super", "type",
        "upstate", "vec",
    ];
    let attributes = r#"{"m": {"type": ["map", "string"], "optional": true}, "d": {"type": "dynamic", "optional": true},
        "n": {"type": "number", "required": true}, "o": {"type": ["object", {"l": ["list", "string"]}], "optional": true}}"#;
    let types: Vec<String> = names
        .iter()
        .map(|name| {
            format!(r#""{name}": {{"version": 0, "block": {{"attributes": {attributes}}}}}"#)
        })
        .collect();
    let json = format!(
        r#"{{"provider_schemas": {{"acme": {{"resource_schemas": {{{}}}}}}}}}"#,
        types.join(", ")
    );
    let imported = models(
        &[ReleasedSchemas::parse("1.0.0".parse().unwrap(), json.as_bytes(), None).unwrap()],
        |_| true,
    );
    assert_eq!(imported.left_out, []);
    let files: std::collections::BTreeSet<&str> = imported
        .files
        .iter()
        .map(|file| file.name.as_str())
        .collect();
    assert_eq!(files.len(), names.len() + 1, "{files:?}");
    compiles(&imported.files);
}

#[test]
fn a_set_that_became_a_list_is_carried() {
    let imported = history(&[
        (
            "1.0.0",
            0,
            r#""a": {"type": ["set", "string"], "optional": true}, "b": {"type": ["set", "number"], "required": true}"#,
        ),
        (
            "2.0.0",
            1,
            r#""a": {"type": ["list", "string"], "optional": true}, "b": {"type": ["list", "number"], "required": true}"#,
        ),
    ]);
    let text = &imported.files[0].text;
    assert!(
        text.contains("carry(#[attribute(set)] a: Option<Vec<String>>),"),
        "{text}"
    );
    assert!(
        text.contains("carry(#[attribute(set)] b: Vec<upstate::Number>),"),
        "{text}"
    );
    compiles(&imported.files);
}
