//! Members of a document that no upgrader on a way back looks at: they stay the text that they are.

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
    /// The members that stay as they are, in the order of the text, with their names.
    untouched: Vec<&'d str>,
}

impl<'d> Apart<'d> {
    /// Takes a document apart; nothing if there is no need.
    pub(super) fn of(json: &'d [u8], way: &WayBack) -> Option<Self> {
        let mut reader = Reader::from_bytes(json).ok()?;
        reader.read_exactly();
        if reader.peek().ok()? != Kind::Object {
            return None;
        }
        reader.open_object().ok()?;
        let (mut rest, mut untouched) = (vec![b'{'], Vec::new());
        let mut first = true;
        while let Some(name) = reader.next_member(std::mem::take(&mut first)).ok()? {
            let start = reader.name_position();
            reader.peek().ok()?;
            reader.skip().ok()?;
            let member = reader.text().get(start..reader.position())?;
            if way.leaves(&name) {
                untouched.push(member);
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
                .map(|member| member.len() + 1)
                .sum::<usize>()
                + 1,
        );
        for member in &self.untouched {
            if json.len() > 1 {
                json.push(b',');
            }
            json.extend_from_slice(member.as_bytes());
        }
        json.push(b'}');
    }
}
