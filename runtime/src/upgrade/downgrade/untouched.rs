//! Members of a document that no upgrader on a way back looks at: they stay the text that they are.

use std::borrow::Cow;

use crate::codec::json::{Kind, Reader};
use crate::schema::table::{Row, Table};
use crate::upgrade::declared::PriorVersion;
use crate::upgrade::history::UpgraderKind;
use crate::upgrade::operators::DocumentWork;
use crate::upgrade::reach::work_of;

/// The upgraders on the way back from a document's current version.
pub(super) struct WayBack(Vec<Stop>);

/// An upgrader on it, with the shapes after and before it.
struct Stop {
    work: &'static DocumentWork,
    tables: [&'static Table; 2],
}

impl WayBack {
    /// The way to version `to`; nothing if it asks for whole documents, or there are several.
    pub(super) fn to(to: u64, mut reached: PriorVersion) -> Option<Self> {
        let mut stops = Vec::new();
        loop {
            let (history, table) = (reached.history(), reached.table());
            if table.document.is_none_or(|document| document.lenient) {
                return None;
            }
            if history.version() == to {
                break;
            }
            if history
                .steps()
                .iter()
                .filter(|step| step.contains(to))
                .count()
                > 1
            {
                return None;
            }
            let index = history.route(to)?;
            let (step, upgrader) = (history.steps().get(index)?, reached.upgrader(index)?);
            if matches!(step.written_as(), UpgraderKind::Unchanged) {
                break;
            }
            let declared = upgrader.operators()?;
            let stages = declared
                .operators
                .productions
                .iter()
                .flat_map(|production| production.stages);
            // Not here, because guesses about guards are judged by whole documents.
            if { stages }.any(|stage| stage.only_if.is_some()) {
                return None;
            }
            let prior = declared.prior_version()?;
            stops.push(Stop {
                work: work_of(declared, table),
                tables: [table, prior.table()],
            });
            if step.contains(to) {
                break;
            }
            reached = prior;
        }
        Some(Self(stops))
    }

    /// True if the value of a member is the same in all versions, and no operator takes part of it
    /// elsewhere.
    fn leaves(&self, name: &str) -> bool {
        self.0.iter().all(
            |Stop {
                 work,
                 tables: [after, before],
             }| match (row(after, name), row(before, name)) {
                (Some(after), Some(before)) => {
                    after.info.word == before.info.word && !work.touches(name)
                }
                (None, _) | (_, None) => false,
            },
        )
    }
}

fn row(table: &'static Table, name: &str) -> Option<&'static Row> {
    let index = table.rows.binary_search_by(|row| row.name.cmp(name)).ok()?;
    table.rows.get(index)
}

/// A document in two parts.
pub(super) struct Apart<'d> {
    /// The JSON of the other members.
    pub(super) rest: Vec<u8>,
    /// The members that stay as they are, in the order of the text: the name of each, and its text
    /// with the name.
    untouched: Vec<(Cow<'d, str>, &'d str)>,
}

impl<'d> Apart<'d> {
    /// Takes a document of the current shape apart; nothing if there is no need, or if it is not
    /// sure that each of its members is there once.
    pub(super) fn of(json: &'d [u8], table: &'static Table, way: &WayBack) -> Option<Self> {
        let mut reader = Reader::from_bytes(json).ok()?;
        reader.read_exactly();
        if reader.peek().ok()? != Kind::Object {
            return None;
        }
        reader.open_object().ok()?;
        let (mut rest, mut untouched) = (vec![b'{'], Vec::<(Cow<'d, str>, &'d str)>::new());
        let mut first = true;
        while let Some(name) = reader.next_member(std::mem::take(&mut first)).ok()? {
            // Otherwise one of them would be lost, because only a reader of all refuses the second.
            if table.aliased(&name).is_some() || untouched.iter().any(|(known, _)| *known == name) {
                return None;
            }
            let start = reader.name_position();
            reader.peek().ok()?;
            reader.skip().ok()?;
            let member = reader.text().get(start..reader.position())?;
            // Not others, because there may be any number of them, each compared with those before.
            if row(table, &name).is_some() && way.leaves(&name) {
                untouched.push((name, member));
            } else {
                if rest.len() > 1 {
                    rest.push(b',');
                }
                rest.extend_from_slice(member.as_bytes());
            }
        }
        reader.end().ok()?;
        rest.push(b'}');
        (!untouched.is_empty()).then_some(Self { rest, untouched })
    }

    /// Puts the members that stayed back into JSON of what became of the others.
    pub(super) fn put_back(&self, json: &mut Vec<u8>) {
        if json.pop() != Some(b'}') {
            return;
        }
        json.reserve(
            self.untouched
                .iter()
                .map(|(_, member)| member.len() + 1)
                .sum::<usize>()
                + 1,
        );
        for (_, member) in &self.untouched {
            if json.len() > 1 {
                json.push(b',');
            }
            json.extend_from_slice(member.as_bytes());
        }
        json.push(b'}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document as Derive;
    use crate::upgrade::model::Typed;

    #[derive(Debug, Derive)]
    #[document(type_name = "ferry.lamp", version = 1)]
    #[upgrade_from(0 => 1, rename(label => name))]
    struct Lamp {
        name: String,
        #[attribute(alias = "color")]
        colour: String,
        watts: Option<f64>,
    }

    #[test]
    fn members_that_no_field_names_are_read_where_nothing_changes() {
        let table = Typed::of::<Lamp>().model.table();
        let apart = Apart::of(br#"{"odd":1,"watts":2}"#, table, &WayBack(Vec::new()));
        let rest = apart.map(|apart| apart.rest);
        assert_eq!(rest.as_deref(), Some(br#"{"odd":1}"#.as_slice()));
    }

    fn apart(json: &[u8]) -> Option<(String, String)> {
        let typed = Typed::of::<Lamp>();
        let way = WayBack::to(0, PriorVersion::Model(typed.model)).expect("there is one");
        let apart = Apart::of(json, typed.model.table(), &way)?;
        let mut whole = apart.rest.clone();
        apart.put_back(&mut whole);
        let text = |json| String::from_utf8(json).expect("it is text");
        Some((text(apart.rest), text(whole)))
    }

    #[test]
    fn members_that_stay_are_the_text_that_they_were() {
        for (json, rest, whole) in [
            (
                r#"{"name":"a","colour":"\u00e9","watts":1.50}"#,
                r#"{"name":"a"}"#,
                r#"{"name":"a","colour":"\u00e9","watts":1.50}"#,
            ),
            (
                r#" { "watts" : 1e3 , "odd" : [ 1 ] , "n\u0061me" : "a" } "#,
                r#"{"odd" : [ 1 ],"n\u0061me" : "a"}"#,
                r#"{"odd" : [ 1 ],"n\u0061me" : "a","watts" : 1e3}"#,
            ),
            (r#"{"w\u0061tts":null}"#, "{}", r#"{"w\u0061tts":null}"#),
        ] {
            let expected = (rest.to_owned(), whole.to_owned());
            assert_eq!(apart(json.as_bytes()), Some(expected), "{json}");
        }
    }

    #[test]
    fn a_document_that_is_not_as_it_should_be_is_not_taken_apart() {
        for json in [
            "",
            "{}",
            "[]",
            "null",
            r#"{"name":"a"}"#,
            r#"{"watts":1,"watts":2}"#,
            r#"{"watts":1,"w\u0061tts":2}"#,
            r#"{"colour":"a","color":"b"}"#,
            r#"{"watts":1}x"#,
            r#"{"watts":1"#,
            r#"{"watts":01}"#,
            r#"{"watts":1,}"#,
            r#"{"colour":"\ud800"}"#,
            "{\"colour\":\"\n\"}",
            "\u{feff}{\"watts\":1}",
        ] {
            assert_eq!(apart(json.as_bytes()), None, "{json}");
        }
        assert_eq!(apart(b"{\"colour\":\"\xff\"}"), None);
    }
}
