//! The current version and the ways up to it.

use proc_macro2::Ident;
use semver::Version as Release;
use syn::ext::IdentExt;
use syn::{Attribute, Path};

use super::declared::Current;
use super::difference::{self, Upgraders};
use super::types::is_itself;
use super::{facts, names};
use crate::attr::{self, Given, RawKind, RawUpgrader, Since, Version, Versions, value_of};
use crate::errors::{Errors, line};

/// The greatest number of stored versions in a table of routes.
const MOST_VERSIONS: u64 = 65_536;

/// The upgraders, by the version they start at. What depends on a version that could not be read is
/// not checked.
pub(super) fn upgraders(
    attributes: &[Attribute],
    current: Current<'_>,
    version: Option<&Version>,
    oldest: Option<&Version>,
    errors: &mut Errors,
) -> Upgraders {
    let ident = current.ident;
    let name = ident.unraw().to_string();
    let prior_model = |version: u64| format!("{}V{version}", names::base_name(&name));
    let oldest = oldest.filter(|oldest| match version {
        Some(version) if oldest.number > version.number => {
            errors.push(
                &oldest.literal,
                format_args!(
                    "`oldest = {}` is above `version = {}`\nhelp: name the oldest stored version that can still be read, at most {1}",
                    oldest.number, version.number
                ),
            );
            false
        }
        _ => true,
    });
    let mut before: Vec<(Versions, bool)> = Vec::new();
    let mut raws = Vec::new();
    let read = attr::upgraders(attributes, prior_model, errors);
    let all_read = read.iter().all(Option::is_some);
    for raw in read.into_iter().flatten() {
        let RawUpgrader {
            from,
            to,
            kind,
            when,
            ..
        } = &raw;
        if overlap(from, when.is_some(), &before, errors) {
            // One mistake, because a version behind the arrow that is one of those before it is an
            // error of its own.
            let is_inside = to
                .as_ref()
                .is_some_and(|to| from.first.number < to.number && to.number <= from.last.number);
            upgrader_within(from, version.filter(|_| !is_inside), oldest, errors);
        }
        before.push((from.clone(), when.is_some()));
        if let RawKind::Conversion { model }
        | RawKind::Function { model, .. }
        | RawKind::Declared { model, .. } = kind
            && is_itself(ident, model)
        {
            let number = from.last.number;
            let same = match version {
                Some(current) if current.number > number => {
                    format!(
                        "; if they are the same, write `{} => {}, carry`",
                        from.spelt(),
                        current.number
                    )
                }
                Some(_) | None => String::new(),
            };
            errors.push(
                model,
                format_args!(
                    "`{ident}` cannot be its own prior model\nhelp: copy the fields it had at version {number} into a struct of their own, such as `{}`{same}",
                    prior_model(number)
                ),
            );
        }
        raws.push(raw);
    }
    difference::upgraders(raws, all_read, current, version, errors)
}

/// Refuses a function for flat state where none is older than what JSON state is upgraded from.
pub(super) fn migration(
    ident: &Ident,
    key: &Path,
    is_prior: bool,
    (version, oldest): (Option<&Version>, Option<&Version>),
    upgraders: &Upgraders,
    errors: &mut Errors,
) {
    if is_prior {
        let message = format!(
            "`{ident}` is a prior model, so no stored state is brought to it\nhelp: remove `migrate_state`; the current model of the type takes it, \
             with the `oldest` that flat state is brought to"
        );
        errors.push(key, message);
        return;
    }
    let (Some(version), None | Some(Version { number: 0, .. })) = (version, oldest) else {
        return;
    };
    let lowest = upgraders
        .current
        .iter()
        .chain(upgraders.shapes.iter().flat_map(|shape| &shape.upgraders));
    let lowest = lowest
        .map(|upgrader| upgrader.from)
        .min()
        .unwrap_or(version.number);
    let message = if lowest == 0 {
        let why = if version.number == 0 {
            format!("no state is older than version 0 of `{ident}`")
        } else {
            format!("upgraders take state of `{ident}` from version 0 on")
        };
        format!(
            "{why}, so `migrate_state` never runs\nhelp: remove `migrate_state`; flat state is read by the model of its version"
        )
    } else {
        format!(
            "it is not said which version `migrate_state` brings flat state to\nhelp: add `oldest = {lowest}`, the oldest version that JSON state is \
             upgraded from; flat state of an older one is then brought to it"
        )
    };
    errors.push(key, message);
}

/// Refuses a version for which there is an upgrader already, unless both say which shape they are
/// for. Says whether all is well.
fn overlap(
    from: &Versions,
    guarded: bool,
    before: &[(Versions, bool)],
    errors: &mut Errors,
) -> bool {
    let earlier = before.iter().find(|(other, _)| {
        other.first.number <= from.last.number && from.first.number <= other.last.number
    });
    let Some((other, other_guarded)) = earlier else {
        return true;
    };
    let first = line(&other.first.literal);
    let same = other.first.number == from.first.number && other.last.number == from.last.number;
    if guarded && *other_guarded && same {
        return true;
    }
    let message = if guarded && *other_guarded {
        format!(
            "{} and {} overlap\nhelp: give upgraders that `when` tells apart the same versions\nnote: the other is on line {first}",
            from.named(),
            other.named()
        )
    } else {
        let version = from.first.number.max(other.first.number);
        let help = match (guarded, other_guarded) {
            (false, false) => {
                "write all operators in one of the two; or give each a `when = …` if two shapes were stored under it"
            }
            _ => "give each of the two a `when = …`",
        };
        format!(
            "prior version {version} is declared twice\nhelp: {help}\nnote: first declared on line {first}"
        )
    };
    errors.push(&from.first.literal, message);
    false
}

/// Refuses an upgrader that no stored state would take.
fn upgrader_within(
    from: &Versions,
    version: Option<&Version>,
    oldest: Option<&Version>,
    errors: &mut Errors,
) {
    let number = from.last.number;
    if let Some(Version {
        number: current,
        is_written,
        ..
    }) = version
        && number >= *current
    {
        let below = if *current == 0 {
            String::new()
        } else {
            format!("name a version below {current}, or ")
        };
        let raised = number.saturating_add(1);
        let raise = if *is_written {
            format!("raise `version` to {raised}")
        } else {
            format!("write `version = {raised}` in `#[resource(…)]`")
        };
        errors.push(
            &from.last.literal,
            format_args!("prior version {number} is not older than the current version {current} [U0009]\nhelp: {below}{raise}"),
        );
    }
    let number = from.first.number;
    if let Some(Version { number: oldest, .. }) = oldest
        && number < *oldest
    {
        let remove = if from.last.number < *oldest {
            "remove this".to_owned()
        } else {
            format!("start at {oldest}")
        };
        errors.push(
            &from.first.literal,
            format_args!(
                "prior version {number} is below `oldest = {oldest}`, so no state would be upgraded from it\nhelp: {remove}, or write `oldest = {number}`"
            ),
        );
    }
}

/// The releases by the version that they first wrote.
pub(super) fn since(
    since: Option<Given<Since>>,
    version: Option<&Version>,
    errors: &mut Errors,
) -> Vec<(String, u64)> {
    let Some(Since(mut pairs)) = value_of(since, errors) else {
        return Vec::new();
    };
    let mut kept: Vec<(Release, String, u64)> = Vec::new();
    // In the order written, so that it is the second of two that is reported.
    for (release, written) in pairs.drain(..) {
        let (text, number) = (release.value(), written.number);
        let Some(of) = facts::release(&release, errors) else {
            continue;
        };
        if let Some(Version {
            number: current, ..
        }) = version
            && number > *current
        {
            errors.push(
                &written.literal,
                format_args!("version {number} is above `version = {current}`\nhelp: name a version up to {current}"),
            );
        }
        if let Some((_, other, _)) = kept.iter().find(|(_, _, other)| *other == number) {
            errors.push(
                &written.literal,
                format_args!(
                    "version {number} has two first releases, `{other}` and `{text}`\nhelp: keep the one that wrote it first"
                ),
            );
        } else if kept.iter().any(|(other, ..)| *other == of) {
            errors.push(
                &release,
                format_args!("release `{text}` is named twice\nhelp: a release writes one version"),
            );
        } else if let Some((_, other, earlier)) = kept
            .iter()
            .find(|(other, _, earlier)| (*other < of) != (*earlier < number))
        {
            errors.push(
                &release,
                format_args!("release `{text}` wrote version {number}, but `{other}` wrote version {earlier}\nhelp: a later release never writes a lower version"),
            );
        } else {
            kept.push((of, text, number));
        }
    }
    let mut releases: Vec<(String, u64)> = kept
        .into_iter()
        .map(|(_, text, number)| (text, number))
        .collect();
    releases.sort_by_key(|(_, version)| *version);
    releases
}

/// Refuses more supported versions than a table can hold.
pub(super) fn span_of_versions(
    version: &Version,
    oldest: Option<&Version>,
    is_prior: bool,
    errors: &mut Errors,
) {
    let oldest = oldest.map_or(0, |oldest| oldest.number);
    if !is_prior && version.number.saturating_sub(oldest) > MOST_VERSIONS {
        errors.push(
            &version.literal,
            format_args!(
                "there are more than {MOST_VERSIONS} versions from {oldest} to {}\nhelp: count versions from 0, one for each shape that was stored, and not by dates or releases; or say with `oldest = …` which of them can still be read",
                version.number
            ),
        );
    }
}
