//! `lock --import` of definitions of custom resources, and `check` of the models that take their
//! place: a program of its own, which is this test.

use std::fs;
use std::path::Path;
use std::process::Command;

use upstate::{Document, Registry};
use upstate_kube::{CustomResource, Webhook};

#[derive(Debug, Document)]
#[document(type_name = "ferry.boat", version = 1, rename_all = "camelCase")]
#[upgrade_from(0 => 1, rename(title => name), drop(berth: Option<String>, "nobody used it"))]
#[kube(group = "ferry.example.com", kind = "Boat", status = BoatStatus, version(0 = "v1alpha1"), version(1 = "v1", storage))]
struct Boat {
    name: String,
    #[kube(range = 0..=300)]
    length: Option<u16>,
}

#[derive(Debug, Document)]
struct BoatStatus {
    afloat: bool,
}

/// The arguments of the run, one a line.
const ARGUMENTS: &str = "UPSTATE_TEST_ARGUMENTS";

#[test]
fn the_program() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else {
        return;
    };
    println!("<<");
    let registry = Registry::new().with::<Boat>().with::<BoatStatus>();
    println!(">> {:?}", upstate_cli::run(registry, arguments.split('\n')));
}

/// What the program prints in a folder, with its exit code.
fn run(folder: &Path, arguments: &str) -> String {
    let arguments: Vec<&str> = ["boats"].into_iter().chain(arguments.split(' ')).collect();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "definitions::the_program",
            "--nocapture",
            "--quiet",
        ])
        .current_dir(folder)
        .env(ARGUMENTS, arguments.join("\n"))
        .env("NO_COLOR", "1")
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, text) = text.split_once("<<\n").unwrap_or_else(|| panic!("{text}"));
    let (text, code) = text.split_once(">> ").unwrap();
    let code = match code
        .lines()
        .next()
        .unwrap()
        .replace(|letter: char| !letter.is_ascii_digit(), "")
        .as_str()
    {
        "0" => String::new(),
        code => format!("exit code {code}"),
    };
    format!("{text}{}{code}", String::from_utf8(output.stderr).unwrap())
}

/// A definition as somebody writes it by hand.
const BY_HAND: &str = "\
# Of release 1.2.0.
apiVersion: v1
kind: Service
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boats.ferry.example.com
spec:
  group: ferry.example.com
  names: {kind: Boat, plural: boats}
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [title]
            properties:
              title: {type: string}
              berth: {type: string}
              length: {type: integer, format: int32, minimum: 0, maximum: 300}
          status:
            type: object
            required: [afloat]
            properties:
              afloat: {type: boolean}
    subresources:
      status: {}
";

#[test]
fn a_release_that_was_written_by_hand_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("crd.yaml"), BY_HAND).unwrap();
    assert_eq!(
        run(folder, "lock --import crd.yaml --release 1.2.0"),
        "new       ferry.boat version 0\nnew       boat_status version 0\nwrote upstate.lock\n"
    );
    // The upgrader accounts for all of it; the storage version is new, which is all that is wrong.
    assert_eq!(
        findings(&run(folder, "check --release 1.3.0")),
        [
            "error[api-storage-moved-early]: ferry.boat: objects are stored in a version that the last release did not serve"
        ]
    );
    let again = BY_HAND.replace(
        "berth: {type: string}",
        "berth: {type: integer}\n              crew: {type: string}",
    );
    fs::write(folder.join("again.yaml"), again).unwrap();
    let before = fs::read_to_string(folder.join("upstate.lock")).unwrap();
    assert_eq!(
        run(folder, "lock --import again.yaml --release 1.2.0"),
        "error: again.yaml: release 1.2.0 is in the lock with another shape of ferry.boat version 0: `berth` is \"number\" null now, and was \
         \"string\" null; `crew` is new; put the lock back to import the release again\nexit code 3"
    );
    assert_eq!(
        fs::read_to_string(folder.join("upstate.lock")).unwrap(),
        before
    );
    // A release that stored what the model does not read.
    fs::remove_file(folder.join("upstate.lock")).unwrap();
    run(folder, "lock --import again.yaml --release 1.2.0");
    let checked = run(folder, "check --release 1.3.0 --verbose");
    assert_eq!(
        findings(&checked),
        [
            "error[api-storage-moved-early]: ferry.boat: objects are stored in a version that the last release did not serve",
            "error[prior-schema-edited]: ferry.boat: the shape of a released version was edited",
            "note[attribute-removed]: ferry.boat.berth is gone",
            "note[attribute-removed]: ferry.boat.crew is gone",
            "note[attribute-renamed]: ferry.boat.title has another name",
        ]
    );
    let note = "   = note:   in version 0, `berth` is \"string\" null now, and was \"number\" null; `crew` is gone, which was \"string\" null; if";
    assert!(checked.contains(note), "{checked}");
}

/// The first line of each finding.
fn findings(checked: &str) -> Vec<&str> {
    checked
        .lines()
        .filter(|line| line.starts_with("error[") || line.starts_with("note["))
        .collect()
}

#[test]
fn what_the_program_prints_itself_is_what_it_stores() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let own = Boat::crd_with(&Webhook::url("https://localhost/")).unwrap();
    let other = own
        .value()
        .to_string()
        .replace("Boat", "Ship")
        .replace("boats", "ships");
    for (name, text) in [
        ("own.yaml", own.to_yaml()),
        ("own.json", own.to_json()),
        // As `crd --format json` writes them, one after the other.
        ("two.json", own.to_json() + &other),
        (
            "list.json",
            format!(
                "{{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [{}]}}",
                own.value()
            ),
        ),
    ] {
        fs::write(folder.join(name), text).unwrap();
        assert_eq!(
            run(
                folder,
                &format!("lock --import {name} --type Boat --release 1.2.0")
            ),
            "new       ferry.boat version 0\nnew       ferry.boat version 1\nnew       boat_status version 0\nwrote upstate.lock\n"
        );
        let checked = run(folder, "check --release 1.2.1 --verbose");
        assert!(
            checked.contains("0 breaking, 0 potential, 0 safe · state: ok · policy: ok"),
            "{checked}"
        );
        assert_eq!(
            run(folder, "lock --release 1.2.1").lines().last(),
            Some("wrote upstate.lock")
        );
        fs::remove_file(folder.join("upstate.lock")).unwrap();
    }
    assert_eq!(
        run(folder, "lock --import two.json --release 1.2.0"),
        "new       ferry.boat version 0\nnew       ferry.boat version 1\nnew       boat_status version 0\nnew       ferry.ship version 0\n\
         new       ferry.ship version 1\nwrote upstate.lock\n",
        "a kind without a model has the names and numbers that `import` gives"
    );
}

#[test]
fn files_that_are_no_release_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let refused = |arguments: &str| {
        let printed = run(
            folder,
            &format!("lock --import {arguments} --release 1.2.0"),
        );
        assert!(!folder.join("upstate.lock").exists(), "{printed}");
        printed
    };
    let own = Boat::crd_with(&Webhook::url("https://localhost/"))
        .unwrap()
        .to_json();
    let file = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        refused(name)
    };
    let boats = "boats.ferry.example.com";
    let unreadable = "exit code 3";
    for (text, why) in [
        ("apiVersion: v1\nkind: Service\n".to_owned(), " has no CustomResourceDefinition".to_owned()),
        (
            format!("{BY_HAND}---\n{}", BY_HAND.split_once("---\n").unwrap().1),
            format!(": {boats} is there twice: a release has one definition of a kind"),
        ),
        (
            BY_HAND.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
            format!(
                ": {boats}: it is a definition of `apiextensions.k8s.io/v1beta1`; `kubectl get crd NAME -o yaml` prints it as \
                 `apiextensions.k8s.io/v1`"
            ),
        ),
        (BY_HAND.replace("{type: boolean}", "{}"), format!(": {boats}: v1alpha1.status.afloat: its schema has no type")),
        (
            BY_HAND.replace("    storage: true\n", ""),
            format!(": {boats}: v1alpha1 does not say if it is `storage`: is the file complete?"),
        ),
        (
            BY_HAND.replace("v1alpha1", "v1beta1"),
            format!(
                ": {boats}: the model of ferry.boat has no version v1beta1: declare it, `version(… = \"v1beta1\")`, with its upgrader; or \
                 remove it from the file if no object is stored in it any more"
            ),
        ),
        (
            "provider: acme\n".to_owned(),
            ": not the output of `terraform providers schema -json`: it is not JSON: expected value at line 1 column 1"
                .to_owned(),
        ),
    ] {
        assert_eq!(file("a.yaml", &text), format!("error: a.yaml{why}\n{unreadable}"));
    }
    let torn = file("torn.yaml", BY_HAND.split_once("boolean").unwrap().0);
    assert!(
        torn.starts_with(
            "error: torn.yaml is neither JSON nor YAML: error: line 32 column 23: unclosed bracket"
        ),
        "{torn}"
    );
    let cut = file("cut.json", &own[..own.len() / 2]);
    assert!(
        cut.starts_with("error: cut.json is not JSON: EOF while parsing"),
        "{cut}"
    );
    fs::write(folder.join("own.json"), own).unwrap();
    let usage = "exit code 2";
    assert_eq!(
        refused("own.json --type Ship"),
        format!("error: own.json has no kind named \"Ship\"\n{usage}")
    );
    assert_eq!(
        refused("own.json --provider acme"),
        format!("error: --provider is for the schemas of a provider\n{usage}")
    );
    fs::write(folder.join("schemas.json"), "{\"provider_schemas\": {}}").unwrap();
    assert_eq!(
        refused("schemas.json --type Boat"),
        format!("error: --type is for definitions of custom resources\n{usage}")
    );
    let missing = refused("missing.yaml");
    assert!(
        missing.starts_with("error: cannot read missing.yaml: "),
        "{missing}"
    );
}
