//! States in files, as releases stored them, and what has to become of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use super::engine::Engine;
use super::json::differences;
use crate::codec::json::{Layout, indented};
use crate::registry::Registry;
use crate::upgrade::resource::CurrentModel;
use crate::upgrade::{ResourceDefinition, UpgradeRequest, UpgradeResponse};

/// The ends of the names of files that say what has to come out.
const UPGRADED: &str = ".upgraded.json";
const DIAGNOSTICS: &str = ".diagnostics.txt";

/// States as releases stored them, in files, and beside each what has to become of it.
///
/// ```text
/// fixtures/example_note/v0/plain.json                   as version 0 stored it
/// fixtures/example_note/v0/plain.upgraded.json          what it has to become
/// fixtures/example_note/v0/empty.json
/// fixtures/example_note/v0/empty.diagnostics.txt        errors, warnings and what is dropped, if there are any
/// ```
///
/// The stored states come from a real release and are never edited. What has to become of them is
/// recorded once, with `UPDATE=1` in the environment, looked at by a person, and committed; from
/// then on any change fails. So does a prior version that is supported and of which no state is
/// there that can be upgraded; of a range of versions that share an upgrader, state of one is
/// enough.
///
/// ```
/// use upstate::{Resource, testing::Fixtures};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 1)]
/// #[upgrade_from(0, model = NoteV0)]
/// struct Note { title: String }
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_note", version = 0)]
/// struct NoteV0 { name: String }
///
/// impl From<NoteV0> for Note {
///     fn from(prior: NoteV0) -> Self {
///         Note { title: prior.name }
///     }
/// }
///
/// # let folder = tempfile::tempdir()?;
/// # std::fs::create_dir_all(folder.path().join("example_note/v0"))?;
/// # std::fs::write(folder.path().join("example_note/v0/plain.json"), r#"{"name":"x"}"#)?;
/// # let recorded = Fixtures::new(folder.path()).update(true).run_model::<Note>();
/// # assert_eq!(recorded.written().len(), 1);
/// # let fixtures = folder.path();
/// // In a test, `fixtures` is "fixtures": relative to the package.
/// Fixtures::new(fixtures).check::<Note>();
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "fixtures are not looked at until they are checked"]
pub struct Fixtures {
    folder: PathBuf,
    update: bool,
    engine: Engine,
}

/// The result of fixtures.
#[derive(Debug, Default)]
pub struct FixtureReport {
    checked: usize,
    written: Vec<PathBuf>,
    problems: Vec<String>,
}

impl FixtureReport {
    /// The number of states that were upgraded or refused.
    pub fn checked(&self) -> usize {
        self.checked
    }

    /// The files that were written or removed.
    pub fn written(&self) -> &[PathBuf] {
        &self.written
    }

    /// The failures, each with the file or folder concerned.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    #[track_caller]
    fn assert(&self) {
        assert!(self.problems.is_empty(), "{self}");
    }
}

impl fmt::Display for FixtureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} fixtures checked, {} files written",
            self.checked,
            self.written.len()
        )?;
        for problem in &self.problems {
            write!(f, "\n\n{problem}")?;
        }
        Ok(())
    }
}

impl Fixtures {
    /// The fixtures in this folder, which has a folder for each type. `cargo test` runs tests in
    /// the folder of their package.
    ///
    /// They are recorded if the environment variable `UPDATE` is `1`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let update = std::env::var_os("UPDATE").as_deref() == Some(OsStr::new("1"));
        Self {
            folder: folder.into(),
            update,
            engine: Engine::default(),
        }
    }

    /// Upgrades each state with this function: for asynchronous upgrades, in your own runtime.
    ///
    /// ```no_run
    /// use upstate::{Registry, testing::Fixtures};
    ///
    /// # fn block_on<T>(future: impl Future<Output = T>) -> T {
    /// #     let mut future = std::pin::pin!(future);
    /// #     let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    /// #     loop {
    /// #         if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut task) {
    /// #             return value;
    /// #         }
    /// #     }
    /// # }
    /// let registry = Registry::new(); // .with::<Thing>()
    /// Fixtures::new("fixtures").upgraded_by(|registry, request| block_on(registry.upgrade_async(request))).check_all(&registry);
    /// ```
    pub fn upgraded_by(
        mut self,
        upgrade: impl Fn(&Registry, &UpgradeRequest<'_>) -> UpgradeResponse + 'static,
    ) -> Self {
        self.engine = Engine::new(upgrade);
        self
    }

    /// Records the results if `update` is true, and compares them otherwise; `UPDATE` in the
    /// environment has no effect then.
    pub fn update(mut self, update: bool) -> Self {
        self.update = update;
        self
    }

    /// Checks the fixtures of one model.
    ///
    /// # Panics
    /// If something is wrong with them; the message says everything that is.
    #[track_caller]
    pub fn check<T: CurrentModel>(&self) {
        self.run_model::<T>().assert();
    }

    /// Checks the fixtures of every type that the registry knows. A folder of a type that it does
    /// not know is wrong too.
    ///
    /// # Panics
    /// If something is wrong with them; the message says everything that is.
    #[track_caller]
    pub fn check_all(&self, registry: &Registry) {
        self.run_all(registry).assert();
    }

    /// Runs the fixtures of one model and reports the failures; [`Fixtures::check`] panics on them.
    #[must_use]
    pub fn run_model<T: CurrentModel>(&self) -> FixtureReport {
        let mut report = FixtureReport::default();
        self.check_type(&Registry::new().with::<T>(), T::DEFINITION, &mut report);
        report
    }

    /// Runs the fixtures of every registered type and reports the failures; [`Fixtures::check_all`]
    /// panics on them.
    #[must_use]
    pub fn run_all(&self, registry: &Registry) -> FixtureReport {
        let mut report = FixtureReport::default();
        for definition in registry.definitions() {
            self.check_type(registry, definition, &mut report);
        }
        for folder in entries(&self.folder)
            .into_iter()
            .flatten()
            .filter(|entry| entry.is_dir())
        {
            if registry.get(&name(&folder)).is_none() {
                report.problems.push(format!(
                    "{}: no type of that name is registered",
                    folder.display()
                ));
            }
        }
        report
    }

    fn check_type(
        &self,
        registry: &Registry,
        definition: &ResourceDefinition,
        report: &mut FixtureReport,
    ) {
        let folder = self.folder.join(definition.type_name());
        let mut upgraded = BTreeSet::new();
        for entry in entries(&folder)
            .into_iter()
            .flatten()
            .filter(|entry| entry.is_dir())
        {
            match name(&entry).strip_prefix('v').and_then(|version| version.parse::<u64>().ok()) {
                Some(version) => {
                    let run = Run { fixtures: self, registry, definition, version };
                    match run.folder(&entry, report) {
                        Ok(true) => drop(upgraded.insert(version)),
                        Ok(false) => {}
                        Err(error) => report.problems.push(format!("{}: {error}", entry.display())),
                    }
                }
                None => report.problems.push(format!(
                    "{}: folders of fixtures are called by the stored schema version, v0, v1 and so on",
                    entry.display()
                )),
            }
        }
        // Versions that share an upgrader share a shape, so state of one of them is enough.
        for range in definition.supported_ranges() {
            if upgraded.range(range.clone()).next().is_none() {
                let (first, last) = (range.start(), range.end());
                let what = if first == last {
                    format!(
                        "no fixture stored at version {first} can be upgraded, but the version is supported"
                    )
                } else {
                    format!(
                        "no fixture stored at one of the versions {first} to {last} can be upgraded, but they are supported"
                    )
                };
                report.problems.push(format!(
                    "{}: {what}\n\
                     help: put one that a release wrote into {}",
                    definition.type_name(),
                    folder
                        .join(format!("v{last}"))
                        .join("<name>.json")
                        .display()
                ));
            }
        }
    }
}

/// The fixtures of one version.
struct Run<'r> {
    fixtures: &'r Fixtures,
    registry: &'r Registry,
    definition: &'r ResourceDefinition,
    version: u64,
}

impl Run<'_> {
    /// Says whether a state was upgraded.
    fn folder(&self, folder: &Path, report: &mut FixtureReport) -> io::Result<bool> {
        let mut upgraded = false;
        for path in entries(folder)?.into_iter().filter(|path| path.is_file()) {
            let name = name(&path);
            if let Some(stem) = name
                .strip_suffix(UPGRADED)
                .or_else(|| name.strip_suffix(DIAGNOSTICS))
            {
                if !folder.join(format!("{stem}.json")).is_file() {
                    report.problems.push(format!(
                        "{}: the state it is about, {stem}.json, is not there",
                        path.display()
                    ));
                }
            } else if let Some(stem) = stem_of_state(&name) {
                upgraded |= self.state(&path, folder, stem, report)?;
            }
        }
        Ok(upgraded)
    }

    fn state(
        &self,
        path: &Path,
        folder: &Path,
        stem: &str,
        report: &mut FixtureReport,
    ) -> io::Result<bool> {
        let stored = fs::read(path)?;
        let request = UpgradeRequest::json(self.definition.type_name(), self.version, &stored);
        let response = self.fixtures.engine.upgrade(self.registry, &request);
        let state = response.state().map(|state| {
            let mut lines = Vec::new();
            indented(
                &String::from_utf8_lossy(state),
                Layout::TERRAFORM,
                &mut lines,
            );
            lines.push(b'\n');
            lines
        });
        let reported = reported(&response);
        let files = [
            (folder.join(format!("{stem}{UPGRADED}")), state.as_deref()),
            (
                folder.join(format!("{stem}{DIAGNOSTICS}")),
                (!reported.is_empty()).then_some(reported.as_bytes()),
            ),
        ];
        report.checked += 1;
        for (file, found) in files {
            let expected = match fs::read(&file) {
                Ok(expected) => Some(expected),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            if agree(expected.as_deref(), found) {
                continue;
            }
            if self.fixtures.update {
                match found {
                    Some(found) => fs::write(&file, found)?,
                    None => fs::remove_file(&file)?,
                }
                report.written.push(file);
            } else {
                report
                    .problems
                    .push(problem(path, &file, expected.as_deref(), found, &response));
            }
        }
        Ok(state.is_some())
    }
}

/// The errors and warnings of an upgrade, and the values that it dropped.
fn reported(response: &UpgradeResponse) -> String {
    let mut text = response.diagnostics().to_string();
    if !text.is_empty() {
        text.push('\n');
    }
    for path in response.undefined() {
        let _ = writeln!(text, "dropped: {path}");
    }
    text
}

fn agree(expected: Option<&[u8]>, found: Option<&[u8]>) -> bool {
    match (expected, found) {
        (Some(expected), Some(found)) => {
            // Tools may have changed the ends of lines and the layout.
            let lines = |text: &[u8]| String::from_utf8_lossy(text).replace("\r\n", "\n");
            differences(expected, found).is_ok_and(|differences| differences.is_empty())
                || lines(expected) == lines(found)
        }
        (None, None) => true,
        _ => false,
    }
}

fn problem(
    path: &Path,
    file: &Path,
    expected: Option<&[u8]>,
    found: Option<&[u8]>,
    response: &UpgradeResponse,
) -> String {
    let (path, file) = (path.display(), name(file));
    match (expected, found) {
        (Some(expected), Some(found)) => {
            let differences = match differences(expected, found) {
                Ok(differences) => differences.join("\n"),
                Err(_) => {
                    format!(
                        "expected: {}\n   found: {}",
                        String::from_utf8_lossy(expected),
                        String::from_utf8_lossy(found)
                    )
                }
            };
            format!(
                "{path}: it is not what {file} says\n{differences}\nhelp: if that is right, record it with UPDATE=1 and commit it"
            )
        }
        (Some(_), None) if response.state().is_none() && file.ends_with(UPGRADED) => {
            format!(
                "{path}: it can no longer be upgraded\n{}",
                response.diagnostics()
            )
        }
        (Some(_), None) => {
            format!(
                "{path}: {file} is there, but the upgrade reports nothing any more\nhelp: remove it, or record with UPDATE=1"
            )
        }
        (None, _) => format!(
            "{path}: {file} with the expected result is missing\n\
             help: record it with UPDATE=1 in the environment, look at it, and commit it"
        ),
    }
}

/// The stored states in the folder of one version, in order.
pub(super) fn stored_states(folder: &Path) -> Vec<PathBuf> {
    entries(folder)
        .into_iter()
        .flatten()
        .filter(|path| path.is_file() && stem_of_state(&name(path)).is_some())
        .collect()
}

/// The name of a stored state without its ending, if it is the name of one.
fn stem_of_state(name: &str) -> Option<&str> {
    name.strip_suffix(".json")
        .filter(|_| !name.ends_with(UPGRADED))
}

/// The paths of the entries of a folder, in order.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
