//! `compare`: this provider and the one beside it, on recorded states and configurations.
//!
//! Both run as programs, as Terraform starts them, and get the same requests: a stored state to
//! upgrade, a configuration to validate, and a change to plan. Nothing is applied or read, so that
//! neither needs what the states are about.

mod cases;
mod difference;

use std::fmt::Write as _;
use std::process::ExitCode;

use bytes::Bytes;
use prost::Message;
use tonic::Status;
use upstate::codec::{Encoding, UnknownAttributes};
use upstate::schema::Type;
use upstate::{AttributePath, Value};

use self::cases::{Case, Cases};
use self::difference::{Difference, Sensitive, differences};
use crate::beside::{Beside, Companion, Kind, Served};
use crate::plan::{self, Members};
use crate::proto::{
    self, ClientCapabilities, ConfigureProviderRequest, ConfigureProviderResponse, DynamicValue,
    PlanResourceChangeRequest, PlanResourceChangeResponse, RawState, UpgradeResourceStateRequest,
    UpgradeResourceStateResponse, ValidateResourceConfigRequest, ValidateResourceConfigResponse,
};
use crate::provider::Parts;
use crate::wire::diagnostics::path_from_wire;
use crate::wire::value::{from_wire, to_wire};

pub(crate) const USAGE: &str = "`compare PATH…` runs this provider and the one beside it on states (*.tfstate) and configurations (*.tf.json), files or \
     folders of them, and shows where they differ: exit status 1 if they do, 2 if they can't be compared";

/// The exit status if there is nothing to compare.
const UNABLE: u8 = 2;

impl Parts {
    /// The report, and the exit status.
    pub(crate) fn compare(&self, paths: &[String]) -> (String, ExitCode) {
        match self.compared(paths) {
            Ok((report, true)) => (report, ExitCode::SUCCESS),
            Ok((report, false)) => (report, ExitCode::FAILURE),
            Err(problem) => (problem, ExitCode::from(UNABLE)),
        }
    }

    /// The report, and true if nothing differs.
    fn compared(&self, paths: &[String]) -> Result<(String, bool), String> {
        let Some(beside) = &self.beside else {
            return Err(
                "no other provider is beside this one: `Provider::beside` names its program"
                    .to_owned(),
            );
        };
        if paths.is_empty() {
            return Err(format!("nothing to compare is named: {USAGE}"));
        }
        let name = self.address.rsplit('/').next().unwrap_or_default();
        let cases = Cases::read(paths, name)?;
        let own = std::env::current_exe()
            .map_err(|error| format!("the provider can't find its own program: {error}"))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime =
            runtime.map_err(|error| format!("the provider can't start its threads: {error}"))?;
        runtime.block_on(async {
            let own = Side::start(&Beside::new(own), &cases).await?;
            let other = match Side::start(beside, &cases).await {
                Ok(other) => other,
                Err(problem) => {
                    own.program.end().await;
                    return Err(problem);
                }
            };
            let report = Comparison {
                parts: self,
                own: &own,
                other: &other,
            }
            .report(&cases)
            .await;
            own.program.end().await;
            other.program.end().await;
            report
        })
    }
}

/// One of the two providers.
struct Side {
    program: Companion,
    name: String,
}

/// The response to a request: a value, or none if there are errors; and the diagnostics.
struct Outcome {
    value: Option<Value>,
    /// The attributes that require a replacement.
    replaced_by: Vec<AttributePath>,
    diagnostics: Vec<proto::Diagnostic>,
}

impl Side {
    /// Starts the program, and configures it as a configuration among the cases says.
    async fn start(beside: &Beside, cases: &Cases) -> Result<Self, String> {
        let program = Companion::start(beside, 6)
            .await
            .map_err(|problems| problems.to_string())?;
        let name = program
            .program()
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let side = Self { program, name };
        match side.configure(cases).await {
            Ok(()) => Ok(side),
            Err(problem) => {
                side.program.end().await;
                Err(problem)
            }
        }
    }

    async fn configure(&self, cases: &Cases) -> Result<(), String> {
        let provider = self.program.provider();
        // Undefined ones are left out, because each declares attributes of its own, and users write
        // those of both.
        let config =
            value_of(&cases.provider, provider, UnknownAttributes::Ignore).map_err(|problem| {
                format!(
                    "the configuration of the provider does not fit {}: {problem}",
                    self.name
                )
            })?;
        let config = Some(sent(&config, &provider.ty)?);
        self.program.hide_config(config.as_ref());
        let request = ConfigureProviderRequest {
            terraform_version: "1.15.0".to_owned(),
            config,
            client_capabilities: Some(ClientCapabilities {
                deferral_allowed: false,
                write_only_attributes_allowed: true,
            }),
        };
        let response: ConfigureProviderResponse = self
            .program
            .call("ConfigureProvider", &request)
            .await
            .map_err(|status| self.failed(&status))?;
        match response
            .diagnostics
            .iter()
            .find(|diagnostic| diagnostic.severity == 1)
        {
            Some(error) => Err(format!(
                "{} can't be configured: {}",
                self.name, error.summary
            )),
            None => Ok(()),
        }
    }

    fn served(&self, type_name: &str) -> Result<std::sync::Arc<Served>, String> {
        self.program
            .served(Kind::Resource, type_name)
            .ok_or_else(|| {
                format!(
                    "{} describes {type_name} in a way that can't be read",
                    self.name
                )
            })
    }

    fn failed(&self, status: &Status) -> String {
        format!("{} failed: {}", self.name, status.message())
    }

    /// Sends a request about a resource type, whose secrets are kept out of what the program
    /// prints.
    async fn ask<Response: Message + Default>(
        &self,
        type_name: &str,
        method: &str,
        request: &impl Message,
    ) -> Result<Response, String> {
        self.program.hide(
            Kind::Resource,
            type_name,
            method,
            &Bytes::from(request.encode_to_vec()),
        );
        self.program
            .call(method, request)
            .await
            .map_err(|status| self.failed(&status))
    }

    async fn upgrade(
        &self,
        type_name: &str,
        version: i64,
        stored: Bytes,
    ) -> Result<Outcome, String> {
        let raw_state = Some(RawState {
            json: stored,
            ..RawState::default()
        });
        let request = UpgradeResourceStateRequest {
            type_name: type_name.to_owned(),
            version,
            raw_state,
        };
        let response: UpgradeResourceStateResponse = self
            .ask(type_name, "UpgradeResourceState", &request)
            .await?;
        self.outcome(
            type_name,
            response.upgraded_state.as_ref(),
            response.diagnostics,
            &[],
        )
    }

    async fn validate(&self, type_name: &str, config: &Value) -> Result<Outcome, String> {
        let served = self.served(type_name)?;
        let request = ValidateResourceConfigRequest {
            type_name: type_name.to_owned(),
            config: Some(sent(config, &served.ty)?),
            client_capabilities: Some(ClientCapabilities {
                deferral_allowed: false,
                write_only_attributes_allowed: true,
            }),
        };
        let response: ValidateResourceConfigResponse = self
            .ask(type_name, "ValidateResourceConfig", &request)
            .await?;
        self.outcome(type_name, None, response.diagnostics, &[])
    }

    async fn plan(
        &self,
        type_name: &str,
        prior: &Value,
        config: &Value,
    ) -> Result<Outcome, String> {
        let served = self.served(type_name)?;
        let mut proposed = plan::proposed(&served.block, prior, config);
        plan::arrange(&mut proposed, &served.ty);
        let request = PlanResourceChangeRequest {
            type_name: type_name.to_owned(),
            prior_state: Some(sent(prior, &served.ty)?),
            proposed_new_state: Some(sent(&proposed, &served.ty)?),
            config: Some(sent(config, &served.ty)?),
            ..PlanResourceChangeRequest::default()
        };
        let response: PlanResourceChangeResponse =
            self.ask(type_name, "PlanResourceChange", &request).await?;
        self.outcome(
            type_name,
            response.planned_state.as_ref(),
            response.diagnostics,
            &response.requires_replace,
        )
    }

    fn outcome(
        &self,
        type_name: &str,
        value: Option<&DynamicValue>,
        diagnostics: Vec<proto::Diagnostic>,
        replaced_by: &[proto::AttributePath],
    ) -> Result<Outcome, String> {
        let replaced_by = replaced_by.iter().map(path_from_wire).collect();
        if diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == 1)
        {
            return Ok(Outcome {
                value: None,
                replaced_by,
                diagnostics,
            });
        }
        let served = self.served(type_name)?;
        let mut value = from_wire(value, &served.ty, "response").map_err(|_| {
            format!(
                "{} answers about {type_name} with a value that does not fit its schema",
                self.name
            )
        })?;
        plan::arrange(&mut value, &served.ty);
        Ok(Outcome {
            value: Some(value),
            replaced_by,
            diagnostics,
        })
    }
}

/// The two providers that are compared.
struct Comparison<'a> {
    parts: &'a Parts,
    own: &'a Side,
    other: &'a Side,
}

impl Comparison<'_> {
    async fn report(&self, cases: &Cases) -> Result<(String, bool), String> {
        let (mut report, mut compared, mut different) = (String::new(), 0_usize, 0_usize);
        let mut left_out = cases.left_out.clone();
        for case in &cases.all {
            let is_moved = self.parts.resources.contains_key(case.type_name.as_str());
            if !is_moved || !self.other.program.serves(Kind::Resource, &case.type_name) {
                left_out.push(format!("{}: only one of the two serves it", case.shown()));
                continue;
            }
            let newest = self.other.program.version(&case.type_name);
            if case
                .state
                .as_ref()
                .is_some_and(|state| state.version > newest)
            {
                left_out.push(format!(
                    "{}: a later version than {} wrote it",
                    case.shown(),
                    self.other.name
                ));
                continue;
            }
            compared += 1;
            let found = self.case(case).await?;
            different += usize::from(!found.is_empty());
            for (step, difference) in found {
                let _ = writeln!(report, "{}: {step} differs: {difference}", case.shown());
            }
        }
        for line in &left_out {
            let _ = writeln!(report, "left out: {line}");
        }
        let resources = if compared == 1 {
            "resource"
        } else {
            "resources"
        };
        let _ = write!(
            report,
            "Compared {} with {} on {compared} {resources}: ",
            self.own.name, self.other.name
        );
        match (compared, different) {
            (0, _) => return Err(format!("{report}none of them can be compared.")),
            (_, 0) => report.push_str("no difference."),
            (_, 1) => report.push_str("1 differs."),
            (_, different) => {
                let _ = write!(report, "{different} differ.");
            }
        }
        Ok((report, different == 0))
    }

    /// The differences in a case, each with the step that found it.
    async fn case(&self, case: &Case) -> Result<Vec<(&'static str, String)>, String> {
        let mut found = Vec::new();
        let name = case.type_name.as_str();
        let (own, other) = (self.own.served(name)?, self.other.served(name)?);
        let mut priors = (Value::Null, Value::Null);
        if let Some(state) = &case.state {
            let upgraded = (
                self.own
                    .upgrade(name, state.version, state.json.clone())
                    .await?,
                self.other
                    .upgrade(name, state.version, state.json.clone())
                    .await?,
            );
            self.compare(case, ("the upgrade", &upgraded), &mut found)
                .await?;
            match (upgraded.0.value, upgraded.1.value) {
                (Some(one), Some(two)) => priors = (one, two),
                (None, _) | (_, None) => return Ok(found),
            }
        }
        let configs = match &case.config {
            Some(json) => (
                value_of(json, &own, UnknownAttributes::Deny),
                value_of(json, &other, UnknownAttributes::Deny),
            ),
            // Otherwise both would plan a change.
            None => (
                Ok(plan::configuration_of(&own.block, &priors.0)),
                Ok(plan::configuration_of(&other.block, &priors.1)),
            ),
        };
        let configs = match configs {
            (Ok(one), Ok(two)) => (one, two),
            (Err(_), Err(_)) => return Ok(found),
            (Err(problem), Ok(_)) => {
                found.push((
                    "the configuration",
                    format!("{} does not take it: {problem}", self.own.name),
                ));
                return Ok(found);
            }
            (Ok(_), Err(problem)) => {
                found.push((
                    "the configuration",
                    format!("{} does not take it: {problem}", self.other.name),
                ));
                return Ok(found);
            }
        };
        if case.config.is_some() {
            let validated = (
                self.own.validate(name, &configs.0).await?,
                self.other.validate(name, &configs.1).await?,
            );
            self.compare(case, ("the validation", &validated), &mut found)
                .await?;
            if validated.0.value.is_none() || validated.1.value.is_none() {
                return Ok(found);
            }
        }
        let planned = (
            self.own.plan(name, &priors.0, &configs.0).await?,
            self.other.plan(name, &priors.1, &configs.1).await?,
        );
        self.compare(case, ("the plan", &planned), &mut found)
            .await?;
        if let ((Some(one), one_by), (Some(two), two_by)) = (
            (&planned.0.value, &planned.0.replaced_by),
            (&planned.1.value, &planned.1.replaced_by),
        ) {
            let actions = (
                action(&priors.0, one, one_by),
                action(&priors.1, two, two_by),
            );
            if actions.0 != actions.1 {
                let shown = format!(
                    "{} {}, {} {}",
                    self.own.name, actions.0, self.other.name, actions.1
                );
                found.push(("the action", shown));
            }
        }
        Ok(found)
    }

    /// Compares diagnostics, and values where there are any.
    async fn compare(
        &self,
        case: &Case,
        (step, outcomes): (&'static str, &(Outcome, Outcome)),
        found: &mut Vec<(&'static str, String)>,
    ) -> Result<(), String> {
        let (one, two) = (
            noted(&outcomes.0.diagnostics),
            noted(&outcomes.1.diagnostics),
        );
        if one != two {
            let shown = |notes: &[String]| {
                if notes.is_empty() {
                    "nothing".to_owned()
                } else {
                    notes.join(" and ")
                }
            };
            found.push((
                step,
                format!(
                    "{} reports {}, {} {}",
                    self.own.name,
                    shown(&one),
                    self.other.name,
                    shown(&two)
                ),
            ));
        }
        let (Some(own), Some(other)) = (&outcomes.0.value, &outcomes.1.value) else {
            return Ok(());
        };
        let type_name = case.type_name.as_str();
        let served = (self.own.served(type_name)?, self.other.served(type_name)?);
        let versions = (
            self.own.program.version(type_name),
            self.other.program.version(type_name),
        );
        let blocks = [&served.0.block, &served.1.block];
        let mut sensitive = Sensitive::default();
        if let Some(state) = &case.state {
            sensitive.ways = state.hidden([(&served.0.ty, versions.0), (&served.1.ty, versions.1)]);
            state.add_secrets(blocks, &mut sensitive.secrets);
        }
        for (block, value) in blocks.into_iter().zip([own, other]) {
            sensitive.secrets.add(block, value);
        }
        let of = (
            Members::Block(&served.0.block),
            Members::Block(&served.1.block),
        );
        let differences =
            if versions.0 > versions.1 && !other.is_null() && !plan::has_unknown(other) {
                // Upgraded, because users come from what the other one stores.
                let json = other
                    .encode(&served.1.ty, Encoding::Json)
                    .map_err(|error| error.to_string())?;
                let lifted = self.own.upgrade(type_name, versions.1, json.into()).await?;
                differences(
                    of,
                    (own, lifted.value.as_ref().unwrap_or(&Value::Null)),
                    &sensitive,
                )
            } else if versions.0 == versions.1 {
                differences(of, (own, other), &sensitive)
            } else {
                // An unknown value has no other version: what is of one type in both is compared.
                let (own, other) = difference::in_both((own, &served.0.ty), (other, &served.1.ty));
                differences(of, (&own, &other), &sensitive)
            };
        for Difference { path, own, other } in differences {
            let at = if path.is_empty() {
                String::new()
            } else {
                format!("{path} is ")
            };
            found.push((
                step,
                format!(
                    "{at}{own} for {}, {other} for {}",
                    self.own.name, self.other.name
                ),
            ));
        }
        Ok(())
    }
}

/// The diagnostics by what users can rely on: severity and place. Each provider has its own words.
fn noted(diagnostics: &[proto::Diagnostic]) -> Vec<String> {
    let mut notes: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| {
            let severity = if diagnostic.severity == 2 {
                "a warning"
            } else {
                "an error"
            };
            match diagnostic
                .attribute
                .as_ref()
                .map(path_from_wire)
                .filter(|path| !path.is_empty())
            {
                Some(path) => format!("{severity} at {path}"),
                None => severity.to_owned(),
            }
        })
        .collect();
    notes.sort();
    notes
}

/// The action that Terraform takes by a plan.
fn action(prior: &Value, planned: &Value, replaced_by: &[AttributePath]) -> &'static str {
    // Terraform leaves out what does not change.
    let replaces = replaced_by
        .iter()
        .any(|path| prior.get(path) != planned.get(path));
    match (prior.is_null(), prior == planned, replaces) {
        (true, ..) => "creates",
        (false, _, true) => "replaces",
        (false, true, false) => "changes nothing",
        (false, false, false) => "updates",
    }
}

/// A configuration as Terraform sends it.
fn value_of(json: &str, served: &Served, undefined: UnknownAttributes) -> Result<Value, String> {
    let mut value = Value::from_json(json.as_bytes(), &served.ty, undefined)
        .map_err(|error| error.problem())?;
    plan::complete(Members::Block(&served.block), &mut value);
    plan::arrange(&mut value, &served.ty);
    Ok(value)
}

fn sent(value: &Value, ty: &Type) -> Result<DynamicValue, String> {
    to_wire(value, ty, "value").map_err(|problems| problems.to_string())
}
