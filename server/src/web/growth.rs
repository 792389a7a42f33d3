//! The growth of a workspace as a picture: a bar for each version.

use maud::{Markup, html};

use super::picture::{HIGHEST, height};

/// The width of a version.
const STEP: usize = 12;
/// The number of versions from which on a picture says more than a line for each.
const ENOUGH: usize = 3;

/// A number that each version has.
#[derive(Debug)]
pub(super) struct Measure {
    pub(super) name: &'static str,
    /// The serial of each version with its number, the oldest first.
    pub(super) numbers: Vec<(i64, u64)>,
    /// The number with its unit.
    pub(super) in_words: fn(u64) -> String,
}

pub(super) fn growth(measures: &[Measure]) -> Markup {
    let rows: Vec<Markup> = measures
        .iter()
        .filter(|one| one.numbers.len() >= ENOUGH)
        .map(row)
        .collect();
    html! {
        @if !rows.is_empty() {
            div .scroll tabindex="0" role="group" aria-label="Growth" { table .day.days { tbody { @for row in &rows { (row) } } } }
        }
    }
}

fn row(measure: &Measure) -> Markup {
    let Measure {
        name,
        numbers,
        in_words,
    } = measure;
    let number = |one: Option<&(i64, u64)>| one.map_or(0, |(_, number)| *number);
    let most = numbers
        .iter()
        .map(|(_, number)| *number)
        .max()
        .unwrap_or_default()
        .max(1);
    let height = |number: u64| height(number, most);
    let (first, last) = (
        in_words(number(numbers.first())),
        in_words(number(numbers.last())),
    );
    let label = format!(
        "{name} of {} versions: {first} at first, {last} at last, at most {}",
        numbers.len(),
        in_words(most)
    );
    html! {
        tr {
            th scope="row" { (name) }
            td {
                svg viewBox=(format!("0 0 {} {HIGHEST}", numbers.len() * STEP)) role="img" aria-label=(label) {
                    @for (place, (serial, number)) in numbers.iter().enumerate().filter(|(_, (_, number))| *number > 0) {
                        rect .fill-plain x=(place * STEP + 1) y=(HIGHEST - height(*number)) width=(STEP - 2) height=(height(*number)) {
                            title { "Serial " (serial) ": " (in_words(*number)) }
                        }
                    }
                }
            }
            td { (last) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_a_bar_from_three_on() {
        let drawn = |numbers: &[(i64, u64)]| {
            growth(&[Measure {
                name: "Boats",
                numbers: numbers.to_vec(),
                in_words: |number| format!("{number} boats"),
            }])
            .into_string()
        };
        assert_eq!(drawn(&[(1, 2), (2, 4)]), "");
        let picture = drawn(&[(1, 2), (2, 0), (4, 40)]);
        assert_eq!(picture.matches("<rect").count(), 2, "{picture}");
        assert!(
            picture.contains(
                "Boats of 3 versions: 2 boats at first, 40 boats at last, at most 40 boats"
            ),
            "{picture}"
        );
        assert!(
            picture.contains(
                "x=\"1\" y=\"18\" width=\"10\" height=\"2\"><title>Serial 1: 2 boats</title>"
            ),
            "{picture}"
        );
    }
}
