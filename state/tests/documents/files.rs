//! Files in every syntax: several programs at once, programs that are killed, files that cannot be
//! read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use upstate::Registry;
use upstate_state::document::Format;

use crate::models::Settings;

const FORMATS: [(&str, Format<'static>); 6] = [
    ("json", Format::new().unversioned(0).pretty()),
    ("jsonc", Format::jsonc().unversioned(0)),
    ("toml", Format::toml().unversioned(0)),
    ("yaml", Format::yaml().unversioned(0)),
    ("msgpack", Format::message_pack().unversioned(0)),
    ("cbor", Format::cbor().unversioned(0)),
];

fn format(path: &Path) -> Format<'static> {
    let extension = path.extension().unwrap().to_str().unwrap();
    FORMATS
        .iter()
        .find(|(name, _)| *name == extension)
        .unwrap()
        .1
}

const SAVES: u8 = 60;
const WRITERS: u8 = 3;

/// Not a test of its own: a program that the tests below start.
#[test]
#[ignore = "run by other tests, in a process of its own"]
fn save_often() {
    let Some(path) = std::env::var_os("UPSTATE_TEST_DOCUMENT").map(PathBuf::from) else {
        return;
    };
    let saves = std::env::var("UPSTATE_TEST_SAVES")
        .unwrap()
        .parse()
        .unwrap();
    for _ in 0..saves {
        loop {
            let mut settings = format(&path)
                .open_or_else(&path, Settings::default)
                .unwrap();
            settings.retries = Some(settings.retries.unwrap_or(0).wrapping_add(1));
            settings.theme = Some("x".repeat(usize::from(settings.retries.unwrap_or(0))));
            match settings.save() {
                Ok(()) => break,
                Err(error) => assert!(error.is_changed_meanwhile(), "{error}"),
            }
        }
    }
}

fn start(path: &Path, saves: u32) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "files::save_often", "--ignored"]);
    command
        .env("UPSTATE_TEST_DOCUMENT", path)
        .env("UPSTATE_TEST_SAVES", saves.to_string());
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn what_several_programs_save_is_all_there() {
    for (name, format) in FORMATS {
        let folder = crate::memory::folder();
        let path = folder.path().join("settings").with_extension(name);
        let writers: Vec<_> = (0..WRITERS)
            .map(|_| start(&path, u32::from(SAVES)))
            .collect();
        for mut writer in writers {
            assert!(writer.wait().unwrap().success(), "{name}");
        }
        assert_eq!(
            format.open::<Settings>(&path).unwrap().retries,
            Some(WRITERS * SAVES),
            "{name}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_killed_program_leaves_a_whole_file() {
    let kills: u64 = std::env::var("UPSTATE_KILLS")
        .ok()
        .and_then(|kills| kills.parse().ok())
        .unwrap_or(6);
    for (name, format) in FORMATS {
        let folder = crate::memory::folder();
        let path = folder.path().join("settings").with_extension(name);
        fs::write(&path, format.to_vec(&Settings::default()).unwrap()).unwrap();
        for kill in 0..kills {
            let mut writer = start(&path, u32::MAX);
            std::thread::sleep(Duration::from_millis(20 + kill * 13 % 50));
            writer.kill().unwrap();
            writer.wait().unwrap();
            let settings = format
                .open::<Settings>(&path)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(
                settings.theme.as_ref().map_or(0, String::len),
                usize::from(settings.retries.unwrap_or(0)),
                "{name}"
            );
        }
        // A file that a killed program had begun is removed by the next.
        assert!(start(&path, 1).wait().unwrap().success());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_never_written() {
    for (name, format) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings").with_extension(name);
        let whole = format
            .to_vec(&Settings {
                theme: Some("dark".to_owned()),
                ..Settings::default()
            })
            .unwrap();
        let newer =
            String::from_utf8_lossy(&whole).replace("schema_version\": 3", "schema_version\": 9");
        let newer = newer
            .replace("schema_version = 3", "schema_version = 9")
            .replace("schema_version: 3", "schema_version: 9")
            .into_bytes();
        // Of a binary document, the version is the byte behind its name.
        let newer = if newer == whole || name == "msgpack" || name == "cbor" {
            let mut newer = whole.clone();
            let at = newer
                .windows(14)
                .position(|name| name == b"schema_version")
                .unwrap()
                + 14;
            newer[at] = 9;
            newer
        } else {
            newer
        };
        for bad in [
            whole[..whole.len() / 2].to_vec(),
            b"\xff\xfe\0".to_vec(),
            newer,
        ] {
            fs::write(&path, &bad).unwrap();
            // Half a document in TOML or YAML is a document, but not one of a known version.
            if let Err(error) = format.open_or_else(&path, Settings::default) {
                assert!(
                    error
                        .to_string()
                        .contains("can't be read; the file is unchanged."),
                    "{name}: {error}"
                );
            } else {
                assert!(
                    bad.len() < whole.len() && matches!(name, "toml" | "yaml"),
                    "{name}: {bad:?}"
                );
            }
            assert_eq!(fs::read(&path).unwrap(), bad, "{name}");
        }
    }
}

#[test]
fn the_line_ends_and_the_indentation_of_json_stay() {
    let format = Format::new().pretty();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    for (end, unit, last) in [
        ("\n", "    ", "\n"),
        ("\r\n", "\t", "\r\n"),
        ("\r\n", "  ", ""),
    ] {
        let stored = format
            .to_string(&Settings {
                theme: Some("a\nb".to_owned()),
                retries: Some(3),
                ..Settings::default()
            })
            .unwrap();
        let stored = stored.replace("\n  ", &format!("\n{unit}"));
        let stored = stored.replace('\n', end) + last;
        fs::write(&path, &stored).unwrap();
        let mut settings = format.open::<Settings>(&path).unwrap();
        settings.retries = Some(4);
        settings.save().unwrap();
        let expected = stored.replace("\"retries\": 3", "\"retries\": 4");
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            expected.trim_end().to_owned() + end
        );
    }
}

#[test]
fn an_indentation_of_many_blanks_does_not_fill_the_lines() {
    let format = Format::new().pretty();
    let settings = Settings::default();
    let new = format.to_string(&settings).unwrap();
    let wide = new.replacen("\n  ", &format!("\n{}", " ".repeat(10_000)), 1);
    let edited = format.edit(wide.as_bytes(), &settings).unwrap();
    assert_eq!(String::from_utf8(edited).unwrap(), new);
}

#[cfg(unix)]
#[test]
fn permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    for (name, format) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings").with_extension(name);
        fs::write(&path, format.to_vec(&Settings::default()).unwrap()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o440)).unwrap();
        let mut settings = format.open::<Settings>(&path).unwrap();
        settings.theme = Some("dark".to_owned());
        settings.save().unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o440,
            "{name}"
        );
    }
}

/// The program that needs the backup may be another user's than the one that made it.
#[cfg(unix)]
#[test]
fn a_backup_has_the_owner_and_the_permissions_of_its_file() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    let registry = Registry::new().with::<Settings>();
    let stored = r#"{"type":"app_settings","schema_version":0,"dark":true}"#;
    for by_upgrade in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, stored).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        // Others than root cannot give files away.
        if fs::metadata(&path).unwrap().uid() == 0 {
            chown(&path, Some(65_534), Some(65_534)).unwrap();
        }
        let owner = fs::metadata(&path).unwrap().uid();
        let backup = if by_upgrade {
            Format::new()
                .upgrade_file(&registry, None, &path)
                .unwrap()
                .unwrap()
                .backup_path()
        } else {
            let mut settings = Format::new().open::<Settings>(&path).unwrap();
            settings.save().unwrap();
            settings.backup_path()
        };
        let kept = fs::metadata(&backup).unwrap();
        assert_eq!(
            (kept.permissions().mode() & 0o777, kept.uid()),
            (0o640, owner),
            "{by_upgrade}"
        );
        assert_eq!(fs::read_to_string(&backup).unwrap(), stored);
    }
}

#[test]
fn what_is_at_the_place_of_a_backup_and_is_none_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let stored = r#"{"type":"app_settings","schema_version":0,"dark":true}"#;
    fs::write(&path, stored).unwrap();
    fs::create_dir(folder.path().join("settings.json.v0.backup")).unwrap();
    let mut settings = Format::new().open::<Settings>(&path).unwrap();
    settings.save().unwrap();
    let backup = settings.backup_path();
    assert_eq!(
        backup.file_name().unwrap().to_str(),
        Some("settings.json.v0.backup.2")
    );
    assert_eq!(fs::read_to_string(backup).unwrap(), stored);
}

#[cfg(unix)]
#[test]
fn a_link_to_the_file_is_no_backup_of_it() {
    let registry = Registry::new().with::<Settings>();
    let stored = r#"{"type":"app_settings","schema_version":0,"dark":true}"#;
    for by_upgrade in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, stored).unwrap();
        let link = folder.path().join("settings.json.v0.backup");
        std::os::unix::fs::symlink("settings.json", link).unwrap();
        if by_upgrade {
            let upgrade = Format::new().upgrade_file(&registry, None, &path);
            assert!(upgrade.unwrap().is_some());
        } else {
            let mut settings = Format::new().open::<Settings>(&path).unwrap();
            settings.save().unwrap();
        }
        assert_ne!(fs::read_to_string(&path).unwrap(), stored);
        let backup = folder.path().join("settings.json.v0.backup.2");
        assert_eq!(fs::read_to_string(backup).unwrap(), stored);
    }
}

#[test]
fn an_earlier_backup_stays() {
    let registry = Registry::new().with::<Settings>();
    let stored =
        |dark: bool| format!(r#"{{"type":"app_settings","schema_version":0,"dark":{dark}}}"#);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    for (dark, by_upgrade, name) in [
        (true, false, "settings.json.v0.backup"),
        (false, true, "settings.json.v0.backup.2"),
        (false, false, "settings.json.v0.backup.2"),
        (true, true, "settings.json.v0.backup"),
    ] {
        fs::write(&path, stored(dark)).unwrap();
        let backup = if by_upgrade {
            let upgrade = Format::new().upgrade_file(&registry, None, &path);
            upgrade.unwrap().unwrap().backup_path()
        } else {
            let mut settings = Format::new().open::<Settings>(&path).unwrap();
            settings.save().unwrap();
            settings.backup_path()
        };
        assert_eq!(backup, folder.path().join(name));
        assert_eq!(fs::read_to_string(&backup).unwrap(), stored(dark));
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

/// Not a test of its own: a program that the test below starts, as a user who may not write the
/// folder.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn save_once() {
    let Some(path) = std::env::var_os("UPSTATE_TEST_DOCUMENT").map(PathBuf::from) else {
        return;
    };
    let mut settings = format(&path).open::<Settings>(&path).unwrap();
    settings.theme = Some("dark".to_owned());
    let refused = settings.save().unwrap_err().to_string();
    println!("refused: {refused}");
    // What was changed is still there, for another try.
    assert_eq!(settings.theme.as_deref(), Some("dark"));
    assert_eq!(settings.save().unwrap_err().to_string(), refused);
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_stays_as_it_is() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;
    for (name, format) in FORMATS {
        let outer = tempfile::tempdir().unwrap();
        let program = outer.path().join("program");
        // By another program, because a process that a test beside this one starts inherits a file
        // that is open for writing, and what is open for writing cannot be run.
        let copied = Command::new("cp")
            .arg(std::env::current_exe().unwrap())
            .arg(&program)
            .status()
            .unwrap();
        assert!(copied.success());
        let folder = outer.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let path = folder.join("settings").with_extension(name);
        let stored = format.to_vec(&Settings::default()).unwrap();
        fs::write(&path, &stored).unwrap();
        fs::set_permissions(outer.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
        let mut command = Command::new(program);
        command
            .args(["--ignored", "--exact", "files::save_once", "--nocapture"])
            .env("UPSTATE_TEST_DOCUMENT", &path);
        // No folder is closed to root, so another user tries.
        if fs::metadata(&folder).unwrap().uid() == 0 {
            command.uid(65_534).gid(65_534);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{name}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let refused = text
            .lines()
            .find_map(|line| line.split_once("refused: "))
            .unwrap()
            .1;
        assert_eq!(
            refused.replace(path.to_str().unwrap(), "…"),
            "…: Permission denied (os error 13)",
            "{name}"
        );
        assert_eq!(fs::read(&path).unwrap(), stored, "{name}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "{name}");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
}
