//! The smallest configuration or expression that a change breaks.

use super::finding::Finding;
use super::kind::Kind;
use super::rule::Level;

/// The line that stops working; nothing if no line shows it.
pub(super) fn of(finding: &Finding) -> Option<String> {
    let (ty, path) = (finding.resource.as_str(), finding.path.replace("[*]", ""));
    if ty.is_empty() || finding.level < Level::Potential || finding.level.is_policy() {
        return None;
    }
    let kind = finding.kind;
    if kind == Kind::Document {
        return None;
    }
    if kind == Kind::Function {
        return (finding.rule.id() == "resource-removed").then(|| format!("{}(…)", kind.block(ty)));
    }
    let (block, object) = (kind.block(ty), kind.reference(ty));
    let resource = |inside: &str| {
        let inside = if kind.has_config_block() {
            format!(" config {{{inside}}} ")
        } else {
            inside.to_owned()
        };
        format!("{block} {{{inside}}}")
    };
    let set = |path: &str, value: &str| {
        let mut steps: Vec<&str> = path.split('.').collect();
        let last = steps.pop().unwrap_or_default();
        let open = steps
            .iter()
            .fold(String::new(), |open, step| open + " " + step + " {");
        let close = " }".repeat(steps.len());
        resource(&format!("{open} {last} = {value}{close} "))
    };
    match finding.rule.id() {
        "resource-removed" | "resource-renamed" => Some(resource(" … ")),
        // An attribute that only the provider sets is read, not written.
        "attribute-removed" | "attribute-renamed" | "attribute-moved"
            if kind.is_read() && is_only_read(finding) =>
        {
            Some(format!("{object}.{path}"))
        }
        "attribute-removed"
        | "attribute-renamed"
        | "attribute-moved"
        | "attribute-became-computed-only" => {
            let is_block = finding
                .old
                .as_deref()
                .is_some_and(|old| old.ends_with(" block"));
            Some(if is_block {
                resource(&format!(" {path} {{ … }} "))
            } else {
                set(&path, "…")
            })
        }
        "attribute-added-required"
        | "attribute-optional-to-required"
        | "attribute-computed-to-required"
        | "block-added-required" => Some(format!("{}   # without {path}", resource(" … "))),
        "enum-value-removed" => finding.old.as_deref().map(|value| set(&path, value)),
        "list-to-set" if kind.is_read() => Some(format!("{object}.{path}[0]")),
        "block-to-attribute" => Some(resource(&format!(" {path} {{ … }} "))),
        "attribute-to-block" => Some(set(&path, "…")),
        "sensitive-added" => Some(format!("output \"o\" {{ value = {object}.{path} }}")),
        _ => None,
    }
}

/// True if what was there could be read and never configured.
pub(crate) fn is_only_read(finding: &Finding) -> bool {
    finding
        .old
        .as_deref()
        .is_some_and(|old| old.ends_with(", computed") && !old.contains("optional"))
}
