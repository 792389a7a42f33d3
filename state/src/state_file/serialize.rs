//! An upgrade as programs read it: the form of one instance in the report of `plan` and `upgrade`,
//! and in the plans of the service.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use upstate::Diagnostics;

use super::changes::{Change, Shown};
use super::outcome::{IdentityDowngrade, InstanceOutcome, InstanceUpgrade};

/// The reason that is reported for a dropped value that no author named.
pub const UNDEFINED: &str = "stored, but defined by no schema of its version";

/// `{"address": …, "type": …, "from": …, "to": …, "outcome": "upgraded", "downgraded" or "failed", "changes": […], "dropped": […], "diagnostics": […]}`,
/// `"undefined_count": …` where more values than `dropped` names are defined by no schema, and
/// `"identity": …` where a downgrade changes that. What was not upgraded has the version it had,
/// and nothing beside. Sensitive values are hidden.
impl Serialize for InstanceUpgrade<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nothing = Diagnostics::new();
        let instance = self.instance();
        let from = instance.schema_version();
        let (outcome, to, diagnostics) = match self.outcome() {
            InstanceOutcome::Upgraded { to, warnings, .. }
                if *to < from || self.identity().is_some() =>
            {
                ("downgraded", *to, warnings)
            }
            InstanceOutcome::Upgraded { to, warnings, .. } => ("upgraded", *to, warnings),
            InstanceOutcome::Failed { to, diagnostics } => ("failed", *to, diagnostics),
            InstanceOutcome::Current => ("current", from, &nothing),
            InstanceOutcome::UnknownType => ("unknown_type", from, &nothing),
            InstanceOutcome::Data => ("data", from, &nothing),
            InstanceOutcome::Excluded => ("excluded", from, &nothing),
        };
        let mut row = serializer.serialize_struct("InstanceUpgrade", 10)?;
        row.serialize_field("address", &instance.address().to_string())?;
        row.serialize_field("type", instance.type_name())?;
        row.serialize_field("from", &from)?;
        row.serialize_field("to", &to)?;
        row.serialize_field("outcome", outcome)?;
        row.serialize_field("changes", self.changes())?;
        row.serialize_field("dropped", &dropped(self.outcome()))?;
        match count_beyond_names(self.outcome()) {
            Some(count) => row.serialize_field("undefined_count", &count)?,
            None => row.skip_field("undefined_count")?,
        }
        match self.identity() {
            Some(identity) => row.serialize_field("identity", identity)?,
            None => row.skip_field("identity")?,
        }
        row.serialize_field("diagnostics", diagnostics)?;
        row.end()
    }
}

/// `{"from": …, "to": …, "changes": […], "diagnostics": […]}`; `to` is null where the identity is
/// removed.
impl Serialize for IdentityDowngrade {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("IdentityDowngrade", 4)?;
        row.serialize_field("from", &self.from)?;
        row.serialize_field("to", &self.to)?;
        row.serialize_field("changes", &self.changes)?;
        row.serialize_field("diagnostics", &self.warnings)?;
        row.end()
    }
}

/// `{"path": …, "action": "add", "remove" or "change", "before": …, "after": …}`, with
/// `before_sensitive` and `after_sensitive` where a value is hidden.
impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = |shown: Option<&Shown>| match shown {
            Some(Shown::Json(json)) => RawValue::from_string(json.clone()).ok(),
            Some(Shown::Hidden | Shown::Undefined) | None => None,
        };
        let hidden = |shown: Option<&Shown>| matches!(shown, Some(Shown::Hidden));
        ReportedChange {
            path: self.path().to_string(),
            action: match (self.old(), self.new_value()) {
                (None, _) => "add",
                (_, None) => "remove",
                (Some(_), Some(_)) => "change",
            },
            before: json(self.old()),
            after: json(self.new_value()),
            before_sensitive: hidden(self.old()),
            after_sensitive: hidden(self.new_value()),
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
struct ReportedChange {
    path: String,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    before_sensitive: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    after_sensitive: bool,
}

#[derive(Serialize)]
struct ReportedDrop {
    path: String,
    reason: &'static str,
}

/// The number of undefined values, if it is greater than that of their names.
fn count_beyond_names(outcome: &InstanceOutcome) -> Option<usize> {
    let InstanceOutcome::Upgraded {
        undefined,
        undefined_count,
        ..
    } = outcome
    else {
        return None;
    };
    (*undefined_count > undefined.len()).then_some(*undefined_count)
}

fn dropped(outcome: &InstanceOutcome) -> Vec<ReportedDrop> {
    let InstanceOutcome::Upgraded {
        undefined, dropped, ..
    } = outcome
    else {
        return Vec::new();
    };
    let undefined = undefined.iter().map(|path| (path, UNDEFINED));
    let all = dropped
        .iter()
        .map(|dropped| (&dropped.path, dropped.reason))
        .chain(undefined);
    all.map(|(path, reason)| ReportedDrop {
        path: path.to_string(),
        reason,
    })
    .collect()
}
