//! The steps of an acceptance test.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use super::check::{self, Check, Found, PlanCheck, PlannedAction, Reported};
use super::config::Config;
use super::known::{Comparison, Known};
use super::workspace::{Expected, Ran, Workspace};
use super::{Failure, Serve, serving};
use crate::provider::Provider;

/// One step of a test.
pub struct Step {
    kind: Kind,
    before: Option<Before>,
    variables: BTreeMap<String, Value>,
    plans: Vec<PlanCheck>,
    checks: Vec<Check>,
    found: Vec<Found>,
    warnings: Vec<String>,
    reports: Vec<Reported>,
    tainted: Vec<String>,
    ignored: Vec<String>,
    changes_remain: bool,
    pub(super) serve: Option<Serve>,
    pub(super) released: bool,
}

/// A function that runs before a step.
type Before = Box<dyn Fn() -> Result<(), String>>;

/// Finds the id of an import in a state.
type FindId = Box<dyn Fn(&Value) -> Result<String, String>>;

enum Kind {
    Apply(Config),
    PlanOnly(Config),
    Refused(Config, Expected),
    Failing(Config, Expected),
    Refresh,
    ImportKept {
        config: Config,
        address: String,
        id: String,
    },
    Query(String),
    Import {
        address: String,
        by: ImportBy,
    },
    Destroy,
}

/// The way in which a step imports.
enum ImportBy {
    /// `terraform import`.
    Command(FindId),
    /// An `import` block with an id.
    Block(FindId),
    /// An `import` block with an identity.
    Identity(Value),
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Self::Apply(_) => "apply",
            Self::PlanOnly(_) => "plan only",
            Self::Refused(..) => "refused",
            Self::Failing(..) => "failing",
            Self::Refresh => "refresh",
            Self::Import { .. } => "import",
            Self::ImportKept { .. } => "import kept",
            Self::Query(_) => "query",
            Self::Destroy => "destroy",
        }
    }
}

impl Step {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            before: None,
            variables: BTreeMap::new(),
            plans: Vec::new(),
            checks: Vec::new(),
            found: Vec::new(),
            warnings: Vec::new(),
            reports: Vec::new(),
            tainted: Vec::new(),
            ignored: Vec::new(),
            changes_remain: false,
            serve: None,
            released: false,
        }
    }

    fn importing(address: impl Into<String>, by: ImportBy) -> Self {
        Self::new(Kind::Import {
            address: address.into(),
            by,
        })
    }

    fn planning(mut self, check: PlanCheck) -> Self {
        self.plans.push(check);
        self
    }

    fn checking(mut self, check: Check) -> Self {
        self.checks.push(check);
        self
    }

    fn finding(mut self, found: Found) -> Self {
        self.found.push(found);
        self
    }

    fn reporting(mut self, reported: Reported) -> Self {
        self.reports.push(reported);
        self
    }

    /// Applies a configuration. A plan made right after it has to be empty.
    pub fn apply(config: impl Into<Config>) -> Self {
        Self::new(Kind::Apply(config.into()))
    }

    /// Plans a configuration, and applies nothing. The plan has to be empty, unless
    /// [`changes_remain`](Self::changes_remain) says that it is not.
    pub fn plan_only(config: impl Into<Config>) -> Self {
        Self::new(Kind::PlanOnly(config.into()))
    }

    /// Plans a configuration that is refused with an error which holds this text, whatever lines
    /// Terraform breaks it into.
    pub fn refused(config: impl Into<Config>, text: impl Into<String>) -> Self {
        Self::new(Kind::Refused(config.into(), Expected::Text(text.into())))
    }

    /// Plans a configuration that is refused with an error in whose words, with one space between
    /// them, a regular expression finds something.
    ///
    /// # Panics
    /// `pattern` is not a regular expression, as the crate `regex-lite` reads it.
    #[track_caller]
    pub fn refused_matching(config: impl Into<Config>, pattern: &str) -> Self {
        Self::new(Kind::Refused(config.into(), Expected::matching(pattern)))
    }

    /// Applies a configuration, which fails with an error that holds this text: after it was
    /// planned, or while it is. What was made is in the state.
    pub fn failing(config: impl Into<Config>, text: impl Into<String>) -> Self {
        Self::new(Kind::Failing(config.into(), Expected::Text(text.into())))
    }

    /// Refreshes the state alone. A plan made right after it has to be empty.
    pub fn refresh() -> Self {
        Self::new(Kind::Refresh)
    }

    /// Imports a resource of the last configuration by its id into an empty state, where it has to
    /// have the attributes that it has in the state of the test.
    pub fn import(address: impl Into<String>, id: impl Into<String>) -> Self {
        let id = id.into();
        Self::import_found(address, move |_| Ok(id.clone()))
    }

    /// Imports a resource as [`import`](Self::import) does, by the id that a function finds in the
    /// state of the test, which it gets as `terraform show -json` has it.
    pub fn import_found(
        address: impl Into<String>,
        id: impl Fn(&Value) -> Result<String, String> + 'static,
    ) -> Self {
        Self::importing(address, ImportBy::Command(Box::new(id)))
    }

    /// Plans an `import` block with an id beside the last configuration, in an empty state. Besides
    /// the import, nothing of the resource may change, and it has to have the attributes that it
    /// has in the state of the test. It takes Terraform 1.5 or later.
    pub fn import_block(address: impl Into<String>, id: impl Into<String>) -> Self {
        let id = id.into();
        let find = move |_: &Value| Ok(id.clone());
        Self::importing(address, ImportBy::Block(Box::new(find)))
    }

    /// Plans an `import` block with an identity, as [`import_block`](Self::import_block) does with
    /// an id. It takes Terraform 1.12 or later.
    pub fn import_identity(address: impl Into<String>, identity: impl Into<Value>) -> Self {
        Self::importing(address, ImportBy::Identity(identity.into()))
    }

    /// Imports a resource of a configuration by its id into the state of the test, in place of what
    /// that has at the address, and keeps it. A plan made right after it has to be empty.
    pub fn import_kept(
        config: impl Into<Config>,
        address: impl Into<String>,
        id: impl Into<String>,
    ) -> Self {
        Self::new(Kind::ImportKept {
            config: config.into(),
            address: address.into(),
            id: id.into(),
        })
    }

    /// Looks for what is there, `terraform query`, with the providers of the last configuration and
    /// these `list` blocks, the text of a `.tfquery.hcl`. It takes Terraform 1.14 or later.
    ///
    /// ```
    /// use serde_json::json;
    /// use upstate_provider::testing::{Known, Step};
    ///
    /// let all = "list \"example_boat\" \"all\" {\n  provider = example\n  include_resource = true\n}\n";
    /// let step = Step::query(all)
    ///     .lists("list.example_boat.all", 2)
    ///     .finds("list.example_boat.all", Known::with(json!({"display_name": "Ada", "identity": {"id": "boat-1"}})))
    ///     .finds("list.example_boat.all", Known::with(json!({"resource_object": {"sails": 3}})));
    /// # let _ = step;
    /// ```
    pub fn query(lists: impl Into<String>) -> Self {
        Self::new(Kind::Query(lists.into()))
    }

    /// Destroys everything.
    pub fn destroy() -> Self {
        Self::new(Kind::Destroy)
    }

    /// Runs a function before the step: one that changes what is there behind Terraform's back.
    #[must_use]
    pub fn before(mut self, run: impl Fn() -> Result<(), String> + 'static) -> Self {
        self.before = Some(Box::new(run));
        self
    }

    /// Marks a resource of the state as tainted before the step, so that the plan replaces it.
    #[must_use]
    pub fn tainted(mut self, address: impl Into<String>) -> Self {
        self.tainted.push(address.into());
        self
    }

    /// Sets a variable of the configuration, in this step and until a later step sets variables.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Uses another provider of the same address in this step: an earlier release, or one that
    /// behaves differently.
    #[must_use]
    pub fn with<C: Clone + Send + Sync + 'static>(
        mut self,
        provider: impl Fn() -> Provider<C> + 'static,
    ) -> Self {
        self.serve = Some(serving(provider));
        self
    }

    /// Uses the program that [`external`](super::Acceptance::external) names for the provider's
    /// address in this step: an earlier release, whose state the next step goes on with.
    #[must_use]
    pub fn released(mut self) -> Self {
        self.released = true;
        self
    }

    /// Expects that the plan does this with a resource.
    #[must_use]
    pub fn plans(self, address: impl Into<String>, action: PlannedAction) -> Self {
        self.planning(PlanCheck::Action(address.into(), action))
    }

    /// Expects that the plan changes nothing.
    #[must_use]
    pub fn plans_nothing(self) -> Self {
        self.planning(PlanCheck::Nothing)
    }

    /// Expects that the plan of a resource has this value for an attribute.
    #[must_use]
    pub fn plans_value(
        self,
        address: impl Into<String>,
        attribute: impl Into<String>,
        value: impl Into<Known>,
    ) -> Self {
        self.planning(PlanCheck::Value(
            address.into(),
            attribute.into(),
            value.into(),
        ))
    }

    /// Expects that an attribute is known only after the plan is applied, all of it.
    #[must_use]
    pub fn plans_unknown(self, address: impl Into<String>, attribute: impl Into<String>) -> Self {
        self.planning(PlanCheck::Unknown(address.into(), attribute.into()))
    }

    /// Expects that an attribute is sensitive in the plan, all of it.
    #[must_use]
    pub fn plans_sensitive(self, address: impl Into<String>, attribute: impl Into<String>) -> Self {
        self.planning(PlanCheck::Sensitive(address.into(), attribute.into()))
    }

    /// Expects that an output is known only after the plan is applied, or what names and indexes in
    /// it lead to: `rules.0.port`.
    #[must_use]
    pub fn plans_unknown_output(self, name: impl Into<String>) -> Self {
        self.planning(PlanCheck::UnknownOutput(name.into()))
    }

    /// Expects that the plan has this value for an output, or for what names and indexes in it lead
    /// to: `rules.0.port`.
    #[must_use]
    pub fn plans_output(self, name: impl Into<String>, value: impl Into<Known>) -> Self {
        self.planning(PlanCheck::Output(name.into(), value.into()))
    }

    /// Expects that an attribute has this value after the step. Names and indexes lead to it, with
    /// dots between them: `rules.0.name`. The last of them may be a key with dots in it.
    #[must_use]
    pub fn has(
        self,
        address: impl Into<String>,
        attribute: impl Into<String>,
        value: impl Into<Known>,
    ) -> Self {
        self.checking(Check::Value(address.into(), attribute.into(), value.into()))
    }

    /// Expects that an attribute is set after the step.
    #[must_use]
    pub fn has_some(self, address: impl Into<String>, attribute: impl Into<String>) -> Self {
        self.checking(Check::Set(address.into(), attribute.into()))
    }

    /// Expects that an attribute is sensitive in the state after the step, all of it.
    #[must_use]
    pub fn hides(self, address: impl Into<String>, attribute: impl Into<String>) -> Self {
        self.checking(Check::Sensitive(address.into(), attribute.into()))
    }

    /// Compares the value of an attribute after the step with the one in the last step that named
    /// this comparison.
    #[must_use]
    pub fn compares(
        self,
        address: impl Into<String>,
        attribute: impl Into<String>,
        with: &Comparison,
    ) -> Self {
        self.checking(Check::Compared(
            address.into(),
            attribute.into(),
            with.clone(),
        ))
    }

    /// Expects that one of the values at a path, in which `*` is each element of a list, set or
    /// map, is the value of an attribute of another resource after the step:
    /// `has_among("example_boat.it", "crew.*.id", "example_person.ada", "id")`.
    #[must_use]
    pub fn has_among(
        self,
        address: impl Into<String>,
        path: impl Into<String>,
        other: impl Into<String>,
        attribute: impl Into<String>,
    ) -> Self {
        let (address, path) = (address.into(), path.into());
        self.checking(Check::Among {
            address,
            path,
            other: other.into(),
            attribute: attribute.into(),
        })
    }

    /// Expects that a resource is not in the state after the step.
    #[must_use]
    pub fn lacks(self, address: impl Into<String>) -> Self {
        self.checking(Check::Absent(address.into()))
    }

    /// Expects that a resource has this identity after the step: all of it, `json!({…})`, or some
    /// of its members, [`Known::with`]. It takes Terraform 1.12 or later.
    #[must_use]
    pub fn identifies(self, address: impl Into<String>, identity: impl Into<Known>) -> Self {
        self.checking(Check::Identity(address.into(), identity.into()))
    }

    /// Expects that the identity of a resource has the value of this attribute, by its name or
    /// path, that the resource itself has. It takes Terraform 1.12 or later.
    #[must_use]
    pub fn identified_by(self, address: impl Into<String>, attribute: impl Into<String>) -> Self {
        self.checking(Check::IdentifiedBy(address.into(), attribute.into()))
    }

    /// Expects that an output has this value after the step, or what names and indexes in it lead
    /// to: `rules.0.port`.
    #[must_use]
    pub fn outputs(self, name: impl Into<String>, value: impl Into<Known>) -> Self {
        self.checking(Check::Output(name.into(), value.into()))
    }

    /// Expects that this holds after the step. It gets the state as `terraform show -json` has it.
    #[must_use]
    pub fn holds(self, check: impl Fn(&Value) -> Result<(), String> + 'static) -> Self {
        self.checking(Check::Function(Box::new(check)))
    }

    /// Expects that a list of a [`query`](Self::query) finds this many.
    #[must_use]
    pub fn lists(self, list: impl Into<String>, count: usize) -> Self {
        self.finding(Found::Many(list.into(), count))
    }

    /// Expects that a list of a [`query`](Self::query) finds at least this many.
    #[must_use]
    pub fn lists_at_least(self, list: impl Into<String>, count: usize) -> Self {
        self.finding(Found::AtLeast(list.into(), count))
    }

    /// Expects that a list of a [`query`](Self::query) finds something like this: an object of
    /// `display_name`, `identity`, `resource_type`, and `resource_object` where the list says
    /// `include_resource`.
    #[must_use]
    pub fn finds(self, list: impl Into<String>, known: impl Into<Known>) -> Self {
        self.finding(Found::Fitting(list.into(), known.into()))
    }

    /// Expects that a list of a [`query`](Self::query) finds nothing like this, which is as in
    /// [`finds`](Self::finds).
    #[must_use]
    pub fn finds_none(self, list: impl Into<String>, known: impl Into<Known>) -> Self {
        self.finding(Found::NoneFitting(list.into(), known.into()))
    }

    /// Expects that the plan warns with this text, whatever lines Terraform breaks it into.
    #[must_use]
    pub fn warns(mut self, text: impl Into<String>) -> Self {
        self.warnings.push(text.into());
        self
    }

    /// Expects that an action which the step invokes reports these strings, in this order, among
    /// others. It takes Terraform 1.14 or later.
    ///
    /// ```
    /// use upstate_provider::testing::Step;
    ///
    /// let config = "action \"example_horn\" \"it\" {}\n\nresource \"example_boat\" \"it\" {\n  lifecycle {\n    action_trigger {\n      \
    ///     events  = [after_create]\n      actions = [action.example_horn.it]\n    }\n  }\n}\n";
    /// let step = Step::apply(config).reports("action.example_horn.it", ["sounded once", "done"]).report_count("action.example_horn.it", 4);
    /// # let _ = step;
    /// ```
    #[must_use]
    pub fn reports<T: Into<String>>(
        self,
        action: impl Into<String>,
        texts: impl IntoIterator<Item = T>,
    ) -> Self {
        self.reporting(Reported::Texts(
            action.into(),
            texts.into_iter().map(Into::into).collect(),
        ))
    }

    /// Expects that an action which the step invokes reports so often: never, if it is not invoked.
    /// It takes Terraform 1.14 or later.
    #[must_use]
    pub fn report_count(self, action: impl Into<String>, count: usize) -> Self {
        self.reporting(Reported::Many(action.into(), count))
    }

    /// Expects that another plan after the step is not empty; or the plan itself, of one that plans
    /// only.
    #[must_use]
    pub fn changes_remain(mut self) -> Self {
        self.changes_remain = true;
        self
    }

    /// Lets these attributes differ after the import: those that cannot be read back.
    #[must_use]
    pub fn ignoring<A: Into<String>>(mut self, attributes: impl IntoIterator<Item = A>) -> Self {
        self.ignored.extend(attributes.into_iter().map(Into::into));
        self
    }

    /// Refuses checks that the step has nothing to look at for: they would pass.
    fn refuse_unused(&self) -> Result<(), Failure> {
        let (checked, planned, imported) = match &self.kind {
            Kind::Apply(_) | Kind::PlanOnly(_) => (true, true, false),
            Kind::Import { by, .. } => match by {
                ImportBy::Command(_) => (false, false, true),
                ImportBy::Block(_) | ImportBy::Identity(_) => (true, true, true),
            },
            Kind::Refresh | Kind::ImportKept { .. } => (false, true, false),
            Kind::Refused(..) | Kind::Failing(..) | Kind::Query(_) | Kind::Destroy => {
                (false, false, false)
            }
        };
        let warned = checked || matches!(self.kind, Kind::Refused(..) | Kind::Refresh);
        let queried = matches!(self.kind, Kind::Query(_));
        let invoked = matches!(self.kind, Kind::Apply(_));
        let rules = [
            (
                !self.found.is_empty() && !queried,
                "`lists` and `finds` look at what a `Step::query` finds, and this step is another",
            ),
            (
                !self.reports.is_empty() && !invoked,
                "`reports` and `report_count` look at what a `Step::apply` invokes, and this step is another",
            ),
            (
                !self.plans.is_empty() && !checked,
                "`plans` and the like look at the plan of a `Step::apply`, `plan_only`, `import_block` or `import_identity`, and this step is another",
            ),
            (
                !self.warnings.is_empty() && !warned,
                "`warns` looks at the plan of a `Step::apply`, `plan_only`, `refused`, `import_block` or `import_identity`, or at a `refresh`, and this step is another",
            ),
            (
                self.changes_remain && !planned,
                "`changes_remain` is about a plan that has to be empty otherwise, and this step makes none",
            ),
            (
                !self.ignored.is_empty() && !imported,
                "`ignoring` is about the attributes that a `Step::import` compares, and this step is another",
            ),
        ];
        match rules.into_iter().find(|(is_unused, _)| *is_unused) {
            Some((_, problem)) => Err(Failure(problem.to_owned())),
            None => Ok(()),
        }
    }

    pub(super) fn take(&self, workspace: &Workspace, reattach: &str) -> Result<(), Failure> {
        self.refuse_unused()?;
        if let Some(before) = &self.before {
            before().map_err(Failure)?;
        }
        if !self.variables.is_empty() {
            workspace.set_variables(&self.variables)?;
        }
        for address in &self.tainted {
            workspace.run(reattach, &["taint", address])?.succeeded()?;
        }
        match &self.kind {
            Kind::Apply(config) => {
                workspace.set_config(config.files()?)?;
                self.planned(workspace, reattach)?;
                if self.reports.is_empty() {
                    workspace
                        .run(
                            reattach,
                            &["apply", "-no-color", "-input=false", "plan.bin"],
                        )?
                        .succeeded()?;
                } else {
                    let events = workspace
                        .events(reattach, &["apply", "-json", "-input=false", "plan.bin"])?;
                    self.reports
                        .iter()
                        .try_for_each(|check| check.look(&events))?;
                }
                self.is_empty_after("the apply", workspace, reattach)?;
            }
            Kind::PlanOnly(config) => {
                let before = workspace.set_config(config.files()?)?;
                let planned = self.planned(workspace, reattach);
                workspace.set_config(before)?;
                self.judge("the plan", &planned?)?;
            }
            Kind::Refused(config, expected) => {
                let before = workspace.set_config(config.files()?)?;
                let planned = workspace.run(reattach, &["plan", "-no-color", "-input=false"]);
                // The next step, and the end, begin with what was there before.
                workspace.set_config(before)?;
                let planned = planned?;
                planned.failed_with(expected)?;
                self.warnings
                    .iter()
                    .try_for_each(|text| planned.warned(text))?;
            }
            Kind::Failing(config, expected) => {
                workspace.set_config(config.files()?)?;
                workspace
                    .run(
                        reattach,
                        &["apply", "-no-color", "-input=false", "-auto-approve"],
                    )?
                    .failed_with(expected)?;
            }
            Kind::Refresh => {
                let refreshed = workspace.run(
                    reattach,
                    &[
                        "apply",
                        "-refresh-only",
                        "-no-color",
                        "-input=false",
                        "-auto-approve",
                    ],
                )?;
                self.warned(&refreshed.succeeded()?)?;
                self.is_empty_after("the refresh", workspace, reattach)?;
            }
            Kind::Import { address, by } => {
                self.import_into(address, by, workspace, reattach)?;
            }
            Kind::ImportKept {
                config,
                address,
                id,
            } => {
                workspace.set_config(config.files()?)?;
                if check::resource(&workspace.state(reattach)?, address).is_ok() {
                    workspace
                        .run(reattach, &["state", "rm", address])?
                        .succeeded()?;
                }
                workspace
                    .run(
                        reattach,
                        &["import", "-no-color", "-input=false", address, id],
                    )?
                    .succeeded()?;
                self.is_empty_after("the import", workspace, reattach)?;
            }
            Kind::Query(lists) => {
                let found = workspace.query(reattach, lists)?;
                self.found.iter().try_for_each(|check| check.look(&found))?;
            }
            Kind::Destroy => {
                workspace
                    .run(
                        reattach,
                        &["destroy", "-no-color", "-input=false", "-auto-approve"],
                    )?
                    .succeeded()?;
            }
        }
        let state = workspace.state(reattach)?;
        self.checks.iter().try_for_each(|check| check.look(&state))
    }

    /// The plan, which has passed its checks.
    fn planned(&self, workspace: &Workspace, reattach: &str) -> Result<Value, Failure> {
        let (printed, plan) = workspace.planned(reattach)?;
        self.warned(&printed)?;
        self.plans.iter().try_for_each(|check| check.look(&plan))?;
        Ok(plan)
    }

    fn warned(&self, printed: &Ran) -> Result<(), Failure> {
        self.warnings
            .iter()
            .try_for_each(|text| printed.warned(text))
    }

    fn is_empty_after(
        &self,
        what: &str,
        workspace: &Workspace,
        reattach: &str,
    ) -> Result<(), Failure> {
        let (_, after) = workspace.planned(reattach)?;
        self.judge(&format!("a plan right after {what}"), &after)
    }

    fn judge(&self, what: &str, plan: &Value) -> Result<(), Failure> {
        let changed = check::changed(plan);
        if changed.is_empty() && self.changes_remain {
            return Err(Failure(format!(
                "{what} is empty, and `changes_remain()` says that it is not"
            )));
        }
        if !changed.is_empty() && !self.changes_remain {
            let changed = changed.join(", ");
            return Err(Failure(format!(
                "{what} is not empty: it changes {changed}. If that is meant, say `changes_remain()`"
            )));
        }
        Ok(())
    }

    fn import_into(
        &self,
        address: &str,
        by: &ImportBy,
        workspace: &Workspace,
        reattach: &str,
    ) -> Result<(), Failure> {
        let before = workspace.state(reattach)?;
        let beside = workspace.beside()?;
        let subject = match by {
            ImportBy::Command(id) => {
                let id = id(&before).map_err(Failure)?;
                beside
                    .run(
                        reattach,
                        &["import", "-no-color", "-input=false", address, &id],
                    )?
                    .succeeded()?;
                return check::same(address, &before, &beside.state(reattach)?, &self.ignored);
            }
            ImportBy::Block(id) => format!("id = {}", json!(id(&before).map_err(Failure)?)),
            ImportBy::Identity(identity) => format!("identity = {identity}"),
        };
        beside.write(
            "import.tf",
            &format!("import {{\n  to = {address}\n  {subject}\n}}\n"),
        )?;
        let plan = self.planned(&beside, reattach)?;
        let imports = check::change_of(&plan, address)?;
        if check::get(imports, &["change", "importing"]).is_null() {
            return Err(Failure(format!("the plan does not import {address}")));
        }
        check::same(
            address,
            &before,
            check::get(&plan, &["prior_state"]),
            &self.ignored,
        )?;
        if self.changes_remain || !self.ignored.is_empty() {
            return Ok(());
        }
        PlannedAction::Nothing.check(&plan, address)
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("kind", &self.kind.name())
            .field("checks", &self.checks.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(step: &Step) -> String {
        step.refuse_unused()
            .map_or_else(|failure| failure.0, |()| "taken".to_owned())
    }

    #[test]
    fn a_check_that_nothing_would_look_at_is_refused() {
        let plans = |step: Step| refused(&step.plans_nothing());
        let warns = |step: Step| refused(&step.warns("x"));
        let remains = |step: Step| refused(&step.changes_remain());
        let ignores = |step: Step| refused(&step.ignoring(["x"]));
        let block = || Step::import_block("a_b.it", "1");
        for taken in [
            plans(Step::apply("")),
            plans(Step::plan_only("")),
            plans(block()),
            warns(Step::refresh()),
            warns(Step::refused("", "x")),
            remains(Step::refresh()),
            remains(Step::import_kept("", "a_b.it", "1")),
            remains(block()),
            ignores(Step::import("a_b.it", "1")),
            ignores(block()),
        ] {
            assert_eq!(taken, "taken");
        }
        for step in [
            Step::refresh(),
            Step::failing("", "x"),
            Step::refused("", "x"),
            Step::import("a_b.it", "1"),
            Step::import_kept("", "a_b.it", "1"),
            Step::query(""),
            Step::destroy(),
        ] {
            assert_eq!(
                plans(step),
                "`plans` and the like look at the plan of a `Step::apply`, `plan_only`, `import_block` or `import_identity`, and this step is another"
            );
        }
        assert_eq!(
            warns(Step::failing("", "x")),
            "`warns` looks at the plan of a `Step::apply`, `plan_only`, `refused`, `import_block` or `import_identity`, or at a `refresh`, and this step is another"
        );
        assert_eq!(
            remains(Step::import("a_b.it", "1")),
            "`changes_remain` is about a plan that has to be empty otherwise, and this step makes none"
        );
        assert_eq!(
            ignores(Step::apply("")),
            "`ignoring` is about the attributes that a `Step::import` compares, and this step is another"
        );
    }
}
