//! The order as CONTRIBUTING.md has it.

use std::collections::{BTreeMap, BTreeSet};

/// Names on floors, the lowest first.
#[derive(Debug, Default)]
pub(crate) struct Floors(Vec<Vec<String>>);

impl Floors {
    /// The floor of a name, if it is listed.
    pub(crate) fn of(&self, name: &str) -> Option<usize> {
        self.0
            .iter()
            .position(|floor| floor.iter().any(|listed| listed == name))
    }

    /// Every name.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.0.iter().flatten().cloned().collect()
    }
}

/// The blocks `layers` and `circles`.
#[derive(Debug)]
pub(crate) struct Order {
    /// The crates.
    pub(crate) crates: Floors,
    /// The rooms of each crate, by its folder, and of folders in it, by `crate/folder`.
    pub(crate) rooms: BTreeMap<String, Floors>,
    /// The number of files in the largest circle of each crate.
    pub(crate) circles: BTreeMap<String, usize>,
}

impl Order {
    /// Reads the blocks: a line `name: a < b c < d` for each crate or folder, one for the crates
    /// themselves, and a line `name: N` for the circles of each crate.
    pub(crate) fn parse(markdown: &str) -> Result<Self, String> {
        let block = |name: &str| -> Result<&str, String> {
            let (_, rest) = markdown
                .split_once(&format!("```{name}\n"))
                .ok_or_else(|| format!("there is no block `{name}`"))?;
            Ok(rest
                .split_once("```")
                .ok_or_else(|| format!("the block `{name}` has no end"))?
                .0)
        };
        let mut circles = BTreeMap::new();
        for line in block("circles")?.lines() {
            let (name, count) = line
                .split_once(':')
                .ok_or_else(|| format!("no name before {line:?}"))?;
            circles.insert(
                name.to_owned(),
                count
                    .trim()
                    .parse()
                    .map_err(|_| format!("no number in {line:?}"))?,
            );
        }
        let block = block("layers")?;
        let mut rooms = BTreeMap::new();
        for line in block.lines().filter(|line| !line.trim().is_empty()) {
            let (name, order) = line
                .split_once(':')
                .ok_or_else(|| format!("no name before {line:?}"))?;
            let floors: Vec<Vec<String>> = order
                .split('<')
                .map(|floor| floor.split_whitespace().map(str::to_owned).collect())
                .collect();
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
        Ok(Self {
            crates,
            rooms,
            circles,
        })
    }
}
