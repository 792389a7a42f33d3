//! The pace of a job as a picture: a bar for each step, of the workspaces that ended then, and a
//! mark where some were taken over from a server that did not go on.

use maud::{Markup, html};

use super::fleet::between;
use super::frame::counted;
use super::picture::{HIGHEST, Tone, height};
use crate::service::Pace;

/// The width of a step.
const STEP: usize = 6;

/// The pace of a job, with its average in words. One step alone has none.
pub(super) fn pace(pace: &Pace) -> Markup {
    let total: u64 = pace.ended.iter().map(|(ended, _)| ended).sum();
    let taken_over: u64 = pace.taken_over.iter().sum();
    let of_server = |number: u64| {
        format!(
            "{} over from a server that did not go on",
            counted(number, "workspace was taken", "workspaces were taken")
        )
    };
    if total == 0 || pace.ended.len() < 2 {
        return html! { @if taken_over > 0 { p .soft { (of_server(taken_over)) "." } } };
    }
    let failed: u64 = pace.ended.iter().map(|(_, failed)| failed).sum();
    let most = pace
        .ended
        .iter()
        .map(|(ended, _)| *ended)
        .max()
        .unwrap_or_default()
        .max(1);
    let height = |number: u64| height(number, most);
    let average = average(total, pace.until.as_millis() - pace.since.as_millis());
    let of_step = |number: u64, failed: u64| {
        format!(
            "{}, {failed} failed",
            counted(number, "workspace", "workspaces")
        )
    };
    let mut label = format!(
        "Workspaces that ended, over time: {}; at most {most} in a step",
        of_step(total, failed)
    );
    if taken_over > 0 {
        label = format!("{label}; {}", of_server(taken_over));
    }
    html! {
        p .soft.pace {
            svg viewBox=(format!("0 0 {} {HIGHEST}", pace.ended.len() * STEP)) preserveAspectRatio="none" role="img" aria-label=(label) {
                @for (step, (ended, failed)) in pace.ended.iter().enumerate().filter(|(_, (ended, _))| *ended > 0) {
                    g {
                        title { (of_step(*ended, *failed)) ", " (between(pace.since, pace.step, step)) }
                        @for (tone, number) in [(Tone::Good, *ended), (Tone::Bad, *failed)] {
                            @if number > 0 { rect .(tone.class()) x=(step * STEP + 1) y=(HIGHEST - height(number)) width=(STEP - 1) height=(height(number)) {} }
                        }
                    }
                }
                @for (step, number) in pace.taken_over.iter().enumerate().filter(|(_, number)| **number > 0) {
                    rect .(Tone::Warn.class()) x=(step * STEP) y="0" width="1" height=(HIGHEST) {
                        title { (of_server(*number)) ", " (between(pace.since, pace.step, step)) }
                    }
                }
            }
            " " (average) " on average"
            @if taken_over > 0 { ". " (of_server(taken_over)) "." }
        }
    }
}

/// The number in the shortest unit of time in which there is one.
fn average(number: u64, millis: i64) -> String {
    const UNITS: [(&str, u64); 3] = [
        ("a second", 1000),
        ("a minute", 60_000),
        ("an hour", 3_600_000),
    ];
    let millis = u64::try_from(millis).unwrap_or_default().max(1);
    let rounded = |unit: u64| (number.saturating_mul(unit) + millis / 2) / millis;
    let found = UNITS
        .into_iter()
        .map(|(name, unit)| (name, rounded(unit)))
        .find(|(_, number)| *number > 0);
    found.map_or_else(
        || "less than one workspace an hour".to_owned(),
        |(name, number)| format!("{} {name}", counted(number, "workspace", "workspaces")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Timestamp;

    #[test]
    fn each_step_with_workspaces_has_its_bar_and_failures_theirs() {
        let drawn = |ended: Vec<(u64, u64)>, taken_over: Vec<u64>| {
            let (since, until) = (Timestamp::from_millis(0), Timestamp::from_millis(4000));
            pace(&Pace {
                since,
                until,
                step: 1000,
                ended,
                taken_over,
            })
            .into_string()
        };
        let picture = drawn(vec![(40, 0), (0, 0), (80, 1), (3, 3)], vec![0; 4]);
        assert_eq!(
            picture.matches("class=\"fill-good\"").count(),
            3,
            "{picture}"
        );
        assert_eq!(
            picture.matches("class=\"fill-bad\"").count(),
            2,
            "{picture}"
        );
        assert!(
            picture.contains("class=\"fill-good\" x=\"1\" y=\"10\" width=\"5\" height=\"10\""),
            "{picture}"
        );
        assert!(
            picture.contains("<title>80 workspaces, 1 failed, 1970-01-01 00:00:02 UTC to "),
            "{picture}"
        );
        let label = "aria-label=\"Workspaces that ended, over time: 123 workspaces, 4 failed; at most 80 in a step\"";
        assert!(
            picture.contains(label) && picture.ends_with(" 31 workspaces a second on average</p>"),
            "{picture}"
        );
        assert!(!picture.contains("fill-warn"), "{picture}");
        assert_eq!(
            (
                drawn(vec![(1, 0)], vec![0]),
                drawn(vec![(0, 0), (0, 0)], vec![0, 0])
            ),
            (String::new(), String::new())
        );
        // The death of a server is marked in its step, and in words where there is no picture, too.
        let picture = drawn(vec![(4, 0), (0, 0), (4, 0)], vec![0, 2, 1]);
        let mark = "class=\"fill-warn\" x=\"6\" y=\"0\" width=\"1\" height=\"20\"><title>\
                    2 workspaces were taken over from a server that did not go on, 1970-01-01 00:00:01 UTC to ";
        assert!(picture.contains(mark), "{picture}");
        let words = "3 workspaces were taken over from a server that did not go on";
        assert!(
            picture.contains(&format!("in a step; {words}\""))
                && picture.ends_with(&format!(" on average. {words}.</p>")),
            "{picture}"
        );
        assert_eq!(
            drawn(vec![(0, 0)], vec![1]),
            "<p class=\"soft\">1 workspace was taken over from a server that did not go on.</p>"
        );
    }

    #[test]
    fn an_average_has_a_unit_in_which_it_is_a_number() {
        assert_eq!(average(3, 180_000), "1 workspace a minute");
        assert_eq!(average(90, 60_000), "2 workspaces a second");
        assert_eq!(average(1, 3_600_000 * 5), "less than one workspace an hour");
        assert_eq!(average(7, 0), "7000 workspaces a second");
    }
}
