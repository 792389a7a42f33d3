//! The order as CONTRIBUTING.md has it.

use std::collections::{BTreeMap, BTreeSet};

/// Names on floors, the lowest first.
#[derive(Debug, Default)]
pub(crate) struct Floors(Vec<Vec<String>>);

impl Floors {
    /// The floor of a name, if it is listed.
    pub(crate) fn of(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|floor| floor.iter().any(|listed| listed == name))
    }

    /// Every name.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.0.iter().flatten().cloned().collect()
    }
}

/// What the block `layers` says.
#[derive(Debug)]
pub(crate) struct Order {
    /// The crates.
    pub(crate) crates: Floors,
    /// The rooms of each crate, by its folder.
    pub(crate) rooms: BTreeMap<String, Floors>,
}

impl Order {
    /// Reads the block: a line `name: a < b c < d` for each crate, and one for the crates themselves.
    pub(crate) fn parse(markdown: &str) -> Result<Self, String> {
        let (_, rest) = markdown.split_once("```layers\n").ok_or("there is no block `layers`")?;
        let (block, _) = rest.split_once("```").ok_or("the block `layers` has no end")?;
        let mut rooms = BTreeMap::new();
        for line in block.lines().filter(|line| !line.trim().is_empty()) {
            let (name, order) = line.split_once(':').ok_or_else(|| format!("no name before {line:?}"))?;
            let floors: Vec<Vec<String>> =
                order.split('<').map(|floor| floor.split_whitespace().map(str::to_owned).collect()).collect();
            if floors.iter().any(Vec::is_empty) {
                return Err(format!("an empty floor in {line:?}"));
            }
            let floors = Floors(floors);
            if floors.names().len() != floors.0.iter().flatten().count() {
                return Err(format!("a name twice in {line:?}"));
            }
            rooms.insert(name.trim().to_owned(), floors);
        }
        let crates = rooms.remove("crates").ok_or("there is no line `crates`")?;
        Ok(Self { crates, rooms })
    }
}
