//! The lock, what is beside it, and what to compare with.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use upstate_compat::lock::{FILE_NAME, Lock};
use upstate_compat::{
    Date, Finding, GuideNote, Kind, Options, Preset, Release, Report, Snapshot, compare,
};

use super::settings::{Settings, text_of};
use super::sources::{self, Sources};
use super::{Failure, Place, known};
use crate::program::Program;
use crate::releases::{lock_file, regular};

/// The path of the lock; the rest is next to it.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) lock: PathBuf,
}

impl Files {
    pub(super) fn of(place: &Place) -> Self {
        Self {
            lock: place.lock.clone().unwrap_or_else(lock_file),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        self.lock
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."))
    }

    /// The lock; nothing if there is none yet.
    pub(super) fn read_lock(&self) -> Result<Option<(String, Lock)>, Failure> {
        let shown = self.lock.display();
        match regular(&self.lock) {
            Ok(text) => {
                let lock = Lock::parse(&text)
                    .map_err(|error| Failure::unreadable(format!("{shown}: {error}")))?;
                Ok(Some((text, lock)))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::unreadable(format!("cannot read {shown}: {error}"))),
        }
    }
}

/// The release that is being made, if it is known: the one that is given, else the version of the
/// program's package.
pub(super) fn release(program: &Program, place: &Place) -> Result<Option<Release>, Failure> {
    let given = place.release.clone().or_else(|| program.release());
    given
        .map(|release| {
            release
                .parse()
                .map_err(|error| Failure::usage(format!("{error}")))
        })
        .transpose()
}

/// Everything that a comparison needs and says.
pub(super) struct Compared {
    pub(super) files: Files,
    pub(super) settings: Settings,
    pub(super) baseline: Baseline,
    /// The shapes of the last release.
    pub(super) released: Snapshot,
    /// The shapes of today.
    pub(super) served: Snapshot,
    /// A digest of what is served now.
    pub(super) digest: String,
    /// The number of resources that were compared.
    pub(super) resources: usize,
    pub(super) options: Options,
    pub(super) notes: Vec<GuideNote>,
    /// The notes on the guide of the major release after this one, for removals that are planned.
    pub(super) coming: Vec<GuideNote>,
    pub(super) report: Report,
    /// The source place of each finding of the report.
    pub(super) spots: Vec<Spot>,
    /// The fingerprints that were known and are found no more.
    pub(super) settled: Vec<String>,
    pub(super) fixtures_failed: bool,
    pub(super) took: Duration,
}

/// The lock that was compared with.
pub(super) struct Baseline {
    /// Its path as shown: relative to the repository where it is in one.
    pub(super) file: String,
    /// The revision of the repository that it was taken from.
    pub(super) revision: Option<String>,
    pub(super) digest: String,
}

/// The source place of a finding.
pub(super) struct Spot {
    pub(super) source: Option<sources::Place>,
    /// The line of the lock, if it is about something that was there.
    pub(super) lock: Option<usize>,
}

impl Compared {
    /// The findings, and where each is at home.
    pub(super) fn findings(&self) -> impl Iterator<Item = (&Finding, &Spot)> {
        self.report.findings.iter().zip(&self.spots)
    }

    /// The place to show for a finding: in the source if that is known, else in the lock.
    pub(super) fn place(&self, spot: &Spot) -> sources::Place {
        let lock = || sources::Place {
            file: self.baseline.file.clone(),
            line: spot.lock.unwrap_or(1),
            col: 1,
        };
        spot.source.clone().unwrap_or_else(lock)
    }
}

/// Compares what the program serves with the lock, or with what `against` names.
pub(super) fn compared(
    program: &Program,
    place: &Place,
    against: Option<&str>,
) -> Result<Compared, Failure> {
    let begun = Instant::now();
    let files = Files::of(place);
    let settings = Settings::read(files.folder())?;
    let mut options = settings.options.clone();
    let (file, revision, text, lock) = match against {
        None => {
            let (text, lock) = files.read_lock()?.ok_or_else(|| {
                let shown = files.lock.display();
                Failure::unreadable(format!("there is no {shown} to compare with; `lock --release …` writes one at a release"))
            })?;
            (files.lock.clone(), None, text, lock)
        }
        Some(against) => other_lock(&files, against)?,
    };
    let mut current = lock
        .completed(Snapshot::of(program.registry()))
        .on(Date::today());
    current.release = release(program, place)?;
    let known = known::read(&files)?.unwrap_or_default();
    options.known.clone_from(&known);
    let mut fixtures_failed = false;
    if let Some(fixtures) = &settings.fixtures {
        fixtures_failed = current.upgrade_fixtures(
            program.registry(),
            &files.folder().join(fixtures),
            |request| program.upgrade(request),
        );
    }
    let baseline = lock.baseline();
    let mut report = compare(&baseline, &current, &options);
    let (mut notes, mut coming) = (Vec::new(), Vec::new());
    // Where nobody says so, notes are asked for when users are to read them: with a major release
    // of a provider.
    let is_major = baseline
        .release
        .as_ref()
        .zip(current.release.as_ref())
        .is_some_and(|(old, new)| new.major() > old.major());
    let has_guide = match options.preset {
        Preset::Strict | Preset::Config => {
            is_major
                && current
                    .resources
                    .values()
                    .any(|of| Kind::of(of) != Kind::Document)
        }
        Preset::State | Preset::Documents | Preset::Kubernetes => false,
    };
    let by_default = has_guide.then(|| PathBuf::from("guide"));
    let guide = settings.guide.clone().or(by_default);
    if let (Some(guide), Some(release)) = (&guide, &current.release) {
        let of = |major: u64| read_notes(&files.folder().join(guide).join(format!("{major}.toml")));
        notes = of(release.major())?;
        coming = of(release.major().saturating_add(1))?;
        options.guide_notes = Some(upstate_compat::Guide::explained(&report, &notes));
        report = compare(&baseline, &current, &options);
    }
    let found = |fingerprint: &String| {
        report
            .findings
            .iter()
            .any(|finding| finding.fingerprint == *fingerprint)
    };
    let settled = known
        .into_iter()
        .filter(|fingerprint| !found(fingerprint))
        .collect();
    let mut sources = Sources::new(program.registry(), files.folder());
    let spots = report
        .findings
        .iter()
        .map(|finding| Spot {
            source: sources.find(finding),
            lock: line(&text, finding),
        })
        .collect();
    let digest = |snapshot: &Snapshot| {
        snapshot
            .digest()
            .map_err(|error| Failure::unreadable(error.to_string()))
    };
    Ok(Compared {
        baseline: Baseline {
            file: sources::shown(&file).unwrap_or_else(|| with_slashes(&file)),
            revision,
            digest: digest(&baseline)?,
        },
        digest: digest(&current)?,
        resources: baseline
            .resources
            .keys()
            .chain(current.resources.keys())
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        files,
        settings,
        options,
        notes,
        coming,
        report,
        spots,
        released: baseline,
        served: current,
        settled,
        fixtures_failed,
        took: begun.elapsed(),
    })
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The line of a lock that a finding is about: that of the attribute in the latest entry, or of
/// what it was in, or of the entry.
fn line(lock: &str, finding: &Finding) -> Option<usize> {
    if finding.resource.is_empty() {
        return None;
    }
    // What nothing stores has no version.
    let headers = [
        format!("[{} ", finding.resource),
        format!("[{}] ", finding.resource),
    ];
    let (mut found, mut depth) = (None, 0);
    let mut inside = false;
    for (index, text) in lock.lines().enumerate() {
        if text.starts_with('[') {
            inside = headers.iter().any(|header| text.starts_with(header));
            if inside {
                (found, depth) = (Some(index + 1), 0);
            }
        } else if let (true, Some((path, _))) = (inside, text.split_once(" = ")) {
            let is_it = finding.path == path;
            let is_around = finding
                .path
                .strip_prefix(path)
                .is_some_and(|rest| rest.starts_with(['.', '[']));
            if (is_it || is_around) && path.len() > depth {
                (found, depth) = (Some(index + 1), path.len());
            }
        }
    }
    found
}

#[derive(Deserialize)]
struct Notes {
    #[serde(default)]
    note: Vec<GuideNote>,
}

fn read_notes(path: &Path) -> Result<Vec<GuideNote>, Failure> {
    let Some(text) = text_of(path)? else {
        return Ok(Vec::new());
    };
    let notes: Notes = toml::from_str(&text)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    Ok(notes.note)
}

/// A lock that is not the one in place: a file, or one of the repository's history.
fn other_lock(
    files: &Files,
    against: &str,
) -> Result<(PathBuf, Option<String>, String, Lock), Failure> {
    let revision = against.strip_prefix("git:");
    let file = PathBuf::from(against);
    let (file, revision, text) = match (revision, std::fs::read_to_string(&file)) {
        (None, Ok(text)) => (file, None, text),
        // A name without a file may be a revision.
        (None, Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            match from_git(files, against) {
                Ok((file, revision, text)) => (file, Some(revision), text),
                Err(why) => {
                    return Err(Failure::unreadable(format!(
                        "there is no file {against}, and {why}"
                    )));
                }
            }
        }
        (None, Err(error)) => {
            return Err(Failure::unreadable(format!(
                "cannot read {against}: {error}"
            )));
        }
        (Some(revision), _) => {
            let (file, revision, text) = from_git(files, revision).map_err(Failure::unreadable)?;
            (file, Some(revision), text)
        }
    };
    let lock =
        Lock::parse(&text).map_err(|error| Failure::unreadable(format!("{against}: {error}")))?;
    Ok((file, revision, text, lock))
}

/// The lock as it was at `revision`, or what is at `revision:path`: its path, the revision, its
/// text.
pub(super) fn from_git(files: &Files, revision: &str) -> Result<(PathBuf, String, String), String> {
    let (object, file, revision) = if let Some((revision, path)) = revision.split_once(':') {
        (format!("{revision}:{path}"), PathBuf::from(path), revision)
    } else {
        let name = files
            .lock
            .file_name()
            .map_or(FILE_NAME.into(), |name| name.to_string_lossy());
        (format!("{revision}:./{name}"), files.lock.clone(), revision)
    };
    let mut git = std::process::Command::new("git");
    let output = git
        .arg("-C")
        .arg(files.folder())
        .args(["show", "--end-of-options", &object])
        .output();
    let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(format!("git has no {object}: {}", why.trim()));
    }
    let text = String::from_utf8(output.stdout).map_err(|_| format!("{object} is not UTF-8"))?;
    Ok((file, revision.to_owned(), text))
}
