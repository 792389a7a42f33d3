//! The recorded costs of each kind of model, beside serde's derives.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Error, Result};
use std::path::Path;

use upstate_benches::table::Table;

use super::generate::Derive;

/// The most that a ratio may be of the recorded one.
const MORE: f64 = 1.05;

/// Compares the ratios with the recorded ones, or records them; false if one of them is too much.
///
/// Both what upstate costs and what serde costs are counted without the bare structs.
pub fn compare(counts: &[(Derive, f64)], record: bool) -> Result<bool> {
    let of = |wanted: Derive| {
        let count = counts.iter().find(|(derive, _)| *derive == wanted);
        count.map(|(_, count)| *count).unwrap_or_default()
    };
    let none = of(Derive::None);
    let serde = of(Derive::Serde) - none;
    let ratios: BTreeMap<&str, f64> = counts
        .iter()
        .filter(|(derive, _)| !matches!(derive, Derive::None | Derive::Serde))
        // Four digits, because a file with more would change with every compiler.
        .map(|(derive, count)| {
            let ratio = (count - none) / serde;
            (derive.name(), (ratio * 1e4).round() / 1e4)
        })
        .collect();
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("build-ratios.json");
    if record {
        let mut text = serde_json::to_string_pretty(&ratios).map_err(Error::other)?;
        text.push('\n');
        fs::write(&place, text)?;
        println!(
            "{} ratios are recorded in {}",
            ratios.len(),
            place.display()
        );
        return Ok(true);
    }
    let recorded: BTreeMap<String, f64> =
        serde_json::from_slice(&fs::read(&place)?).map_err(Error::other)?;
    let mut table = Table::new(["models", "ratio", "recorded", "change", ""]);
    let mut within = true;
    for (name, ratio) in ratios {
        let change = recorded.get(name).map(|recorded| ratio / recorded);
        within &= change.is_some_and(|change| change <= MORE);
        let verdict = match change {
            None => "NOT RECORDED",
            Some(change) if change > MORE => "MORE",
            Some(change) if change < 1.0 / MORE => "less: record it",
            Some(_) => "",
        };
        table.row([
            name.to_owned(),
            format!("{ratio:.4}"),
            recorded
                .get(name)
                .map_or_else(String::new, |recorded| format!("{recorded:.4}")),
            change.map_or_else(String::new, |change| {
                format!("{:+.1} %", (change - 1.0) * 100.0)
            }),
            verdict.to_owned(),
        ]);
    }
    table.print();
    if !within {
        println!(
            "\nMore than recorded. If that is meant, record it in the same commit, by `--ratios --record`."
        );
    }
    Ok(within)
}
