//! The lock, the settings beside it, and what to compare with.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use upstate::Registry;
use upstate::compat::{GuideNote, Options, Release, Report, Snapshot, compare};
use upstate::lock::{FILE_NAME, Lock};

use super::{Failure, Place, fixtures};

/// The name of the settings' file.
const SETTINGS: &str = "upstate.toml";

/// What `upstate.toml` says.
#[derive(Debug, Default)]
pub(super) struct Settings {
    options: Options,
    /// Where recorded states are, as `<type>/<version>.json`.
    fixtures: Option<PathBuf>,
    /// Where the notes of the upgrade guide are, as `<major>.toml`.
    guide: Option<PathBuf>,
}

/// Where everything is.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) lock: PathBuf,
    pub(super) settings: PathBuf,
}

impl Files {
    pub(super) fn of(place: &Place) -> Self {
        let lock = place.lock.clone().unwrap_or_else(|| {
            let here = PathBuf::from(FILE_NAME);
            let package = std::env::var_os("CARGO_MANIFEST_DIR").map(|folder| PathBuf::from(folder).join(FILE_NAME));
            if here.exists() { here } else { package.unwrap_or(here) }
        });
        let settings = lock.with_file_name(SETTINGS);
        Self { lock, settings }
    }

    /// The lock; nothing if there is none yet.
    pub(super) fn read_lock(&self) -> Result<Option<(String, Lock)>, Failure> {
        let shown = self.lock.display();
        match std::fs::read_to_string(&self.lock) {
            Ok(text) => {
                let lock = Lock::parse(&text).map_err(|error| Failure::unreadable(format!("{shown}: {error}")))?;
                Ok(Some((text, lock)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::unreadable(format!("cannot read {shown}: {error}"))),
        }
    }

    pub(super) fn read_settings(&self) -> Result<Settings, Failure> {
        let text = match std::fs::read_to_string(&self.settings) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Settings::default()),
            Err(error) => return Err(Failure::usage(format!("cannot read {}: {error}", self.settings.display()))),
        };
        parse_settings(&text).map_err(|error| Failure::usage(format!("{}: {error}", self.settings.display())))
    }
}

/// Settings and options share a file, so that each has to leave the other's names alone.
fn parse_settings(text: &str) -> Result<Settings, String> {
    let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let mut path = |name: &str| match table.remove(name) {
        None => Ok(None),
        Some(toml::Value::String(path)) => Ok(Some(PathBuf::from(path))),
        Some(_) => Err(format!("`{name}` is a path")),
    };
    let (fixtures, guide) = (path("fixtures")?, path("guide")?);
    let options: Options = table.try_into().map_err(|error: toml::de::Error| error.to_string())?;
    match options.unknown_rules().as_slice() {
        [] => Ok(Settings { options, fixtures, guide }),
        unknown => Err(format!("there is no rule {}; `rules` lists them", unknown.join(", "))),
    }
}

/// The release that is being made, if it is known.
pub(super) fn release(place: &Place) -> Result<Option<Release>, Failure> {
    let given = place.release.clone().or_else(|| std::env::var("CARGO_PKG_VERSION").ok());
    given.map(|release| release.parse().map_err(|error| Failure::usage(format!("{error}")))).transpose()
}

/// Everything that a comparison needs and says.
pub(super) struct Compared {
    pub(super) files: Files,
    /// The lock's text, to find lines in.
    pub(super) text: String,
    pub(super) options: Options,
    pub(super) notes: Vec<GuideNote>,
    pub(super) report: Report,
    pub(super) fixtures_failed: bool,
}

/// Compares what `registry` serves with the lock, or with what `against` names.
pub(super) fn compared(registry: &Registry, place: &Place, against: Option<&str>) -> Result<Compared, Failure> {
    let files = Files::of(place);
    let settings = files.read_settings()?;
    let mut options = settings.options;
    let (text, lock) = match against {
        None => files.read_lock()?.ok_or_else(|| {
            let shown = files.lock.display();
            Failure::unreadable(format!("there is no {shown} to compare with; `lock --release …` writes one at a release"))
        })?,
        Some(against) => other_lock(&files, against)?,
    };
    let mut current = lock.completed(Snapshot::of(registry));
    current.release = release(place)?;
    options.today = today();
    let folder = files.lock.parent().unwrap_or(Path::new(""));
    let mut fixtures_failed = false;
    if let Some(fixtures) = &settings.fixtures {
        fixtures_failed = fixtures::run(registry, &folder.join(fixtures), &mut current);
    }
    let baseline = lock.baseline();
    let mut report = compare(&baseline, &current, &options);
    let mut notes = Vec::new();
    if let (Some(guide), Some(release)) = (&settings.guide, current.release) {
        notes = read_notes(&folder.join(guide).join(format!("{}.toml", release.major())))?;
        options.guide_notes = Some(upstate::compat::Guide::explained(&report, &notes));
        report = compare(&baseline, &current, &options);
    }
    Ok(Compared { files, text, options, notes, report, fixtures_failed })
}

#[derive(Deserialize)]
struct Notes {
    #[serde(default)]
    note: Vec<GuideNote>,
}

fn read_notes(path: &Path) -> Result<Vec<GuideNote>, Failure> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::usage(format!("cannot read {}: {error}", path.display()))),
    };
    let notes: Notes = toml::from_str(&text).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Ok(notes.note)
}

fn other_lock(files: &Files, against: &str) -> Result<(String, Lock), Failure> {
    let text = match against.strip_prefix("git:") {
        None => {
            std::fs::read_to_string(against).map_err(|error| Failure::unreadable(format!("cannot read {against}: {error}")))?
        }
        Some(revision) => {
            let object = if revision.contains(':') {
                revision.to_owned()
            } else {
                let name = files.lock.file_name().map_or(FILE_NAME.into(), |name| name.to_string_lossy());
                format!("{revision}:./{name}")
            };
            let folder = files.lock.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let output =
                std::process::Command::new("git").arg("-C").arg(folder).args(["show", "--end-of-options", &object]).output();
            let output = output.map_err(|error| Failure::unreadable(format!("cannot run git: {error}")))?;
            if !output.status.success() {
                let why = String::from_utf8_lossy(&output.stderr);
                return Err(Failure::unreadable(format!("git has no {object}: {}", why.trim())));
            }
            String::from_utf8(output.stdout).map_err(|_| Failure::unreadable(format!("{against} is not text")))?
        }
    };
    let lock = Lock::parse(&text).map_err(|error| Failure::unreadable(format!("{against}: {error}")))?;
    Ok((text, lock))
}

/// The day it is, as `2026-08-01`.
fn today() -> Option<String> {
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
    // Days since March of the year 0, when what varies comes last in a year.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year_of_era, month + 3) } else { (year_of_era + 1, month - 9) };
    Some(format!("{:04}-{month:02}-{day:02}", year + era * 400))
}
