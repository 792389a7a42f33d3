//! A declarative upgrader as a whole: its own table, and those of the nested objects that come
//! along with it.

use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value as Json, json};

use super::table::Operators;
use crate::codec::json::Canonical;
use crate::schema::{Members, Origin, Schema, Shape};

/// All operators of a declarative upgrader.
///
/// As text, one line for each operator in the order written; those of nested objects have the path
/// before them, and objects that are only carried have no line. As JSON, the [table](Operators)
/// and, if there are such, `objects`: each with its path `at` and its `operators`.
#[derive(Debug, Clone)]
pub struct WholeUpgrader {
    own: &'static Operators,
    /// By where the objects stand first.
    objects: Vec<(Vec<&'static str>, &'static Operators)>,
}

impl WholeUpgrader {
    /// The upgrader with this table between two schemas.
    pub(in crate::upgrade) fn new(
        own: &'static Operators,
        prior: &'static Schema,
        current: &'static Schema,
    ) -> Self {
        let (mut before, mut paths) = (Vec::new(), Vec::new());
        walk(
            prior.block().members(),
            &mut Vec::new(),
            &mut |path, origin| before.push((path.to_vec(), origin)),
        );
        walk(
            current.block().members(),
            &mut Vec::new(),
            &mut |path, _| paths.push(path.to_vec()),
        );
        let mut objects: Vec<(Vec<&'static str>, &'static Operators)> = Vec::new();
        walk(
            current.block().members(),
            &mut Vec::new(),
            &mut |path, origin| {
                for (path_before, prior) in &before {
                    // A shape without a struct is that of one place; where that is still there, no
                    // other place is meant.
                    let elsewhere = !prior.onward().is_empty()
                        && path_before != path
                        && paths.contains(path_before);
                    let Some(upgrader) = origin.upgrader_from(*prior).filter(|_| !elsewhere) else {
                        continue;
                    };
                    let operators = upgrader.operators();
                    // Objects that are in several places are reported once, also where each place
                    // has a shape of its own.
                    let is = |there: &'static Operators| {
                        std::ptr::eq(there, operators) || json!(there) == json!(operators)
                    };
                    if !objects.iter().any(|(_, there)| is(there)) {
                        objects.push((path.to_vec(), operators));
                    }
                }
            },
        );
        Self { own, objects }
    }
}

/// Gets a path, and what is known of the struct that is there.
type Found<'f> = dyn FnMut(&[&'static str], Origin) + 'f;

/// Shows each kind of nested object: where it is, and its struct.
fn walk(members: Members<'static>, path: &mut Vec<&'static str>, found: &mut Found<'_>) {
    for attribute in members.attributes {
        let Shape::Nested(nested) = attribute.shape() else {
            continue;
        };
        path.push(attribute.name());
        found(path, nested.origin());
        walk(nested.members(), path, found);
        path.pop();
    }
    for block in members.blocks {
        path.push(block.name());
        found(path, block.origin());
        walk(block.block().members(), path, found);
        path.pop();
    }
}

const fn carries_only(operators: &Operators) -> bool {
    operators.productions.is_empty() && operators.drops.is_empty() && operators.notices.is_empty()
}

impl fmt::Display for WholeUpgrader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&|_| false))
    }
}

impl WholeUpgrader {
    /// The text in which operators on some attributes are shown without their constants: those
    /// whose paths, with dots between the names, are secret.
    #[doc(hidden)]
    pub fn redacted(&self, secret: &BTreeSet<String>) -> String {
        let is_it = |path: &[&str]| {
            (1..=path.len()).any(|end| {
                path.get(..end)
                    .is_some_and(|part| secret.contains(&part.join(".")))
            })
        };
        self.text(&is_it)
    }

    fn text(&self, is_secret: &dyn Fn(&[&str]) -> bool) -> String {
        let mut text = self.own.text(&|path| is_secret(path));
        for (at, operators) in self
            .objects
            .iter()
            .filter(|(_, operators)| !carries_only(operators))
        {
            let shown = operators.text(&|path| is_secret(&[at.as_slice(), path].concat()));
            for line in shown.lines() {
                let _ = write!(text, "\n{}: {line}", at.join("."));
            }
        }
        text
    }
}

impl Serialize for WholeUpgrader {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.objects.is_empty() {
            return self.own.serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(4))?;
        self.own.serialize_entries(&mut map)?;
        let objects: Json = self
            .objects
            .iter()
            .map(|(path, operators)| json!({"at": path, "operators": operators}))
            .collect();
        map.serialize_entry("objects", &Canonical(&objects))?;
        map.end()
    }
}
