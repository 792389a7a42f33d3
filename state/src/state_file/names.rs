//! The names that a state file writes as strings: modules, resources, providers, versions.

use std::fmt::{self, Write as _};
use std::str::Chars;

use upstate::path::Printable;

/// One step of a reference such as `module.app["eu"].aws_instance.web[0]`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Name(String),
    Text(String),
    Index(i64),
}

impl Step {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Text(_) | Self::Index(_) => None,
        }
    }

    fn is_key(&self) -> bool {
        !matches!(self, Self::Name(_))
    }
}

/// A string between quotes as Terraform's configuration language writes it.
pub(super) struct QuotedKey<'a>(pub(super) &'a str);

impl fmt::Display for QuotedKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        let mut characters = self.0.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                // The sign is doubled, because it would begin a template.
                '$' | '%' if characters.peek() == Some(&'{') => {
                    write!(f, "{character}{character}")?;
                }
                control if control.is_control() => match u32::from(control) {
                    code @ 0..=0xFFFF => write!(f, "\\u{code:04x}")?,
                    code => write!(f, "\\U{code:08x}")?,
                },
                plain => f.write_char(plain)?,
            }
        }
        f.write_char('"')
    }
}

/// A longer text is cut where a message quotes it.
const LONGEST_QUOTE: usize = 100;

/// A string of the file as a message holds it: long ones are cut, and nothing in it can control the
/// terminal.
pub(super) struct Short<'a>(pub(super) &'a str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (front, more) = match self.0.char_indices().nth(LONGEST_QUOTE) {
            Some((end, _)) => (self.0.get(..end).unwrap_or_default(), "…"),
            None => (self.0, ""),
        };
        write!(f, "{}{more}", Printable(front))
    }
}

/// A string of the file between quotes, as a message holds it.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let escaped = self
            .0
            .chars()
            .take(LONGEST_QUOTE + 1)
            .flat_map(|character| {
                let escape = matches!(character, '"' | '\\').then_some('\\');
                escape.into_iter().chain([character])
            });
        write!(f, "\"{}\"", Short(&escaped.collect::<String>()))
    }
}

fn is_name_start(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

/// True if a name may go on with the character: Terraform takes what Unicode takes, so combining
/// marks too, which are not alphanumeric.
fn is_name_part(character: char) -> bool {
    character == '_'
        || character == '-'
        || character.is_alphanumeric()
        || unicode_ident::is_xid_continue(character)
}

/// Takes a reference apart; none if it is not one.
fn steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    loop {
        if rest.starts_with(is_name_start) {
            let end = rest
                .find(|character| !is_name_part(character))
                .unwrap_or(rest.len());
            let (name, after) = rest.split_at_checked(end)?;
            steps.push(Step::Name(name.to_owned()));
            rest = after;
        } else {
            return None;
        }
        while let Some(inner) = rest.strip_prefix('[') {
            let (step, after) = if inner.starts_with('"') {
                quoted_key(inner)?
            } else {
                index(inner)?
            };
            steps.push(step);
            rest = after.strip_prefix(']')?;
        }
        match rest.strip_prefix('.') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Some(steps),
            None => return None,
        }
    }
}

fn index(text: &str) -> Option<(Step, &str)> {
    let end = text.find(']')?;
    let (digits, after) = text.split_at_checked(end)?;
    Some((Step::Index(digits.parse().ok()?), after))
}

fn quoted_key(text: &str) -> Option<(Step, &str)> {
    let mut key = String::new();
    let mut rest = text.strip_prefix('"')?;
    loop {
        let mut characters = rest.chars();
        match characters.next()? {
            '"' => return Some((Step::Text(key), characters.as_str())),
            '\\' => key.push(match characters.next()? {
                'u' => code_point(&mut characters, 4)?,
                'U' => code_point(&mut characters, 8)?,
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                quoted @ ('"' | '\\') => quoted,
                _ => return None,
            }),
            // A template, which no address holds.
            '$' | '%' if characters.as_str().starts_with('{') => return None,
            mark @ ('$' | '%')
                if characters
                    .as_str()
                    .strip_prefix(mark)
                    .is_some_and(|after| after.starts_with('{')) =>
            {
                characters.next();
                characters.next();
                key.push(mark);
                key.push('{');
            }
            plain => key.push(plain),
        }
        rest = characters.as_str();
    }
}

/// The character that so many hexadecimal digits stand for.
fn code_point(characters: &mut Chars<'_>, digits: usize) -> Option<char> {
    let mut code = 0;
    for _ in 0..digits {
        code = code << 4 | characters.next()?.to_digit(16)?;
    }
    char::from_u32(code)
}

/// The number of steps at the front that are `module` steps with their names and keys; `None` if
/// the front is not a proper module path.
fn module_steps(steps: &[Step]) -> Option<usize> {
    let mut count = 0;
    while steps.get(count).and_then(Step::name) == Some("module") {
        steps.get(count + 1)?.name()?;
        count += 2;
        if steps.get(count).is_some_and(Step::is_key) {
            count += 1;
        }
    }
    Some(count)
}

/// True if a string is the path of a module instance, such as `module.a["x"].module.b[0]`.
pub(super) fn is_module_path(text: &str) -> bool {
    steps(text).is_some_and(|steps| module_steps(&steps) == Some(steps.len()))
}

fn joined(steps: &[Step], with_keys: bool) -> String {
    let mut text = String::new();
    for step in steps {
        // Writing to a string cannot fail.
        let _ = match step {
            Step::Name(name) if text.is_empty() => write!(text, "{name}"),
            Step::Name(name) => write!(text, ".{name}"),
            _ if !with_keys => Ok(()),
            Step::Text(key) => write!(text, "[{}]", QuotedKey(key)),
            Step::Index(index) => write!(text, "[{index}]"),
        };
    }
    text
}

/// The address of a resource in the configuration, as `dependencies` lists it: keys of modules are
/// dropped.
///
/// `None` if it is another kind of address, or names an instance.
pub(super) fn dependency(text: &str) -> Option<String> {
    let steps = steps(text)?;
    let modules = module_steps(&steps)?;
    let (_, resource) = steps.split_at_checked(modules)?;
    let named = match resource {
        [Step::Name(mode), Step::Name(_), Step::Name(_)] => {
            matches!(mode.as_str(), "data" | "resource" | "ephemeral")
        }
        [Step::Name(kind), Step::Name(_)] => !matches!(kind.as_str(), "data" | "ephemeral"),
        _ => false,
    };
    named.then(|| joined(&steps, false))
}

/// The address of something that conditions are checked on, by its kind; none if it is not one.
///
/// `with_keys` says whether the address of an instance is meant, or one in the configuration, which
/// has no keys.
pub(super) fn checkable(kind: &str, text: &str, with_keys: bool) -> Option<String> {
    let steps = steps(text)?;
    if !with_keys && steps.iter().any(Step::is_key) {
        return None;
    }
    let (_, rest) = steps.split_at_checked(module_steps(&steps)?)?;
    let fits = match (kind, rest) {
        ("resource", [Step::Name(data), Step::Name(_), Step::Name(_), keys @ ..])
            if data == "data" =>
        {
            keys.len() <= 1
        }
        ("resource", [Step::Name(_), Step::Name(_), keys @ ..]) => {
            keys.len() <= 1 && keys.iter().all(Step::is_key)
        }
        ("output", [Step::Name(word), Step::Name(_)]) => word == "output",
        ("check", [Step::Name(word), Step::Name(_)]) => word == "check",
        ("var", [Step::Name(word), Step::Name(_)]) => word == "var",
        _ => false,
    };
    fits.then(|| joined(&steps, true))
}

/// The address of a provider's configuration in its full form,
/// `provider["host/namespace/type"].alias`.
pub(super) fn provider(text: &str) -> Option<String> {
    configuration(text, false)
}

/// That, or the address of one instance of it, as `OpenTofu` has them:
/// `provider["host/namespace/type"].alias["key"]`.
pub(super) fn provider_instance(text: &str) -> Option<String> {
    configuration(text, true)
}

fn configuration(text: &str, with_key: bool) -> Option<String> {
    let mut steps = steps(text)?;
    let at = steps
        .iter()
        .position(|step| step.name() == Some("provider") && !step.is_key())?;
    // Modules come before, by name only.
    let modules = steps.get(..at)?;
    if module_steps(modules) != Some(at) || modules.iter().any(Step::is_key) {
        return None;
    }
    let (named, key) = match steps.get(at + 1..)? {
        [named @ .., key] if with_key && named.len() == 2 && key.is_key() => {
            (named, Some(key.clone()))
        }
        named => (named, None),
    };
    let (source, alias) = match named {
        [Step::Text(source)] => (full_source(source)?, None),
        [Step::Text(source), Step::Name(alias)] => (full_source(source)?, Some(alias.clone())),
        [Step::Name(ty)] => (legacy_source(ty), None),
        [Step::Name(ty), Step::Name(alias)] => (legacy_source(ty), Some(alias.clone())),
        _ => return None,
    };
    steps.truncate(at + 1);
    steps.push(Step::Text(source));
    steps.extend(alias.map(Step::Name));
    steps.extend(key);
    Some(joined(&steps, true))
}

const DEFAULT_HOST: &str = "registry.terraform.io";

/// Before providers had namespaces, a type was all there was.
fn legacy_source(ty: &str) -> String {
    match ty {
        "terraform" => "terraform.io/builtin/terraform".to_owned(),
        _ => format!("{DEFAULT_HOST}/-/{ty}"),
    }
}

fn full_source(source: &str) -> Option<String> {
    let parts: Vec<&str> = source.split('/').collect();
    let (host, namespace, ty) = match parts.as_slice() {
        ["terraform"] => ("terraform.io", "builtin", "terraform"),
        [ty] => (DEFAULT_HOST, "hashicorp", *ty),
        [namespace, ty] => (DEFAULT_HOST, *namespace, *ty),
        [host, namespace, ty] => (*host, *namespace, *ty),
        _ => return None,
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(is_name_part)
    };
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let port_fits = host
        .rsplit_once(':')
        .is_none_or(|(_, port)| port.parse::<u16>().is_ok());
    let fits = name.split('.').all(is_label)
        && port_fits
        && (is_label(namespace) || namespace == "-")
        && is_label(ty);
    fits.then(|| {
        format!(
            "{}/{}/{}",
            host.to_lowercase(),
            namespace.to_lowercase(),
            ty.to_lowercase()
        )
    })
}

/// True if a string is the version of a program, as `terraform_version` holds it:
/// `1.9.0-beta1+build`.
pub(super) fn is_version(text: &str) -> bool {
    let (text, build) = text
        .split_once('+')
        .map_or((text, None), |(version, build)| (version, Some(build)));
    let segment = |segment: &str| {
        !segment.is_empty()
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'~'))
    };
    if !build.is_none_or(|build| build.split('.').all(segment)) {
        return false;
    }
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(text.len());
    let Some((numbers, rest)) = text.split_at_checked(end) else {
        return false;
    };
    if !numbers
        .split('.')
        .all(|number| number.parse::<i64>().is_ok())
    {
        return false;
    }
    rest.is_empty()
        || rest
            .strip_prefix('-')
            .unwrap_or(rest)
            .split('.')
            .all(segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_paths_are_recognised() {
        for path in [
            "module.a",
            r#"module.a["x"].module.b[0]"#,
            r#"module.a["q\"\\\n]"].module.b-c"#,
            r#"module.a["$${x}"]"#,
            r#"module.a["\u00e7\U0001f600"]"#,
            // Names with combining marks, because Terraform takes them.
            "module.हिन्दी",
            "module.e\u{301}.module.ไทยำ",
        ] {
            assert!(is_module_path(path), "{path}");
        }
        for path in [
            "module",
            "module.",
            "module.a[",
            r#"module.a["x]"#,
            "a.b",
            "module.a.b",
            "module.a[1][2]",
            r#"module.a["${x}"]"#,
            r#"module.a["\u+123"]"#,
            r#"module.a["\u12"]"#,
            r#"module.a["\q"]"#,
            "module.a[x]",
            "module.a[",
            "module.\u{301}e",
            "module.a→b",
        ] {
            assert!(!is_module_path(path), "{path}");
        }
    }

    #[test]
    fn providers_get_their_full_form() {
        for (text, full) in [
            (
                r#"provider["registry.terraform.io/acme/relay"]"#,
                r#"provider["registry.terraform.io/acme/relay"]"#,
            ),
            (
                r#"provider["registry.opentofu.org/acme/relay"].west"#,
                r#"provider["registry.opentofu.org/acme/relay"].west"#,
            ),
            (
                r#"module.a.module.b.provider["acme/relay"]"#,
                r#"module.a.module.b.provider["registry.terraform.io/acme/relay"]"#,
            ),
            (
                r#"provider["localhost:8080/acme/relay"]"#,
                r#"provider["localhost:8080/acme/relay"]"#,
            ),
            (
                "provider.relay",
                r#"provider["registry.terraform.io/-/relay"]"#,
            ),
            (
                "provider.relay.west",
                r#"provider["registry.terraform.io/-/relay"].west"#,
            ),
            (
                "provider.terraform",
                r#"provider["terraform.io/builtin/terraform"]"#,
            ),
        ] {
            assert_eq!(provider(text).as_deref(), Some(full), "{text}");
        }
        for text in [
            "",
            "provider",
            "relay",
            "provider[0]",
            r#"provider["a/b/c/d"]"#,
            r#"provider["a//c"]"#,
            r#"module.a["x"].provider.relay"#,
            "provider.a.b.c",
            r#"provider["a/b"].west["eu"]"#,
        ] {
            assert_eq!(provider(text), None, "{text}");
        }
    }

    #[test]
    fn instances_of_providers_have_keys() {
        for (text, full) in [
            (
                r#"provider["a/b"].by["eu"]"#,
                r#"provider["registry.terraform.io/a/b"].by["eu"]"#,
            ),
            (
                r#"module.m.provider["a/b"].by[0]"#,
                r#"module.m.provider["registry.terraform.io/a/b"].by[0]"#,
            ),
            (
                r#"provider["a/b"].by"#,
                r#"provider["registry.terraform.io/a/b"].by"#,
            ),
        ] {
            assert_eq!(provider_instance(text).as_deref(), Some(full), "{text}");
        }
        for text in [
            r#"provider["a/b"]["eu"]"#,
            r#"provider["a/b"].by["eu"][0]"#,
            r#"provider["a/b"].by["eu"].c"#,
        ] {
            assert_eq!(provider_instance(text), None, "{text}");
        }
    }

    #[test]
    fn dependencies_lose_the_keys_of_their_modules() {
        assert_eq!(
            dependency(r#"module.a["x"].data.relay_site.b"#).as_deref(),
            Some("module.a.data.relay_site.b")
        );
        assert_eq!(
            dependency("relay_mast.main").as_deref(),
            Some("relay_mast.main")
        );
        for text in ["relay_mast.main[0]", "relay_mast", "module.a", "a b", ""] {
            assert_eq!(dependency(text), None, "{text}");
        }
    }

    #[test]
    fn checkable_addresses_fit_their_kind() {
        assert_eq!(
            checkable("resource", "module.a[0].t.n[1]", true).as_deref(),
            Some("module.a[0].t.n[1]")
        );
        assert_eq!(checkable("resource", "t.n[1]", false), None);
        assert_eq!(
            checkable("output", "output.x", false).as_deref(),
            Some("output.x")
        );
        assert_eq!(checkable("check", "output.x", false), None);
    }

    #[test]
    fn versions_are_recognised() {
        for version in [
            "1.9.0",
            "0.12",
            "v1.2.3",
            "1.6.0-alpha20230719",
            "1.0.0-rc.1+meta.2",
            "1.15.0-dev",
        ] {
            assert!(is_version(version), "{version}");
        }
        for version in [
            "",
            "x",
            "1..2",
            "1.9.",
            "1.9.0-",
            "1.9.0+",
            "1.9 0",
            "99999999999999999999",
        ] {
            assert!(!is_version(version), "{version}");
        }
    }

    #[test]
    fn quotes_are_short_and_steer_nothing() {
        assert_eq!(
            Quoted("a \"b\" \u{1b}[31m\u{202e}").to_string(),
            r#""a \"b\" \u{1b}[31m\u{202e}""#
        );
        let long = "x".repeat(50 << 20);
        assert_eq!(
            Quoted(&long).to_string(),
            format!("\"{}…\"", "x".repeat(LONGEST_QUOTE))
        );
    }

    #[test]
    fn keys_are_quoted_as_terraform_does() {
        assert_eq!(
            QuotedKey("a\"\\\n${x}%{y}$z\u{7}").to_string(),
            r#""a\"\\\n$${x}%%{y}$z\u0007""#
        );
    }
}
