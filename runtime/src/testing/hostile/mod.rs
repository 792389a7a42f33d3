//! States that nobody should have stored.

mod change;
mod leak;
mod nothing;
mod run;
mod sample;
mod several;
mod ways;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use super::engine::Engine;
use super::fixtures;
use super::json::Json;
use super::shortcut;
use crate::registry::Registry;
use crate::schema::Block;
use crate::upgrade::resource::{CurrentModel, Resource};
use crate::upgrade::{ResourceDefinition, UpgradeRequest, UpgradeResponse};

/// Hostile states of every supported version of one type, made from its schemas: each attribute
/// missing, null, empty, and of every wrong kind; documents cut off, nested deep, not JSON, with
/// names twice and in another order; flat state with wrong counts.
///
/// Several changes at once, the same in every run; large states, whose collections have many
/// elements.
///
/// Each state is upgraded prepared, laid out over lines and with its names in another order, too,
/// in both encodings; where an upgrade is written with operators alone, straight over the bytes and
/// over values. Each must lead to the same state with the same dropped values.
///
/// States that differ only in how they store an empty block (missing, null, an empty list or map)
/// must become the same state, with the same dropped values, over the bytes and over values.
///
/// Each state must become a complete state that reads back unchanged, or give one error; operators
/// may give several. None may panic, and no message may hold a value of an attribute that is
/// sensitive or write-only. No such value may end in an attribute that is neither, unless the
/// upgrade says that it is [declassified](Hostile::declassified).
///
/// ```
/// use upstate::{Resource, testing::Hostile};
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_login", version = 1)]
/// #[upgrade_from(0, model = LoginV0)]
/// struct Login {
///     name: String,
///     #[attribute(sensitive)]
///     token: Option<String>,
/// }
///
/// #[derive(Resource)]
/// #[resource(type_name = "example_login", version = 0)]
/// struct LoginV0 {
///     name: Option<String>,
///     #[attribute(sensitive)]
///     token: String,
/// }
///
/// impl TryFrom<LoginV0> for Login {
///     type Error = &'static str;
///     fn try_from(prior: LoginV0) -> Result<Self, Self::Error> {
///         let name = prior.name.ok_or("the login has no name")?;
///         Ok(Login { name, token: Some(prior.token) })
///     }
/// }
///
/// let report = Hostile::new::<Login>().check();
/// assert!(report.refused() > report.upgraded());
/// ```
///
/// A state that the schema allows may still be invalid for an upgrade, for example if a string must
/// be an identifier. Then start from real states: [`Hostile::sample`], [`Hostile::samples_in`].
#[must_use = "states do no harm until they are checked"]
pub struct Hostile {
    registry: Registry,
    type_name: String,
    samples: Vec<(u64, Vec<u8>)>,
    shortcuts: Vec<Shortcut>,
    several_errors: bool,
    /// Attributes that functions may fill with what was sensitive.
    declassified: Vec<String>,
    engine: Engine,
    /// The problems with the fixtures to start from: those that could not be read, and folders
    /// without any.
    problems: Vec<String>,
}

/// An earlier model that some versions need not go through.
struct Shortcut {
    definition: &'static ResourceDefinition,
    compare: fn(u64, &[u8]) -> Option<String>,
}

/// The result of hostile states.
#[derive(Debug, Default)]
pub struct HostileReport {
    upgraded: usize,
    refused: usize,
    problems: Vec<String>,
}

/// The number of problems that are shown.
const SHOWN: usize = 20;

impl HostileReport {
    /// The number of states that were upgraded.
    pub fn upgraded(&self) -> usize {
        self.upgraded
    }

    /// The number of states that were refused.
    pub fn refused(&self) -> usize {
        self.refused
    }

    /// The failures, each with the state that caused it.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl fmt::Display for HostileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} hostile states upgraded, {} refused, {} wrong",
            self.upgraded,
            self.refused,
            self.problems.len()
        )?;
        for problem in self.problems.iter().take(SHOWN) {
            write!(f, "\n\n{problem}")?;
        }
        if self.problems.len() > SHOWN {
            write!(f, "\n\nand {} more", self.problems.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl Hostile {
    /// Hostile states of the model `T`.
    pub fn new<T: CurrentModel>() -> Self {
        Self::in_registry(&Registry::new().with::<T>(), T::TYPE_NAME)
    }

    /// Hostile states of one type that a registry knows; its client is there for the upgrades.
    pub fn in_registry(registry: &Registry, type_name: impl Into<String>) -> Self {
        Self {
            registry: registry.clone(),
            type_name: type_name.into(),
            samples: Vec::new(),
            shortcuts: Vec::new(),
            several_errors: false,
            declassified: Vec::new(),
            engine: Engine::default(),
            problems: Vec::new(),
        }
    }

    /// Also starts from this state, stored at `version`.
    pub fn sample(mut self, version: u64, state: impl AsRef<[u8]>) -> Self {
        self.samples.push((version, state.as_ref().to_vec()));
        self
    }

    /// Also starts from the stored states in a folder of [`Fixtures`](super::Fixtures).
    pub fn samples_in(mut self, fixtures: impl AsRef<Path>) -> Self {
        let folder = fixtures.as_ref().join(&self.type_name);
        let versions = self
            .registry
            .get(&self.type_name)
            .map(ResourceDefinition::version)
            .into_iter()
            .flat_map(|last| 0..=last);
        let mut found = false;
        for version in versions {
            for sample in fixtures::stored_states(&folder.join(format!("v{version}"))) {
                found = true;
                match fs::read(&sample) {
                    Ok(state) => self.samples.push((version, state)),
                    Err(error) => self.problems.push(format!("{}: {error}", sample.display())),
                }
            }
        }
        if !found {
            self.problems.push(format!(
                "{}: there are no fixtures of {}",
                fixtures.as_ref().display(),
                self.type_name
            ));
        }
        self
    }

    /// Also compares the direct upgrader of each version with the chain through `Prior`, where
    /// there are both. Upgrades get no client for that.
    pub fn shortcuts_past<T: Resource, Prior: Resource>(mut self) -> Self {
        self.shortcuts.push(Shortcut {
            definition: Prior::DEFINITION,
            compare: shortcut::compare::<T, Prior>,
        });
        self
    }

    /// Allows several errors for a state, for upgrades that look for more than the first mistake.
    /// Upgraders of operators may always report several, and so may whatever cannot be read.
    pub fn several_errors(mut self) -> Self {
        self.several_errors = true;
        self
    }

    /// Allows a sensitive value in this attribute, which is not sensitive, for upgrades that a
    /// function writes. Operators say it themselves, with `declassified = "why"`. The path is
    /// dotted: `login.user`.
    pub fn declassified(mut self, path: impl Into<String>) -> Self {
        self.declassified.push(path.into());
        self
    }

    /// Upgrades each state with this function: for asynchronous upgrades, in your own runtime. See
    /// [`Fixtures::upgraded_by`](super::Fixtures::upgraded_by).
    pub fn upgraded_by(
        mut self,
        upgrade: impl Fn(&Registry, &UpgradeRequest<'_>) -> UpgradeResponse + 'static,
    ) -> Self {
        self.engine = Engine::new(upgrade);
        self
    }

    /// Upgrades every state.
    ///
    /// # Panics
    /// If one ends as none should; the message says which and how.
    #[track_caller]
    pub fn check(self) -> HostileReport {
        let report = self.run();
        assert!(report.problems.is_empty(), "{report}");
        report
    }

    /// Runs the states and reports the failures; [`Hostile::check`] panics on them.
    #[must_use]
    pub fn run(mut self) -> HostileReport {
        let mut report = HostileReport {
            problems: std::mem::take(&mut self.problems),
            ..HostileReport::default()
        };
        let Some(definition) = self.registry.get(&self.type_name) else {
            report
                .problems
                .push(format!("no type named {:?} is registered", self.type_name));
            return report;
        };
        // Versions that share an upgrader share a shape, so states of one of them show all that
        // there is to see.
        let mut schemas: Vec<(RangeInclusive<u64>, &Block)> = Vec::new();
        // Only samples have the form of versions whose upgrader takes the stored state as it is.
        let nothing = Block::new([]);
        for range in definition.supported_ranges() {
            let blocks = definition.prior_schemas_of(*range.start());
            let blocks = if blocks.is_empty() {
                vec![&nothing]
            } else {
                blocks
            };
            schemas.extend(blocks.into_iter().map(|block| (range.clone(), block)));
        }
        schemas.push((
            definition.version()..=definition.version(),
            definition.schema().block(),
        ));
        let secret = secret_names(&schemas);
        for (range, block) in schemas {
            self.check_versions(definition, &range, block, &secret, &mut report);
        }
        report
    }

    fn check_versions(
        &self,
        definition: &ResourceDefinition,
        versions: &RangeInclusive<u64>,
        block: &Block,
        secret: &BTreeSet<String>,
        report: &mut HostileReport,
    ) {
        let begin = |version, base: &Json, report: &mut HostileReport| {
            let runner = run::Runner {
                hostile: self,
                definition,
                version,
            };
            // The beginning itself need not do any harm.
            let upgraded = runner.check(&State::of("as the schema has it", base), report);
            let states =
                change::states(base, block, secret).chain(several::states(base, block, secret));
            for state in states.chain(whole::states(base, block, secret)) {
                runner.check(&state, report);
            }
            for states in nothing::states(base, block) {
                runner.check_alike(&states, report);
            }
            runner.check_leaks(base, block, report);
            upgraded
        };
        let mut upgrades = begin(*versions.start(), &sample::of_block(block, secret), report);
        for (version, sample) in self.samples.iter().filter(|(of, _)| versions.contains(of)) {
            match Json::parse(sample) {
                Ok(sample) => {
                    let state = State {
                        secrets: sample::secrets(&sample, block, secret),
                        ..State::of("the sample", &sample)
                    };
                    upgrades |= run::Runner {
                        hostile: self,
                        definition,
                        version: *version,
                    }
                    .check(&state, report);
                    begin(
                        *version,
                        &sample::with_secrets(&sample, block, secret),
                        report,
                    );
                }
                Err(error) => report.problems.push(format!(
                    "a sample of version {version} is not JSON: {error}"
                )),
            }
        }
        if !upgrades {
            report.problems.push(format!(
                "version {} of {}: the state made from its schema is refused, so what was made from that shows little\n\
                 help: give a real state that can be upgraded, with `sample` or `samples_in`",
                versions.start(),
                self.type_name
            ));
        }
    }
}

__debug_parts! {
    Hostile |self| {
        type_name: self.type_name,
    }
}

/// One state, and how it was made.
struct State {
    what: String,
    raw: Raw,
    /// Strings that no message may hold, in addition to those in every generated state.
    secrets: BTreeSet<String>,
}

enum Raw {
    Json(Vec<u8>),
    Flatmap(BTreeMap<String, String>),
}

impl State {
    fn of(what: impl Into<String>, json: &Json) -> Self {
        Self::broken(what, json.to_text().into_bytes())
    }

    /// A state that need not be JSON.
    fn broken(what: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self {
            what: what.into(),
            raw: Raw::Json(bytes),
            secrets: BTreeSet::new(),
        }
    }
}

/// The names of attributes that are secret in any of the schemas: what was secret once is never
/// shown.
fn secret_names(schemas: &[(RangeInclusive<u64>, &Block)]) -> BTreeSet<String> {
    let attributes = schemas.iter().flat_map(|(_, block)| block.attributes());
    attributes
        .filter(|attribute| attribute.is_secret())
        .map(|attribute| attribute.name().to_owned())
        .collect()
}
