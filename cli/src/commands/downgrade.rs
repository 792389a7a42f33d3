//! `downgrade`: a state file, or documents, for an earlier release.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use upstate::schema::Block;
use upstate::{Registry, ResourceDefinition};
use upstate_state::DowngradeGoals;

use super::documents::{DocumentOptions, Work};
use super::upgrade::{ReportOptions, Upgrade};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::releases::AtRelease;
use crate::select::Selection;
use crate::terminal;

/// Take a state file or documents back to what an earlier release stores
///
/// As safe as `upgrade`: it changes only the instances that go back, keeps the old content in a
/// backup, and writes nothing unless every instance can go back. It names each value that the older
/// release cannot hold, and refuses to lose it unless you pass --allow-loss.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:\n  \
    {program} downgrade terraform.tfstate --to-release 1.4.0              to what that release stored\n  \
    {program} downgrade terraform.tfstate --to example_thing=2 --dry-run  what it would do\n  \
    terraform state pull | {program} downgrade - --to-release 1.4.0 > old.tfstate\n  \
    {program} downgrade settings.toml --to-release 1.4.0                  a document; keeps a backup")]
pub(crate) struct Downgrade {
    /// The state file, or a document; - reads a state file from standard input and writes it to
    /// standard output
    #[arg(value_name = "STATE")]
    state: PathBuf,
    #[command(flatten)]
    documents: DocumentOptions,
    #[command(flatten)]
    back: Back,
    /// Write to this file instead of in place; an existing file is replaced, without a backup; - is
    /// standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing; show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    selection: Selection,
    /// Leave out instances that cannot go back, and take the others back; the exit code is 1 if any
    /// were left
    #[arg(long)]
    partial: bool,
    #[command(flatten)]
    report: ReportOptions,
}

/// To which versions state is taken back.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(crate) struct Back {
    /// The release that will read the state: each type goes back to the version that the lock has
    /// for that release
    #[arg(long, value_name = "RELEASE", conflicts_with = "to")]
    pub(super) to_release: Option<String>,
    /// A type and the schema version that it goes back to; may be given several times; other types
    /// stay, and so does the identity of the type, whose model has another type name
    #[arg(long, value_name = "TYPE=VERSION")]
    pub(super) to: Vec<String>,
    /// The shape of a type whose version was stored in several: the one that has this attribute, or
    /// with ! the one that lacks it; may be given several times
    #[arg(long, value_name = "TYPE=ATTRIBUTE")]
    pub(super) shape: Vec<String>,
    /// The lock that lists the releases for --to-release
    #[arg(long = "lock", value_name = "FILE", requires = "to_release")]
    pub(super) lock: Option<PathBuf>,
    /// Go back even if the older release cannot hold everything; names each value that is lost; of
    /// a plan of documents that do not go back: plan for `upgrade --allow-loss`
    #[arg(long)]
    pub(super) allow_loss: bool,
    /// Go back only where no state of the type could lose anything, by the verdicts that explain
    /// prints; of a plan that does not go back: plan for `upgrade --strict`, which refuses
    /// instances with values that no schema defines
    #[arg(long, conflicts_with = "allow_loss")]
    pub(super) strict: bool,
}

impl Downgrade {
    pub(crate) fn run(self, program: &Program) -> Outcome {
        let goals = match self.back.goals(program) {
            Ok(Some(goals)) => goals,
            Ok(None) => {
                terminal::fail(
                    "nothing says how far back; write --to-release RELEASE, or --to TYPE=VERSION",
                );
                return Outcome::Usage;
            }
            Err(outcome) => return outcome,
        };
        let Self {
            state,
            documents,
            output,
            dry_run,
            selection,
            partial,
            report,
            back: _,
        } = self;
        if documents.are_meant(&state) {
            if output.is_some() || partial || !selection.is_empty() {
                terminal::fail(
                    "documents are downgraded in place and whole: --output, --partial, --only and --exclude are for state \
                     files",
                );
                return Outcome::Usage;
            }
            let work = Work {
                writes: !dry_run,
                strict: false,
                allows_loss: false,
                detailed_exitcode: false,
                format: report.format,
                back: Some(&goals),
            };
            return documents.run(program, &state, work);
        }
        Upgrade::back(goals, state, report)
            .output(output, dry_run)
            .selected(selection, partial)
            .run(program)
    }
}

impl Back {
    /// No way back, with what `upgrade --strict` says.
    pub(super) fn nowhere(strict: bool) -> Self {
        Self {
            strict,
            ..Self::default()
        }
    }

    /// True if nothing is asked for but that a loss is allowed, or refused.
    pub(super) fn is_nowhere(&self) -> bool {
        self.to_release.is_none() && self.to.is_empty() && self.shape.is_empty()
    }

    /// The versions that are asked for; nothing if none are.
    pub(super) fn goals(&self, program: &Program) -> Result<Option<DowngradeGoals>, Outcome> {
        let Self {
            to_release,
            to,
            shape,
            lock,
            allow_loss,
            strict,
        } = self;
        let registry = program.registry();
        if let Some(release) = to_release {
            let at_release = AtRelease::find(registry, lock.as_deref(), program.lock(), release)?;
            let AtRelease {
                versions,
                identities,
                shapes: mut of_release,
            } = at_release;
            of_release.extend(shapes(shape, registry, &versions)?);
            let goals = DowngradeGoals::new(versions)
                .identities(identities)
                .shapes(of_release)
                .of_release(release);
            return Ok(Some(goals.allow_loss(*allow_loss).strict(*strict)));
        }
        if to.is_empty() {
            let flags = [
                ("--allow-loss", *allow_loss),
                ("--shape", !shape.is_empty()),
            ];
            if let Some((flag, _)) = flags.into_iter().find(|(_, given)| *given) {
                terminal::fail(&format!(
                    "{flag} is for state that goes back; write --to-release RELEASE, or --to TYPE=VERSION"
                ));
                return Err(Outcome::Usage);
            }
            return Ok(None);
        }
        let (mut versions, mut identities) = (BTreeMap::new(), BTreeMap::new());
        for text in to {
            let Some((type_name, version)) = text
                .split_once('=')
                .and_then(|(name, version)| Some((name, version.parse().ok()?)))
            else {
                terminal::fail(&format!(
                    "--to {text:?} is not a type and a schema version; write --to example_thing=2"
                ));
                return Err(Outcome::Usage);
            };
            let owners = owners(registry, type_name);
            let identity = owners
                .first()
                .and_then(|owner| owner.identity())
                .filter(|_| registry.get(type_name).is_none());
            let definition = match identity {
                Some(identity) => identity,
                None => super::definition::definition(registry, type_name)?,
            };
            if version > definition.version() {
                let current = definition.version();
                terminal::fail(&format!(
                    "--to {text:?} is later than the current version of {type_name}, which is {current}"
                ));
                return Err(Outcome::Usage);
            }
            if identity.is_some() {
                identities.extend(
                    owners
                        .iter()
                        .map(|owner| (owner.type_name().to_owned(), version)),
                );
            } else {
                versions.insert(type_name.to_owned(), version);
            }
        }
        let shapes = shapes(shape, registry, &versions)?;
        let goals = DowngradeGoals::new(versions)
            .identities(identities)
            .shapes(shapes);
        Ok(Some(goals.allow_loss(*allow_loss).strict(*strict)))
    }
}

/// The shapes that are asked for, each by an attribute that it has or lacks: the place of each
/// among those of the version that its type goes back to.
fn shapes(
    wanted: &[String],
    registry: &Registry,
    versions: &BTreeMap<String, u64>,
) -> Result<BTreeMap<String, usize>, Outcome> {
    let wrong = |message: String| {
        terminal::fail(&message);
        Outcome::Usage
    };
    let mut found = BTreeMap::new();
    for text in wanted {
        let Some((type_name, attribute)) = text.split_once('=') else {
            return Err(wrong(format!(
                "--shape {text:?} is not a type and an attribute; write --shape example_thing=zone"
            )));
        };
        let Some(version) = versions.get(type_name) else {
            return Err(wrong(format!(
                "--shape {text:?} names a type that does not go back"
            )));
        };
        let (name, wanted) = attribute
            .strip_prefix('!')
            .map_or((attribute, true), |name| (name, false));
        let has = |block: &Block| {
            let is_attribute = block
                .attributes()
                .iter()
                .any(|attribute| attribute.name() == name);
            is_attribute || block.blocks().iter().any(|block| block.name() == name)
        };
        let schemas =
            super::definition::definition(registry, type_name)?.prior_schemas_of(*version);
        let places: Vec<usize> = (0..)
            .zip(&schemas)
            .filter(|(_, block)| has(block) == wanted)
            .map(|(place, _)| place)
            .collect();
        let [place] = places.as_slice() else {
            let (all, fit) = (schemas.len(), places.len());
            return Err(wrong(format!(
                "--shape {text:?} fits {fit} of the {all} shapes that were stored under version {version} of {type_name}; name an attribute \
                 that only one of them has, or with ! one that only one of them lacks"
            )));
        };
        found.insert(type_name.to_owned(), *place);
    }
    Ok(found)
}

/// The resources whose identity has this type name.
fn owners<'r>(registry: &'r Registry, type_name: &str) -> Vec<&'r ResourceDefinition> {
    registry
        .definitions()
        .filter(|definition| {
            definition
                .identity()
                .is_some_and(|identity| identity.type_name() == type_name)
        })
        .collect()
}
