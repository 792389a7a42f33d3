//! The stored versions that a model can be reached from, computed at compile time.

// Everything here runs in the compiler, which reports a wrong index or number itself; `get` and `try_from` are not const.
#![expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "const evaluation")]

mod reached;

pub use self::reached::{check_every_version_is_reached, check_model_version};
use super::operators::{Operators, WholeUpgrader, verdicts};
use super::prior_shape::PriorShape;
use super::upgrader::Upgrader;
use super::verdict::{Verdicts, Weight};
use super::when::When;
use crate::resource::Resource;
use crate::schema::Schema;
use crate::schema::table::{LazySchema, Table};

/// A model's place among the versions of its resource: its own version, and the upgraders that lead to it.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact that const evaluation asks for")]
pub struct History {
    rust_name: &'static str,
    version: u64,
    oldest: u64,
    table: &'static Table,
    steps: &'static [Step],
    since: &'static [(&'static str, u64)],
    type_name: &'static str,
    /// Whether the type name was written on the model, not made from the name of its struct.
    type_name_is_given: bool,
    /// The model did not compile, so nothing is to be said about it.
    stub: bool,
    /// A shape that only other models are upgraded from.
    is_prior: bool,
    /// A difference to a later version, of which no lock says that it is what was released.
    is_unpinned: bool,
}

/// One upgrader of a [`History`]: from a stored version, or a range of them that share one shape.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    from: u64,
    through: u64,
    /// The version of the model that describes them; if there is none, just the first of them.
    model: u64,
    via: Option<Via>,
    when: Option<When>,
    unsupported: Option<&'static str>,
    asynchronous: bool,
    /// Says that the versions stored what the current one stores, of which no lock says that it is what was released.
    is_unpinned: bool,
    /// Whether its author wrote a function for the way back.
    has_downgrade: bool,
    /// Why its author raised the version, or changed the upgrader after a release.
    reason: Option<&'static str>,
    kind: UpgraderKind,
}

/// What is known of the prior model of an upgrader while the program is compiled. Its whole history is behind a function, so that the
/// compiler does not look through all earlier versions again from each later one.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact that const evaluation asks for")]
pub(super) struct Via {
    pub(super) rust_name: &'static str,
    pub(super) table: &'static Table,
    version: u64,
    oldest: u64,
    type_name: &'static str,
    type_name_is_given: bool,
    stub: bool,
    is_prior: bool,
    awaits: bool,
    /// Whether it is reached from no earlier version.
    pub(super) is_first: bool,
    routes: &'static [u16],
    behind: Behind,
}

/// Where the history of a prior model is.
#[derive(Debug, Clone, Copy)]
enum Behind {
    Model(fn() -> &'static History),
    Shape(&'static PriorShape),
}

impl Via {
    /// The prior model `P`.
    pub(super) const fn of<P: Resource>() -> Self {
        fn history<P: Resource>() -> &'static History {
            P::HISTORY
        }
        Self::new(P::HISTORY, P::ROUTES, Behind::Model(history::<P>))
    }

    /// A prior version without a struct.
    pub(super) const fn of_shape(shape: &'static PriorShape) -> Self {
        Self::new(shape.history(), shape.routes(), Behind::Shape(shape))
    }

    const fn new(history: &History, routes: &'static [u16], behind: Behind) -> Self {
        let History { rust_name, table, version, oldest, type_name, type_name_is_given, stub, is_prior, .. } = *history;
        let (awaits, is_first) = (history.awaits(), history.steps.is_empty());
        Self {
            rust_name,
            table,
            version,
            oldest,
            type_name,
            type_name_is_given,
            stub,
            is_prior,
            awaits,
            is_first,
            routes,
            behind,
        }
    }

    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    pub(super) const fn awaits(&self) -> bool {
        self.awaits
    }

    pub(super) const fn is_stub(&self) -> bool {
        self.stub
    }

    pub(super) fn history(&self) -> &'static History {
        match self.behind {
            Behind::Model(history) => history(),
            Behind::Shape(shape) => shape.history(),
        }
    }

    fn shape(&self) -> Option<&'static PriorShape> {
        match self.behind {
            Behind::Model(_) => None,
            Behind::Shape(shape) => Some(shape),
        }
    }

    const fn reaches(&self, version: u64) -> bool {
        if self.stub || version == self.version {
            return true;
        }
        let index = version.wrapping_sub(self.oldest) as usize;
        version >= self.oldest && index < self.routes.len() && self.routes[index] != NO_ROUTE
    }
}

/// How an upgrader is written.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum UpgraderKind {
    /// `TryFrom` between two structs.
    Conversion,
    /// A function over the prior model.
    Function,
    /// A function over the stored state.
    Raw,
    /// Operators: their table can be printed and serialized.
    Operators(&'static Operators),
    /// Nothing changes but the version.
    Unchanged,
    /// No longer supported.
    Unsupported,
    /// No release ever stored these versions.
    NeverReleased,
}

impl UpgraderKind {
    /// Its name in the lock: `conversion`, `function`, `raw`, `operators`, `unchanged`, `unsupported`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conversion => "conversion",
            Self::Function => "function",
            Self::Raw => "raw",
            Self::Operators(_) => "operators",
            Self::Unchanged => "unchanged",
            Self::Unsupported => "unsupported",
            Self::NeverReleased => "never released",
        }
    }
}

impl Step {
    pub(super) const fn new(from: u64, via: Option<Via>) -> Self {
        let model = match via {
            Some(via) => via.version,
            None => from,
        };
        Self {
            from,
            through: from,
            model,
            via,
            when: None,
            unsupported: None,
            asynchronous: false,
            is_unpinned: false,
            has_downgrade: false,
            reason: None,
            kind: UpgraderKind::Raw,
        }
    }

    pub(super) const fn through(mut self, last: u64) -> Self {
        self.through = last;
        self
    }

    pub(super) const fn when(mut self, when: When) -> Self {
        self.when = Some(when);
        self
    }

    pub(super) const fn unsupported_but(mut self, instead: &'static str) -> Self {
        self.unsupported = Some(instead);
        self.kind(UpgraderKind::Unsupported)
    }

    pub(super) const fn kind(mut self, kind: UpgraderKind) -> Self {
        self.kind = kind;
        self
    }

    pub(super) const fn asynchronous(mut self) -> Self {
        self.asynchronous = true;
        self
    }

    pub(super) const fn with_pin(mut self, is_pinned: bool) -> Self {
        self.is_unpinned = !is_pinned;
        self
    }

    pub(super) const fn with_downgrade(mut self) -> Self {
        self.has_downgrade = true;
        self
    }

    pub(super) const fn because(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Why its author raised the version although no stored shape changed, or what was corrected after a release (`reason = "…"`).
    pub const fn reason(&self) -> Option<&'static str> {
        self.reason
    }

    /// Whether the author wrote a function for the way back (`downgrade = path`).
    pub const fn has_downgrade(&self) -> bool {
        self.has_downgrade
    }

    /// Whether these versions are described by a later one, and no lock holds them to their released shape: when the later version changes,
    /// so does the shape that they are assumed to have.
    pub fn is_unpinned(&self) -> bool {
        self.is_unpinned || self.via().is_some_and(|prior| prior.is_unpinned)
    }

    /// The first stored version that the upgrader is for.
    pub const fn from(&self) -> u64 {
        self.from
    }

    /// The last stored version that the upgrader is for: the first one, unless it is for a range.
    pub const fn last(&self) -> u64 {
        self.through
    }

    /// The history of the model that describes those versions, if there is a model.
    pub fn via(&self) -> Option<&'static History> {
        self.via.as_ref().map(Via::history)
    }

    /// What is known of that model in const evaluation.
    pub(super) const fn known(&self) -> Option<&Via> {
        self.via.as_ref()
    }

    /// The condition on the states stored at those versions, if the upgrader is not for all of them.
    pub const fn condition(&self) -> Option<When> {
        self.when
    }

    /// How the upgrader is written.
    pub const fn written_as(&self) -> UpgraderKind {
        self.kind
    }

    /// Whether state of these versions is refused: it is no longer supported, or there never was any.
    pub const fn is_refused(&self) -> bool {
        match self.kind {
            UpgraderKind::Unsupported | UpgraderKind::NeverReleased => true,
            UpgraderKind::Conversion
            | UpgraderKind::Function
            | UpgraderKind::Raw
            | UpgraderKind::Operators(_)
            | UpgraderKind::Unchanged => false,
        }
    }

    /// The author's advice, if these versions are no longer supported.
    pub const fn unsupported(&self) -> Option<&'static str> {
        self.unsupported
    }

    /// Whether the upgrader's own function is asynchronous.
    pub const fn is_asynchronous(&self) -> bool {
        self.asynchronous
    }

    /// Whether the upgrader itself, not only its model's upgraders, is for state stored at `version`.
    pub(super) const fn contains(&self, version: u64) -> bool {
        self.from <= version && version <= self.through
    }

    /// The version as the upgrader's model sees it: all versions of a range share the model's shape.
    #[inline]
    pub(super) const fn model_version(&self, version: u64) -> u64 {
        if self.contains(version) { self.model } else { version }
    }

    pub(super) const fn awaits(&self) -> bool {
        self.asynchronous
            || match self.via {
                Some(via) => via.awaits,
                None => false,
            }
    }
}

impl History {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(rust_name: &'static str, version: u64, oldest: u64, table: &'static Table, steps: &'static [Step]) -> Self {
        Self {
            rust_name,
            version,
            oldest,
            table,
            steps,
            since: &[],
            type_name: "",
            type_name_is_given: false,
            stub: false,
            is_prior: false,
            is_unpinned: false,
        }
    }

    /// The release that first stored each version, by version.
    #[doc(hidden)]
    #[must_use]
    pub const fn since(mut self, releases: &'static [(&'static str, u64)]) -> Self {
        self.since = releases;
        self
    }

    /// The type that the model is of, and whether its author wrote that.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_type(mut self, type_name: &'static str, is_given: bool) -> Self {
        self.type_name = type_name;
        self.type_name_is_given = is_given;
        self
    }

    /// This model, reached from earlier versions.
    pub(super) const fn reached(mut self, oldest: u64, steps: &'static [Step]) -> Self {
        self.oldest = oldest;
        self.steps = steps;
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn stub() -> Self {
        Self { stub: true, ..Self::new("", 0, 0, &NOTHING, &[]) }
    }

    pub(super) const fn is_stub(&self) -> bool {
        self.stub
    }

    /// Marks the model as a prior one.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_prior(mut self) -> Self {
        self.is_prior = true;
        self
    }

    /// The history of a difference that `upstate.lock` holds, or does not hold.
    pub(super) const fn with_pin(mut self, is_pinned: bool) -> Self {
        self.is_unpinned = !is_pinned;
        self
    }

    /// Whether the model is only a shape that other models are upgraded from (`#[resource(…, prior)]`): no upgrader has to lead to it.
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

    /// All operators of one of its upgraders, those of nested objects too; `None` if the upgrader is not declarative.
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
        match (step.written_as(), step.via()) {
            (UpgraderKind::Operators(operators), Some(via)) => Some(WholeUpgrader::new(operators, via.schema(), self.schema())),
            _ => None,
        }
    }

    /// Whether one of its steps keeps all that it meets, up and back.
    pub fn verdicts(&self, step: &Step) -> Verdicts {
        let mut found = Verdicts::default();
        let (up, down) = (&mut found.up, &mut found.down);
        match (step.written_as(), step.via()) {
            (UpgraderKind::Operators(operators), Some(via)) => {
                return verdicts(operators, via.schema().block().members(), self.schema().block().members());
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
            (UpgraderKind::Conversion | UpgraderKind::Function | UpgraderKind::Raw | UpgraderKind::Operators(_), _) => {
                up.note(Weight::Lost, "", "what the author's function does not keep");
                if step.has_downgrade {
                    down.note(Weight::Lost, "", "what the author's functions do not keep");
                } else {
                    down.note(Weight::Impossible, "", "a function makes the state, and there is no `downgrade`");
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
    pub(super) const fn table(&self) -> &'static Table {
        self.table
    }

    /// The release that first stored each version, by version; empty if the author did not say.
    pub const fn releases(&self) -> &'static [(&'static str, u64)] {
        self.since
    }

    fn prior(&self) -> impl Iterator<Item = &'static History> {
        self.steps.iter().filter_map(Step::via)
    }

    /// The prior version `version` on a way to this one, if it is a difference: no struct describes it.
    pub(super) fn shape(&self, version: u64) -> Option<&'static PriorShape> {
        self.steps.iter().filter_map(|step| step.via.as_ref()).find_map(|via| match via.shape() {
            Some(shape) if via.version == version => Some(shape),
            _ => via.history().shape(version),
        })
    }

    /// Whether the schema of this model, or of one that it is reached from, has a sensitive attribute.
    pub(super) fn has_sensitive(&self) -> bool {
        self.schema().has_sensitive() || self.prior().any(History::has_sensitive)
    }

    /// Whether the attribute `name` of this model, or of one that it is reached from, is sensitive.
    pub(super) fn hides(&self, name: &str) -> bool {
        self.schema().block().members().hides_below(name) || self.prior().any(|prior| prior.hides(name))
    }

    /// Whether an upgrader to this model, or to one that it is reached from, is asynchronous.
    pub const fn awaits(&self) -> bool {
        let mut index = 0;
        while index < self.steps.len() {
            if self.steps[index].awaits() {
                return true;
            }
            index += 1;
        }
        false
    }

    /// Whether an upgrader to this model is a function or a conversion.
    pub(super) const fn has_functions(&self) -> bool {
        let mut index = 0;
        while index < self.steps.len() {
            match self.steps[index].kind {
                UpgraderKind::Conversion | UpgraderKind::Function | UpgraderKind::Raw | UpgraderKind::Unchanged => return true,
                UpgraderKind::Operators(_) | UpgraderKind::Unsupported | UpgraderKind::NeverReleased => {}
            }
            index += 1;
        }
        false
    }

    /// The upgraders, by the version they are for.
    pub const fn steps(&self) -> &'static [Step] {
        self.steps
    }

    /// Whether state stored at `version` is of this model's version or has a route to it.
    pub const fn reaches(&self, version: u64) -> bool {
        self.stub || version == self.version || self.route(version).is_some()
    }

    /// The index of the upgrader that state stored at `version` takes: the first upgrader for that version, or else the one with the lowest
    /// version above it whose own history reaches it.
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
            if let Some(via) = step.via
                && step.from > version
                && lower
                && via.reaches(version)
                && !self.has_twin(index, version)
            {
                best = Some(index);
            }
            index += 1;
        }
        best
    }

    /// Whether several shapes of one version reach an earlier one. A condition looks at what is stored, and state of that version is
    /// stored in another shape: nothing says which of them it leads to.
    const fn has_twin(&self, upgrader: usize, version: u64) -> bool {
        if self.steps[upgrader].when.is_none() {
            return false;
        }
        let mut index = 0;
        while index < self.steps.len() {
            if let Some(via) = self.steps[index].via
                && index != upgrader
                && self.steps[index].from == self.steps[upgrader].from
                && via.reaches(version)
            {
                return true;
            }
            index += 1;
        }
        false
    }
}

/// What a model that did not compile stores.
static NOTHING: Table = {
    static SCHEMA: LazySchema = LazySchema::new();
    Table::stub(&SCHEMA)
};

/// The steps of `upgraders`.
#[doc(hidden)]
#[must_use]
pub const fn steps<T, const N: usize>(upgraders: &'static [Upgrader<T>]) -> [Step; N] {
    let mut steps = [Step::new(0, None); N];
    let mut index = 0;
    while index < N && index < upgraders.len() {
        steps[index] = *upgraders[index].step();
        index += 1;
    }
    steps
}

/// What [`routes`] puts where no upgrader leads.
const NO_ROUTE: u16 = u16::MAX;
/// What [`routes`] adds where the state itself decides between several upgraders.
const CONDITIONAL: u16 = 1 << 15;

/// For each version from the oldest supported one, the index of the upgrader to take.
#[doc(hidden)]
#[must_use]
pub const fn routes<const N: usize>(history: &'static History) -> [u16; N] {
    let mut routes = [NO_ROUTE; N];
    let mut index = 0;
    while index < N {
        let version = history.oldest + index as u64;
        if let Some(upgrader) = history.route(version) {
            let step = &history.steps[upgrader];
            let conditional = step.when.is_some() && step.contains(version);
            routes[index] = upgrader as u16 | if conditional { CONDITIONAL } else { 0 };
        }
        index += 1;
    }
    routes
}

/// Where state of one version goes.
#[derive(Clone, Copy)]
pub(super) enum Route {
    /// No upgrader leads up.
    None,
    /// Along the upgrader of this index.
    Upgrader(usize),
    /// Along one of several upgraders for this version.
    Conditional,
}

/// Where state stored at `version` goes.
#[inline]
pub(super) fn routed(routes: &[u16], oldest: u64, version: u64) -> Route {
    let index = version.checked_sub(oldest).and_then(|index| usize::try_from(index).ok());
    match index.and_then(|index| routes.get(index)) {
        None | Some(&NO_ROUTE) => Route::None,
        Some(upgrader) if upgrader & CONDITIONAL == 0 => Route::Upgrader(usize::from(*upgrader)),
        Some(_) => Route::Conditional,
    }
}

/// Whether state stored at `version` has an upgrader to take.
#[inline]
pub(super) fn is_routed(routes: &[u16], oldest: u64, version: u64) -> bool {
    !matches!(routed(routes, oldest, version), Route::None)
}
