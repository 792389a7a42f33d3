//! The stored versions that a model can be reached from, computed at compile time.

// Everything here runs in the compiler, which reports a wrong index or number itself; `get` and
// `try_from` are not const.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

mod migration;
mod reached;
mod routes;
mod step;

pub use self::reached::{
    check_every_document_is_reached, check_every_version_is_reached, check_model_version,
};
pub use self::routes::routes;
pub(super) use self::routes::{Route, is_routed, routed};
pub(super) use self::step::{Behind, Difference, PriorHistory};
pub use self::step::{Step, UpgraderKind};
use super::migrate::MigrateState;
use super::operators::{WholeUpgrader, verdicts};
use super::verdict::{Verdicts, Weight};
use crate::message::iterate;
use crate::released::fingerprint;
use crate::schema::Schema;
use crate::schema::table::{LazySchema, Table};

/// A model's place among the versions of its resource: its own version, and the upgraders that lead
/// to it.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one fact that const evaluation asks for"
)]
pub struct History {
    rust_name: &'static str,
    version: u64,
    pub(super) oldest: u64,
    table: &'static Table,
    pub(super) steps: &'static [Step],
    since: &'static [(&'static str, u64)],
    type_name: &'static str,
    /// The number of that name: it is compared in place of its letters.
    type_key: u64,
    /// True if the type name was written on the model, not made from the name of its struct.
    type_name_is_given: bool,
    /// The model did not compile, so nothing is to be said about it.
    stub: bool,
    /// A shape that only other models are upgraded from.
    is_prior: bool,
    /// A difference to a later version, of which no lock says that it is what was released.
    is_unpinned: bool,
    /// Brings flat state that is older than the oldest version to that.
    pub(super) migrate: Option<MigrateState>,
    /// The lock that the compiler compared it with.
    lock: Option<SeenLock>,
}

/// A lock as the compiler saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeenLock {
    /// Its path, relative to the package of the model.
    pub path: &'static str,
    /// The 64-bit FNV-1a hash of its bytes.
    pub digest: u64,
}

impl History {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        rust_name: &'static str,
        (type_name, type_key): (&'static str, u64),
        type_name_is_given: bool,
        is_prior: bool,
        oldest: u64,
        table: &'static Table,
        steps: &'static [Step],
    ) -> Self {
        Self {
            rust_name,
            version: table.version,
            oldest,
            table,
            steps,
            since: &[],
            type_name,
            type_key,
            type_name_is_given,
            stub: false,
            is_prior,
            is_unpinned: false,
            migrate: None,
            lock: None,
        }
    }

    /// That of a difference; no earlier version leads to it.
    pub(super) const fn of_shape(
        table: &'static Table,
        (type_name, type_key): (&'static str, u64),
        type_name_is_given: bool,
        is_pinned: bool,
    ) -> Self {
        Self {
            rust_name: table.rust_name,
            version: table.version,
            oldest: table.version,
            table,
            steps: &[],
            since: &[],
            type_name,
            type_key,
            type_name_is_given,
            stub: false,
            is_prior: true,
            is_unpinned: !is_pinned,
            migrate: None,
            lock: None,
        }
    }

    /// The release that first stored each version, by version.
    #[doc(hidden)]
    #[must_use]
    pub const fn since(mut self, releases: &'static [(&'static str, u64)]) -> Self {
        self.since = releases;
        self
    }

    /// The author's function for flat state that is older than the oldest version.
    #[doc(hidden)]
    #[must_use]
    pub const fn migrated_by(mut self, function: MigrateState) -> Self {
        self.migrate = Some(function);
        self
    }

    /// The lock that the compiler compares the model with.
    #[doc(hidden)]
    #[must_use]
    pub const fn compared_with(mut self, path: &'static str, digest: u64) -> Self {
        self.lock = Some(SeenLock { path, digest });
        self
    }

    /// The lock that the compiler compared the model with, if it found one.
    pub fn lock(&self) -> Option<SeenLock> {
        self.lock
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn stub() -> Self {
        Self {
            stub: true,
            ..Self::new("", ("", 0), false, false, 0, &NOTHING, &[])
        }
    }

    pub(super) const fn is_stub(&self) -> bool {
        self.stub
    }

    /// True if the model is only a shape that other models are upgraded from
    /// (`#[resource(…, prior)]`): no upgrader has to lead to it.
    pub const fn is_prior(&self) -> bool {
        self.is_prior
    }

    /// The name of the model's struct.
    pub const fn rust_name(&self) -> &'static str {
        self.rust_name
    }

    /// The schema version that the model describes.
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The oldest stored version that is still supported.
    pub const fn oldest(&self) -> u64 {
        self.oldest
    }

    /// All operators of one of its upgraders, those of nested objects too; `None` if the upgrader
    /// is not declarative.
    ///
    /// ```
    /// use upstate::{Object, Resource};
    ///
    /// #[derive(Object)]
    /// struct RuleV0 { from_port: u16 }
    ///
    /// #[derive(Object)]
    /// #[upgrade_from(model = RuleV0, rename(from_port => port))]
    /// struct Rule { port: u16 }
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_wall", version = 0)]
    /// struct WallV0 { title: String, rules: Vec<RuleV0>, last: RuleV0 }
    ///
    /// #[derive(Resource)]
    /// #[resource(type_name = "example_wall", version = 1)]
    /// #[upgrade_from(0, model = WallV0, rename(title => name))]
    /// struct Wall { name: String, rules: Vec<Rule>, last: Rule }
    ///
    /// let history = Wall::HISTORY;
    /// let upgrader = history.whole_upgrader(&history.steps()[0]).unwrap();
    /// assert_eq!(upgrader.to_string(), "rename(title => name)\nlast: rename(from_port => port)");
    /// let json = serde_json::to_value(&upgrader)?;
    /// assert_eq!(json["objects"][0]["at"], serde_json::json!(["last"]));
    /// assert_eq!(json["objects"][0]["operators"]["productions"][0]["target"], serde_json::json!(["port"]));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn whole_upgrader(&self, step: &Step) -> Option<WholeUpgrader> {
        match (step.written_as(), step.prior()) {
            (UpgraderKind::Operators(operators), Some(prior)) => {
                Some(WholeUpgrader::new(operators, prior.schema(), self.schema()))
            }
            _ => None,
        }
    }

    /// The verdicts on one of the model's upgraders: whether it keeps all that it meets, up and
    /// back.
    pub fn verdicts(&self, step: &Step) -> Verdicts {
        let mut found = Verdicts::default();
        let (up, down) = (&mut found.up, &mut found.down);
        match (step.written_as(), step.prior()) {
            (UpgraderKind::Operators(operators), Some(prior)) => {
                return verdicts(operators, prior.table(), self.table);
            }
            (UpgraderKind::Unchanged, _) => {}
            (UpgraderKind::Unsupported, _) => {
                up.note(Weight::Impossible, "", "the version is no longer supported");
                down.note(Weight::Impossible, "", "the version is no longer supported");
            }
            (UpgraderKind::NeverReleased, _) => {
                up.note(Weight::Impossible, "", "no release ever stored the version");
                down.note(Weight::Impossible, "", "no release ever stored the version");
            }
            (
                UpgraderKind::Conversion
                | UpgraderKind::Function
                | UpgraderKind::Raw
                | UpgraderKind::Operators(_),
                _,
            ) => {
                up.note(Weight::Lost, "", "what the author's function does not keep");
                if step.has_downgrade {
                    down.note(Weight::Lost, "", "what the author's functions do not keep");
                } else {
                    down.note(
                        Weight::Impossible,
                        "",
                        "a function makes the state, and there is no `downgrade`",
                    );
                }
            }
        }
        found
    }

    /// The schema of that version.
    pub fn schema(&self) -> &'static Schema {
        self.table.schema()
    }

    /// Looks it up in const evaluation.
    #[doc(hidden)]
    #[must_use]
    pub const fn table(&self) -> &'static Table {
        self.table
    }

    /// The release that first stored each version, by version; empty if the author did not say.
    pub const fn releases(&self) -> &'static [(&'static str, u64)] {
        self.since
    }

    fn prior(&self) -> impl Iterator<Item = &'static History> {
        self.steps.iter().filter_map(Step::prior)
    }

    /// The prior version `version` on a way to this one, if it is a difference: no struct describes
    /// it.
    pub(super) fn shape(&self, version: u64) -> Option<&'static dyn Difference> {
        self.steps
            .iter()
            .filter_map(|step| step.prior.as_ref())
            .find_map(|prior| match prior.shape() {
                Some(shape) if prior.version == version => Some(shape),
                _ => prior.history().shape(version),
            })
    }

    /// True if the schema of this model, or of one that it is reached from, has a secret attribute.
    pub(super) fn has_secret(&self) -> bool {
        self.schema().has_secret() || self.prior().any(History::has_secret)
    }

    /// True if the attribute `name` of this model, or of one that it is reached from, is secret.
    pub(super) fn hides(&self, name: &str) -> bool {
        self.schema().block().members().hides_below(name)
            || self.prior().any(|prior| prior.hides(name))
    }

    /// True if an upgrader to this model, or to one that it is reached from, is asynchronous.
    pub const fn awaits(&self) -> bool {
        iterate!(step in self.steps => {
            if step.awaits() {
                return true;
            }
        });
        false
    }

    /// The upgraders that state stored at `version` takes to this model, the last one first, each
    /// with the history that it leads to. Of several shapes of one version, those of each.
    pub fn upgraders_from(&'static self, version: u64) -> Vec<(&'static Self, &'static Step)> {
        if version == self.version {
            return Vec::new();
        }
        let own: Vec<_> = self
            .steps
            .iter()
            .filter(|step| step.contains(version))
            .map(|step| (self, step))
            .collect();
        if !own.is_empty() {
            return own;
        }
        let Some(step) = self.route(version).and_then(|index| self.steps.get(index)) else {
            return Vec::new();
        };
        let before = step
            .prior()
            .into_iter()
            .flat_map(|prior| prior.upgraders_from(version));
        std::iter::once((self, step)).chain(before).collect()
    }

    /// True if the upgrade of state stored at `version` may await.
    pub fn awaits_from(&'static self, version: u64) -> bool {
        self.awaits()
            && self
                .upgraders_from(version)
                .iter()
                .any(|(_, step)| step.asynchronous)
    }

    /// True if an upgrader to this model is a function or a conversion, or says that the shape is
    /// unchanged.
    pub(super) const fn has_functions(&self) -> bool {
        iterate!(step in self.steps => {
            match step.kind {
                UpgraderKind::Conversion
                | UpgraderKind::Function
                | UpgraderKind::Raw
                | UpgraderKind::Unchanged => return true,
                UpgraderKind::Operators(_)
                | UpgraderKind::Unsupported
                | UpgraderKind::NeverReleased => {}
            }
        });
        false
    }

    /// The upgraders, by the version they are for.
    pub const fn steps(&self) -> &'static [Step] {
        self.steps
    }

    /// True if state stored at `version` is of this model's version or has a route to it, and for a
    /// model that did not compile.
    pub const fn reaches(&self, version: u64) -> bool {
        self.stub || version == self.version || self.route(version).is_some()
    }

    /// The fingerprint of the shape that the compiler proves upgraders with.
    #[doc(hidden)]
    #[must_use]
    pub const fn fingerprint(&self) -> u64 {
        fingerprint(self.table)
    }

    /// The index of the upgrader that state stored at `version` takes: the first upgrader for that
    /// version, or else the one with the lowest version above it whose own history reaches it.
    pub const fn route(&self, version: u64) -> Option<usize> {
        let mut best: Option<usize> = None;
        let mut index = 0;
        while index < self.steps.len() {
            let step = &self.steps[index];
            if step.contains(version) {
                return Some(index);
            }
            let lower = match best {
                Some(best) => step.from < self.steps[best].from,
                None => true,
            };
            if let Some(prior) = step.prior
                && step.from > version
                && lower
                && prior.reaches(version)
                && !self.has_twin(index, version)
            {
                best = Some(index);
            }
            index += 1;
        }
        best
    }

    /// True if several shapes of one version reach an earlier one. A condition looks at what is
    /// stored, and state of the earlier version is stored in another shape: nothing says which of
    /// them it leads to.
    const fn has_twin(&self, upgrader: usize, version: u64) -> bool {
        if self.steps[upgrader].when.is_none() {
            return false;
        }
        let mut index = 0;
        while index < self.steps.len() {
            if let Some(prior) = self.steps[index].prior
                && index != upgrader
                && self.steps[index].from == self.steps[upgrader].from
                && prior.reaches(version)
            {
                return true;
            }
            index += 1;
        }
        false
    }
}

/// The table of a model that did not compile, which stores nothing.
static NOTHING: Table = {
    static SCHEMA: LazySchema = LazySchema::new();
    Table::stub(&SCHEMA)
};
