//! For programs. `findings.schema.json` beside this module describes both forms.

use std::io::{Result, Write};

use serde_json::{Value, json};
use upstate_compat::Finding;

use super::super::files::{Compared, Spot};
use super::{Counts, Needs, policies};

/// The version of the form.
const FORMAT: u32 = 1;

pub(super) fn print(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let mut document = summary(compared);
    let findings = compared
        .findings()
        .map(|(finding, spot)| value(compared, finding, spot))
        .collect();
    if let Some(members) = document.as_object_mut() {
        members.insert("findings".to_owned(), Value::Array(findings));
    }
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// A line a finding, and last what there is in sum.
pub(super) fn print_lines(out: &mut dyn Write, compared: &Compared) -> Result<()> {
    let line = |out: &mut dyn Write, ty: &str, mut value: Value| {
        if let Some(members) = value.as_object_mut() {
            members.insert("type".to_owned(), ty.into());
        }
        serde_json::to_writer(&mut *out, &value)?;
        writeln!(out)
    };
    for (finding, spot) in compared.findings() {
        line(out, "finding", value(compared, finding, spot))?;
    }
    line(out, "summary", summary(compared))
}

fn summary(compared: &Compared) -> Value {
    let report = &compared.report;
    let baseline = &compared.baseline;
    let counts = Counts::of(compared);
    let resources: serde_json::Map<String, Value> = report
        .resources
        .iter()
        .map(|(type_name, verdict)| {
            let bump = json!({ "strict": verdict.bump.strict, "wire": verdict.bump.wire });
            let value = json!({
                "old_version": verdict.old_version, "new_version": verdict.new_version, "bump": bump, "upgrader": verdict.upgrader,
            });
            (type_name.clone(), value)
        })
        .collect();
    json!({
        "format": FORMAT,
        "tool": concat!("upstate ", env!("CARGO_PKG_VERSION")),
        "baseline": {
            "release": report.baseline, "file": baseline.file, "revision": baseline.revision, "digest": baseline.digest,
        },
        "current": { "release": report.current, "digest": compared.digest },
        "required_bump": report.required_bump,
        "required_release": report.required_release(),
        "actual_bump": report.actual_bump,
        "ok": report.ok,
        "counts": {
            "breaking": counts.breaking, "potential": counts.potential, "safe": counts.safe, "errors": counts.errors,
            "warnings": counts.warnings, "waived": counts.waived, "known": counts.known, "settled": compared.settled.len(),
        },
        "resources": resources,
    })
}

fn value(compared: &Compared, finding: &Finding, spot: &Spot) -> Value {
    let state = (!finding.level.is_policy()).then(|| {
        let needs = Needs::of(compared, finding);
        json!({ "impact": finding.state_impact(), "bump": needs.bump, "upgrader": needs.upgrader.name() })
    });
    let baseline_location = spot
        .lock
        .map(|line| json!({ "file": compared.baseline.file, "line": line }));
    json!({
        "id": finding.rule.id(),
        "fingerprint": finding.fingerprint,
        "severity": finding.level,
        "fails": finding.fails(compared.options.fails_on),
        "axes": finding.axes,
        "resource": finding.resource,
        "kind": finding.kind,
        "path": finding.path,
        "old": finding.old,
        "new": finding.new,
        "location": spot.source,
        "baseline_location": baseline_location,
        "state": state,
        "semver": finding.semver,
        "permitted": finding.permitted,
        "policy": policies(compared, finding).collect::<Vec<_>>(),
        "message": finding.message,
        "note": finding.note,
        "announced": finding.announced,
        "witness": finding.witness,
        "remediation": finding.remediation,
        "waived": finding.waived,
        "known": finding.known,
    })
}
