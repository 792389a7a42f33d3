//! Releases of a small provider.

use std::io::Read;

use upstate::{Object, Resource};

use super::*;
use crate::Provider;

#[derive(Object)]
struct Config {}

#[derive(Resource)]
#[resource(type_name = "acme_boat", version = 0)]
struct Boat {
    name: String,
}

echo! { Boat: (); }

fn at(address: &str) -> Parts {
    Provider::new(address, async |_: Config| Ok(()))
        .with::<Boat>()
        .parts
}

fn provider() -> Parts {
    at("example.com/me/acme")
}

/// Packs into a folder, with arguments of which `{}` is the folder.
fn package(provider: &Parts, folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let folder = folder.display().to_string();
    let arguments: Vec<String> = arguments
        .iter()
        .map(|argument| argument.replace("{}", &folder))
        .collect();
    provider
        .package(&arguments)
        .map(|printed| printed.replace(&folder, "…"))
        .map_err(|problem| problem.replace(&folder, "…"))
}

/// The names of files below a folder, in order.
fn files(folder: &Path) -> Vec<String> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                found.push(
                    path.strip_prefix(root)
                        .unwrap()
                        .display()
                        .to_string()
                        .replace('\\', "/"),
                );
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

/// A program for Linux that is nothing but a header.
fn small(folder: &Path) -> String {
    let path = folder.join("small");
    fs::write(&path, program::tests::elf(2, 62)).unwrap();
    path.display().to_string()
}

#[test]
fn a_release_has_what_a_registry_wants() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--version=1.4.0", "--out", "{}/dist", &small(folder.path())];
    let printed = package(&provider(), folder.path(), &arguments).unwrap();
    assert_eq!(
        printed,
        "linux_amd64: runs on every Linux\nWrote version 1.4.0 of example.com/me/acme into …/dist."
    );
    let zip = "terraform-provider-acme_1.4.0_linux_amd64.zip";
    let manifest = "terraform-provider-acme_1.4.0_manifest.json";
    let sums = "terraform-provider-acme_1.4.0_SHA256SUMS";
    let dist = folder.path().join("dist");
    assert_eq!(files(&dist), [sums, zip, manifest]);

    let read = |name: &str| fs::read(dist.join(name)).unwrap();
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&read(manifest)).unwrap(),
        json!({"version": 1, "metadata": {"protocol_versions": ["6.0"]}})
    );
    let expected = format!(
        "{}  {zip}\n{}  {manifest}\n",
        sha256(&read(zip)),
        sha256(&read(manifest))
    );
    assert_eq!(String::from_utf8(read(sums)).unwrap(), expected);

    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(read(zip))).unwrap();
    assert_eq!(archive.len(), 1);
    let mut inside = archive.by_index(0).unwrap();
    assert_eq!(
        (inside.name().unwrap(), inside.unix_mode()),
        ("terraform-provider-acme_v1.4.0".into(), Some(0o100_755))
    );
    let mut bytes = Vec::new();
    inside.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, program::tests::elf(2, 62));

    // The archive holds no time, so packing again gives the same sums.
    package(&provider(), folder.path(), &arguments).unwrap();
    assert_eq!(String::from_utf8(read(sums)).unwrap(), expected);
}

#[test]
fn a_mirror_keeps_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let program = small(folder.path());
    let pack = |version: &str| {
        let arguments = [
            "--version",
            version,
            "--out",
            "{}/dist",
            "--mirror",
            "{}/mirror",
            &program,
        ];
        package(&provider(), folder.path(), &arguments)
    };
    let printed = pack("1.4.0").unwrap();
    assert!(
        printed.contains("path    = \"…/mirror\"\n    include = [\"example.com/me/*\"]"),
        "{printed}"
    );
    pack("1.5.0-beta1").unwrap();
    let there = files(&folder.path().join("mirror/example.com/me/acme"));
    let zip = |version: &str| format!("terraform-provider-acme_{version}_linux_amd64.zip");
    assert_eq!(
        there,
        [
            "1.4.0.json",
            "1.5.0-beta1.json",
            "index.json",
            &zip("1.4.0"),
            &zip("1.5.0-beta1")
        ]
    );
    let read =
        |name: &str| fs::read(folder.path().join("mirror/example.com/me/acme").join(name)).unwrap();
    let json = |name: &str| serde_json::from_slice::<serde_json::Value>(&read(name)).unwrap();
    assert_eq!(
        json("index.json"),
        json!({"versions": {"1.4.0": {}, "1.5.0-beta1": {}}})
    );
    let archive = &json("1.4.0.json")["archives"]["linux_amd64"];
    assert_eq!(archive["url"], zip("1.4.0"));
    assert_eq!(
        archive["hashes"][1],
        format!("zh:{}", sha256(&read(&zip("1.4.0"))))
    );

    // Packing again changes nothing; another program under the same version is refused, and nothing
    // is written.
    pack("1.4.0").unwrap();
    let path = folder.path().join("mirror/example.com/me/acme/1.4.0.json");
    let other = String::from_utf8(read("1.4.0.json"))
        .unwrap()
        .replace("h1:", "h1:A");
    fs::write(&path, &other).unwrap();
    fs::remove_dir_all(folder.path().join("dist")).unwrap();
    let refused = pack("1.4.0").unwrap_err();
    assert_eq!(
        refused,
        "the mirror has version 1.4.0 for linux_amd64 already, with another program. Terraform refuses this one where the other is in a \
         dependency lock file: give the release another version, or remove linux_amd64 from …/mirror/example.com/me/acme/1.4.0.json."
    );
    assert!(!folder.path().join("dist").exists());
    fs::write(&path, "[]").unwrap();
    assert_eq!(
        pack("1.4.0").unwrap_err(),
        "…/mirror/example.com/me/acme/1.4.0.json is not a file of a mirror: expected a JSON object with an object \"archives\"."
    );
}

#[test]
fn mistakes_are_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("script"), "#!/bin/sh\n").unwrap();
    let small = small(folder.path());
    let usage = "`package --version 1.4.0 [--out FOLDER] [--mirror FOLDER] [PROGRAM]…` packs the programs, or this one if none is named.";
    for (arguments, problem) in [
        (&[][..], format!("`package` needs the version of the release. {usage}")),
        (&["--version"], format!("--version needs a value. {usage}")),
        (&["--version=1.0.0", "--version=1.0.0"], format!("--version is given twice. {usage}")),
        (&["--relaese", "1.0.0"], format!("`package` has no option \"--relaese\". {usage}")),
        (
            &["--version", "v1.4.0"],
            "\"v1.4.0\" is not a version: unexpected character 'v' while parsing major version number. Write three numbers, such as 1.4.0 or \
             1.4.0-beta1, without a \"v\"."
                .to_owned(),
        ),
        (&["--version", "1.4.0+7"], "1.4.0+7 names a build, which registries do not take. Leave out \"+7\".".to_owned()),
        (&["--version", "1.4.0", "{}/none"], "…/none can't be read: No such file or directory (os error 2)".to_owned()),
        (&["--version", "1.4.0", "{}/script"], "…/script is not a program".to_owned()),
        (
            &["--version", "1.4.0", &small, &small],
            "two of the programs are for linux_amd64, the second is …/small. Name one for each system.".to_owned(),
        ),
    ] {
        let out = [&["--out", "{}/dist"][..], arguments].concat();
        assert_eq!(package(&provider(), folder.path(), &out).unwrap_err(), problem);
    }
    let pack = |address: &str| {
        package(
            &at(address),
            folder.path(),
            &["--version", "1.0.0", "--out", "{}/dist", &small],
        )
        .unwrap_err()
    };
    for address in [
        "acme",
        "me/acme",
        "example.com//acme",
        "example.com/../acme",
        "a/b/c/d",
    ] {
        let problem = pack(address);
        assert!(
            problem.starts_with(&format!("{address:?} is not the address of a provider. ")),
            "{problem}"
        );
    }
    assert_eq!(files(folder.path()), ["script", "small"]);
}

#[test]
fn a_provider_that_terraform_refuses_is_not_packed() {
    #[derive(Object)]
    struct Reserved {
        source: Option<String>,
    }
    let provider = Provider::new("example.com/me/acme", async |config: Reserved| {
        Ok(config.source)
    })
    .parts;
    let folder = tempfile::tempdir().unwrap();
    let problem = package(
        &provider,
        folder.path(),
        &[
            "--version",
            "1.0.0",
            "--out",
            "{}/dist",
            &small(folder.path()),
        ],
    )
    .unwrap_err();
    assert!(
        problem.starts_with("Terraform would not use this provider:\n")
            && problem.contains("\"source\""),
        "{problem}"
    );
    assert_eq!(files(folder.path()), ["small"]);
}

#[test]
fn the_program_beside_a_provider_is_packed_with_it_and_has_to_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let small = small(folder.path());
    let packed = |program: &str| {
        let provider = Provider::new("example.com/me/acme", async |_: Config| Ok(()))
            .with::<Boat>()
            .beside(program)
            .parts;
        package(
            &provider,
            folder.path(),
            &["--version", "1.4.0", "--out", "{}/dist", &small],
        )
    };
    assert!(
        packed("acme-go")
            .unwrap_err()
            .starts_with("The program beside …/small: ")
    );
    fs::write(folder.path().join("acme-go"), program::tests::elf(2, 183)).unwrap();
    let other = "…/acme-go is for linux_arm64, and the program that it is to be packed with for linux_amd64.";
    assert_eq!(packed("acme-go").unwrap_err(), other);
    let elsewhere = "old/acme-go is in another folder, and a release has all programs in one. Give `beside` a name without a folder.";
    assert_eq!(packed("old/acme-go").unwrap_err(), elsewhere);
    let taken = "Terraform would start terraform-provider-acme_old in place of this provider. Give it another name, such as \
                 terraform-provider-acme-go.";
    assert_eq!(packed("terraform-provider-acme_old").unwrap_err(), taken);

    fs::write(folder.path().join("acme-go"), program::tests::elf(2, 62)).unwrap();
    packed("acme-go").unwrap();
    let archive = fs::File::open(
        folder
            .path()
            .join("dist/terraform-provider-acme_1.4.0_linux_amd64.zip"),
    )
    .unwrap();
    let mut archive = zip::ZipArchive::new(archive).unwrap();
    let names =
        (0..archive.len()).map(|at| archive.by_index(at).unwrap().name().unwrap().into_owned());
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["acme-go", "terraform-provider-acme_v1.4.0"]
    );
}
