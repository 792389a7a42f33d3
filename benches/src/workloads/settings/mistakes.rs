//! Mistakes in the programs that keep the settings file, and which of them the compiler finds: a
//! few words of a program are replaced, and it is compiled with the libraries of this test.

use std::process::Command;

use upstate::Registry;
use upstate_compat::Snapshot;
use upstate_compat::lock::Lock;
use upstate_ui_arguments::arguments;

/// The mistakes, as the page calls them.
const MISTAKES: [&str; 6] = [
    "a version without a step to the next one",
    "a step names a member that is not there",
    "two steps from one version",
    "versions in the wrong order",
    "a type changes without a conversion",
    "a variant ends silently",
];

/// The replacements that make one mistake; none where a program cannot have it.
type Edits = &'static [(&'static str, &'static str)];

struct Program {
    name: &'static str,
    source: &'static str,
    mistakes: [Edits; 6],
}

const SEPIA: Edits = &[("ThemeV1::Plain | ThemeV1::Sepia", "ThemeV1::Plain")];
const MISSPELT: Edits = &[(
    "last_opened: prior.last_open,",
    "last_opening: prior.last_open,",
)];
/// Without what makes a number of the text.
const UNCONVERTED: Edits = &[(
    r#"prior
                .retries
                .parse()
                .map_err(|error| format!("retries: {error}"))?,
"#,
    "prior.retries,\n",
)];

static PROGRAMS: [Program; 7] = [
    Program {
        name: "by hand",
        source: include_str!("by_hand.rs"),
        mistakes: [
            &[(
                r"        1 => serde_json::from_str::<SettingsV1>(json)
            .map_err(|error| error.to_string())?
            .try_into(),
",
                "",
            )],
            MISSPELT,
            &[("2 => serde_json", "1 => serde_json")],
            &[],
            UNCONVERTED,
            SEPIA,
        ],
    },
    Program {
        name: "upstate",
        source: include_str!("upstate.rs"),
        mistakes: [
            &[(
                r#"#[upgrade_from(0 => 1, rename(lastOpen => last_opened), drop(legacy: bool, "the old layout is gone"))]
"#,
                "",
            )],
            &[("lastOpen => last_opened", "lastOpen => last_opening")],
            &[("upgrade_from(0 => 1", "upgrade_from(1 => 2")],
            &[("upgrade_from(0 => 1", "upgrade_from(1 => 0")],
            &[("    convert(retries: String, empty = refuse),\n", "")],
            &[(
                r#",
    variants(theme, drop("sepia", "nobody used it", as = "plain"))"#,
                "",
            )],
        ],
    },
    Program {
        name: "obake",
        source: include_str!("obake.rs"),
        mistakes: [
            &[(
                r#"impl From<Settings!["0.0.0"]> for Settings!["1.0.0"] {"#,
                r#"impl Settings!["1.0.0"] {"#,
            )],
            MISSPELT,
            &[(r#"version("1.0.0")"#, r#"version("0.0.0")"#)],
            &[(
                r#"#[obake(version("1.0.0"))]
#[obake(version("2.0.0"))]"#,
                r#"#[obake(version("2.0.0"))]
#[obake(version("1.0.0"))]"#,
            )],
            &[("prior.retries.parse().unwrap_or_default()", "prior.retries")],
            SEPIA,
        ],
    },
    Program {
        name: "magic_migrate",
        source: include_str!("magic_migrate.rs"),
        mistakes: [
            &[(
                "impl From<SettingsV0> for SettingsV1 {",
                "impl SettingsV1 {",
            )],
            MISSPELT,
            &[("from = SettingsV1", "from = SettingsV0")],
            &[],
            UNCONVERTED,
            SEPIA,
        ],
    },
    Program {
        name: "native_model",
        source: include_str!("native_model.rs"),
        mistakes: [
            &[(", from = SettingsV0", "")],
            MISSPELT,
            &[("version = 1,", "version = 0,")],
            &[("version = 1,", "version = 3,")],
            &[(
                r#"prior
                .retries
                .parse()
                .map_err(|error| std::io::Error::other(format!("retries: {error}")))?,
"#,
                "prior.retries,\n",
            )],
            SEPIA,
        ],
    },
    Program {
        name: "revision",
        source: include_str!("revision.rs"),
        mistakes: [
            &[(r#", convert_fn = "parse_retries""#, "")],
            &[("self.retries = text", "self.tries = text")],
            &[(
                "revision = 3, walk",
                "revision(1), revision(1), revision(3), walk",
            )],
            // Its revisions are sorted before they are read, so that no order is wrong.
            &[],
            &[(
                r#"    #[revision(end = 3, convert_fn = "parse_retries")]
    pub retries_text: String,
    #[revision(start = 3)]
"#,
                "",
            )],
            &[
                (
                    r#"    #[revision(end = 2, convert_fn = "drop_sepia")]
    Sepia,
"#,
                    "",
                ),
                (
                    r"    fn drop_sepia(_sepia: ThemeSepiaFields, _revision: u16) -> Result<Self, Error> {
        Ok(Self::Plain)
    }
",
                    "",
                ),
            ],
        ],
    },
    Program {
        name: "version-migrate",
        source: include_str!("version_migrate.rs"),
        mistakes: [
            &[("[SettingsV0, SettingsV1", "[SettingsV1")],
            &[(
                "last_opened: self.last_open,",
                "last_opening: self.last_open,",
            )],
            &[(r#""1.0.0""#, r#""0.0.0""#)],
            &[(r#""1.0.0""#, r#""3.0.0""#)],
            &[("self.retries.parse().unwrap_or_default()", "self.retries")],
            SEPIA,
        ],
    },
];

impl Program {
    /// The cells of its column, with an `upstate.lock` or without.
    fn answers(&self, lock: Option<&str>) -> Vec<&'static str> {
        // Because several programs share what two crates need for JSON, outside of their sources.
        let native = include_str!("../native.rs");
        let right = self
            .source
            .replace(
                "use crate::workloads::magic::{Failed, Json};\n",
                "type Failed = Box<dyn std::error::Error>;\n",
            )
            .replace("= Json::new", "= serde_json::Value::from")
            .replace(
                "use crate::workloads::native::Json;\n",
                &format!("mod native {{\n{native}}}\nuse native::Json;\n"),
            );
        if let Err(errors) = self.compiled("right", &right, lock) {
            panic!("{}: {errors}", self.name);
        }
        let answer = |(nth, edits): (usize, &Edits)| {
            if edits.is_empty() {
                return "cannot be made";
            }
            let mut wrong = right.clone();
            for (from, to) in *edits {
                assert!(wrong.contains(from), "{} has no longer {from}", self.name);
                wrong = wrong.replace(from, to);
            }
            match self.compiled(&format!("wrong_{nth}"), &wrong, lock) {
                Ok(()) => "compiles",
                Err(_) => "found",
            }
        };
        self.mistakes.iter().enumerate().map(answer).collect()
    }

    /// Its source with or without a mistake, compiled in a folder of its own.
    fn compiled(&self, folder: &str, text: &str, lock: Option<&str>) -> Result<(), String> {
        let around = match lock {
            Some(_) => "locked_mistakes",
            None => "mistakes",
        };
        let folder = std::env::current_exe()
            .unwrap()
            .with_file_name(around)
            .join(self.name.replace(' ', "_"))
            .join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        if let Some(lock) = lock {
            std::fs::write(folder.join("upstate.lock"), lock).unwrap();
        }
        let file = folder.join("program.rs");
        std::fs::write(&file, text).unwrap();
        let call = arguments!();
        let mut libraries: Vec<&str> = Vec::new();
        for (at, argument) in call.iter().enumerate() {
            if matches!(*argument, "-L" | "--extern") {
                libraries.extend(call.iter().skip(at).take(2));
            } else if argument.starts_with("--edition") {
                libraries.push(argument);
            }
        }
        let output = Command::new(call[0])
            // The derives look for a lock there, where only that of the test may be.
            .env("CARGO_MANIFEST_DIR", &folder)
            .arg(&file)
            .args(libraries)
            .args(["--crate-type=lib", "--emit=metadata"])
            // A second arm for one version is found, too: the compiler warns.
            .args(["-Awarnings", "-Dunreachable-patterns"])
            .arg("--out-dir")
            .arg(&folder)
            .output()
            .unwrap();
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

#[test]
#[ignore = "it compiles 46 programs, most of them by other crates; `.ci/full` runs it"]
fn the_page_says_which_mistakes_the_compiler_finds() {
    let answers: Vec<Vec<&str>> = std::thread::scope(|scope| {
        let started: Vec<_> = PROGRAMS
            .iter()
            .map(|program| scope.spawn(move || program.answers(None)))
            .collect();
        started
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    let mut rows = vec![format!("| | {} |", names.join(" | "))];
    for (nth, mistake) in MISTAKES.iter().enumerate() {
        let cells: Vec<&str> = answers.iter().map(|answers| answers[nth]).collect();
        rows.push(format!("| {mistake} | {} |", cells.join(" | ")));
    }
    let page = include_str!("../../../../docs/src/comparison.md");
    rows.retain(|row| !page.contains(row));
    assert!(
        rows.is_empty(),
        "docs/src/comparison.md lacks\n{}",
        rows.join("\n")
    );
}

#[test]
fn the_lock_finds_every_mistake() {
    let registry = Registry::new().with::<super::upstate::Settings>();
    let mut lock = Lock::default();
    let release = "1.0.0".parse().unwrap();
    lock.freeze(&Snapshot::of(&registry), release).unwrap();
    let program = PROGRAMS.iter().find(|program| program.name == "upstate");
    let answers = program.unwrap().answers(Some(&lock.to_string()));
    assert_eq!(answers, ["found"; 6]);
}
