//! The results of checks: conditions on resources, outputs and variables.

use std::borrow::Cow;

use serde::Serialize;

use super::names::{self, Quoted};
use super::scan::{Scanned, Scanner};

/// The result of the conditions on one object of the configuration, as it is written.
#[derive(Debug, Serialize)]
pub(super) struct CheckResult<'t> {
    object_kind: Cow<'t, str>,
    config_addr: String,
    status: &'static str,
    objects: Option<Vec<CheckedObject<'t>>>,
}

/// Checks one instance of it.
#[derive(Debug, Serialize)]
struct CheckedObject<'t> {
    object_addr: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failure_messages: Vec<Cow<'t, str>>,
}

impl CheckResult<'_> {
    /// In which order they are written.
    pub(super) fn sort(all: &mut [Self]) {
        all.sort_by(|a, b| (&a.object_kind, &a.config_addr).cmp(&(&b.object_kind, &b.config_addr)));
        for one in all {
            one.objects
                .iter_mut()
                .for_each(|objects| objects.sort_by(|a, b| a.object_addr.cmp(&b.object_addr)));
        }
    }
}

fn status(text: &str) -> &'static str {
    match text {
        "pass" => "pass",
        "fail" => "fail",
        "error" => "error",
        _ => "unknown",
    }
}

/// Reads the results; those of a kind that is not known are passed over, as in the reference.
pub(super) fn read<'t>(
    scanner: &mut Scanner<'t>,
    mut each: impl FnMut(CheckResult<'t>),
) -> Scanned<()> {
    scanner.elements("`check_results`", |scanner| {
        let start = scanner.start()?;
        let mut kind = Cow::Borrowed("");
        let mut address = (Cow::Borrowed(""), start..start + 1);
        let mut state = status("");
        let mut objects_at = None;
        let is_object = scanner.members("a check result", |scanner, name| {
            match name {
                "object_kind" => (kind, _) = scanner.text("`object_kind`")?,
                "config_addr" => address = scanner.text("`config_addr`")?,
                "status" => state = status(&scanner.text("the `status` of a check result")?.0),
                "objects" => {
                    scanner.reader.peek()?;
                    objects_at = Some(scanner.reader.mark());
                    // Looked at for what is wrong with it in any case.
                    scanner.reader.skip()?;
                }
                _ => scanner.reader.skip()?,
            }
            Ok(())
        })?;
        if !is_object || !matches!(&*kind, "resource" | "output" | "check" | "var") {
            return Ok(());
        }
        let (address, range) = address;
        let Some(config_addr) = names::checkable(&kind, &address, false) else {
            scanner.problem(
                range,
                format!(
                    "`config_addr` must be the address of a {kind} without keys, found {}",
                    Quoted(&address)
                ),
            );
            return Ok(());
        };
        let mut objects = Vec::new();
        if let Some(mark) = objects_at {
            let end = scanner.reader.mark();
            scanner.reader.rewind(mark);
            read_objects(scanner, &kind, &mut objects)?;
            scanner.reader.rewind(end);
        }
        let objects = (!objects.is_empty()).then_some(objects);
        each(CheckResult {
            object_kind: kind,
            config_addr,
            status: state,
            objects,
        });
        Ok(())
    })
}

fn read_objects<'t>(
    scanner: &mut Scanner<'t>,
    kind: &str,
    objects: &mut Vec<CheckedObject<'t>>,
) -> Scanned<()> {
    scanner.elements("`objects` of a check result", |scanner| {
        let start = scanner.start()?;
        let mut address = (Cow::Borrowed(""), start..start + 1);
        let mut state = status("");
        let mut failure_messages = Vec::new();
        let is_object = scanner.members("an object of a check result", |scanner, name| {
            match name {
                "object_addr" => address = scanner.text("`object_addr`")?,
                "status" => state = status(&scanner.text("the `status` of an object")?.0),
                "failure_messages" => {
                    failure_messages.clear();
                    scanner.elements("`failure_messages`", |scanner| {
                        failure_messages.push(scanner.text("a failure message")?.0);
                        Ok(())
                    })?;
                }
                _ => scanner.reader.skip()?,
            }
            Ok(())
        })?;
        if !is_object {
            return Ok(());
        }
        let (address, range) = address;
        match names::checkable(kind, &address, true) {
            Some(object_addr) => objects.push(CheckedObject {
                object_addr,
                status: state,
                failure_messages,
            }),
            None => scanner.problem(
                range,
                format!(
                    "`object_addr` must be the address of a {kind}, found {}",
                    Quoted(&address)
                ),
            ),
        }
        Ok(())
    })
}
