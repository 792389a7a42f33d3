//! The proposal in a compiler's error. `runtime/src/released/check.rs` writes these sentences; the
//! tests of `next` hold the two together.

/// The parts that the source lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proposal {
    pub(crate) type_name: String,
    pub(crate) kind: Kind,
    /// Each as it is written, with `…` where only the author knows.
    pub(crate) operators: Vec<String>,
    /// The number of further ones, for which the error had no room.
    pub(crate) left_out: usize,
}

/// The purpose of the operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The stored shape changed after this version was released, so the next one is due.
    Changed { released: u64 },
    /// The upgrader that describes this version lacks operators.
    Incomplete { version: u64 },
    /// The upgrader names fields otherwise than they were: what to write, as the compiler says it.
    Misnamed { version: u64, instead: String },
    /// No operator describes what changed since this version: what to write, as the compiler says
    /// it.
    Beyond { version: u64, instead: String },
}

impl Proposal {
    /// The proposal of an error about a type, if it is such an error.
    pub(crate) fn read(error: &str, type_name: &str) -> Option<Self> {
        let changed = format!("the stored shape of `{type_name}` changed, and version ");
        let differs = format!(" of `{type_name}` was released with another shape [U0018]: ");
        let (kind, written) = if let Some((_, rest)) = error.split_once(&changed) {
            let released = number(rest)?;
            if let Some(here) = after(error, "and add here: `#[upgrade_from(") {
                (Kind::Changed { released }, here.split_once(", ")?.1)
            } else {
                let instead = format!(
                    "make this version {}, and {}",
                    released.saturating_add(1),
                    beyond(error)?
                );
                (
                    Kind::Beyond {
                        version: released,
                        instead,
                    },
                    "",
                )
            }
        } else {
            let (before, _) = error.split_once(&differs)?;
            let version = before.rsplit_once("version ")?.1.parse().ok()?;
            if let Some(instead) = after(error, "\nhelp: write ") {
                (
                    Kind::Misnamed {
                        version,
                        instead: instead.lines().next()?.to_owned(),
                    },
                    "",
                )
            } else if let Some(instead) = beyond(error) {
                (
                    Kind::Beyond {
                        version,
                        instead: instead.to_owned(),
                    },
                    "",
                )
            } else {
                (Kind::Incomplete { version }, after(error, "\nhelp: add `")?)
            }
        };
        let (operators, end) = operators(written);
        let left_out = after(end, "and ").map_or(Some(0), |rest| {
            number(rest).and_then(|count| usize::try_from(count).ok())
        })?;
        Some(Self {
            type_name: type_name.to_owned(),
            kind,
            operators,
            left_out,
        })
    }
}

/// The author's reason for an operator.
pub(crate) fn remains(operator: &str) -> Option<&'static str> {
    if operator.starts_with("rename(") {
        Some("a guess: is it the same value?")
    } else if operator.starts_with("drop(") {
        Some("write the reason")
    } else if operator.contains("declassified = \"…\"") {
        Some("it was sensitive and is no longer: write why it may be shown")
    } else if operator.contains("empty = …)") {
        Some("say what an empty string becomes: `null`, `zero` or `refuse`")
    } else if operator.contains("with = …)") {
        Some("name the function that makes it")
    } else if operator.ends_with("by = …)") {
        Some("name the member that is the key")
    } else if operator.starts_with("rekey(") {
        Some("a guess: is this member the key?")
    } else if operator.starts_with("values(") && operator.contains("=> \"…\"") {
        Some("write what the value is called now")
    } else if operator.ends_with("… => …)") {
        Some("write the old and the new values")
    } else if operator.ends_with(" = …)") {
        Some("write the value")
    } else {
        None
    }
}

fn after<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    text.split_once(start).map(|(_, rest)| rest)
}

/// The advice of an error where operators cannot describe the difference.
fn beyond(error: &str) -> Option<&str> {
    after(error, "no operator does this: ")?.lines().next()
}

/// The number at the start of a string.
fn number(text: &str) -> Option<u64> {
    text.split(|letter: char| !letter.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// The operators up to the backtick that ends them, and the rest of that line.
fn operators(text: &str) -> (Vec<String>, &str) {
    let mut operators = Vec::new();
    let (mut depth, mut quoted, mut escaped, mut start) = (0_usize, false, false, 0);
    for (at, letter) in text.char_indices() {
        let is_escaped = std::mem::take(&mut escaped);
        match letter {
            _ if is_escaped => {}
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            // A bracket at depth 0 is the upgrader's own, and a backtick is the end, so the
            // operators end here.
            ')' | '`' => {
                operators.extend(
                    text.get(start..at)
                        .map(|operator| operator.trim().to_owned())
                        .filter(|text| !text.is_empty()),
                );
                let rest = text.get(at..).unwrap_or_default();
                return (operators, rest.lines().next().unwrap_or_default());
            }
            ',' if depth == 0 => {
                operators.extend(
                    text.get(start..at)
                        .map(|operator| operator.trim().to_owned()),
                );
                start = at + 1;
            }
            _ => {}
        }
    }
    // Cut: what is not whole is left out.
    (operators, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_about_another_type_proposes_nothing() {
        let error = "evaluation panicked: the stored shape of `a_b` changed, and version 1 was released: `x` is gone\nhelp: put it back as it was\nhelp: or make this version 2, and add here: `#[upgrade_from(1 => 2, drop(x: i64, \"…\"))]`";
        assert_eq!(Proposal::read(error, "a_bc"), None);
        let read = Proposal::read(error, "a_b").unwrap();
        assert_eq!(read.kind, Kind::Changed { released: 1 });
        assert_eq!(read.operators, ["drop(x: i64, \"…\")"]);
    }

    #[test]
    fn a_change_that_no_operator_describes_is_about_its_type() {
        let advice =
            "write the struct that version 0 stored, and add `#[upgrade_from(0, model = …)]`";
        let error = format!(
            "evaluation panicked: the stored shape of `a.b` changed, and version 0 was released [U0017]: the flattened map is gone, and its values would be lost\nhelp: put it back as it was\nhelp: or make this version 1; no operator does this: {advice}\nnote: upstate.lock has the released shape"
        );
        let instead = format!("make this version 1, and {advice}");
        assert_eq!(
            Proposal::read(&error, "a.b").unwrap().kind,
            Kind::Beyond {
                version: 0,
                instead
            }
        );
        let error = format!(
            "evaluation panicked: version 0 of `a.b` was released with another shape [U0018]: `b` was there\nhelp: no operator does this: {advice}\nnote: upstate.lock has the released shape"
        );
        assert_eq!(
            Proposal::read(&error, "a.b").unwrap().kind,
            Kind::Beyond {
                version: 0,
                instead: advice.to_owned()
            }
        );
    }

    #[test]
    fn commas_and_brackets_inside_of_an_operator_do_not_end_it() {
        let list = "drop(#[attribute(sensitive, set)] x: Vec<{ a: i64, \"b`)\\\"\": i64 }>, \"…\"), rename(a => b)` to this upgrader, and 12 more operators\nnote: ";
        let (found, rest) = operators(list);
        assert_eq!(
            found,
            [
                "drop(#[attribute(sensitive, set)] x: Vec<{ a: i64, \"b`)\\\"\": i64 }>, \"…\")",
                "rename(a => b)"
            ]
        );
        assert_eq!(rest, "` to this upgrader, and 12 more operators");
    }
}
