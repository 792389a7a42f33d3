//! Pictures of numbers, as SVG that the server writes: colors are classes of the style sheet, since
//! the policy of content allows no style of their own.

use maud::{Markup, html};

/// The color of a number: good news or bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Warn,
    Bad,
    Plain,
    Faint,
}

impl Tone {
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::Good => "fill-good",
            Self::Warn => "fill-warn",
            Self::Bad => "fill-bad",
            Self::Plain => "fill-plain",
            Self::Faint => "fill-faint",
        }
    }
}

/// A part of a whole.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) tone: Tone,
    pub(super) number: usize,
    /// Its name, with the number.
    pub(super) label: String,
    /// The page that lists it.
    pub(super) link: Option<String>,
}

impl Part {
    pub(super) const fn new(tone: Tone, number: usize, label: String) -> Self {
        Self {
            tone,
            number,
            label,
            link: None,
        }
    }
}

/// The height of the highest of several bars.
pub(super) const HIGHEST: usize = 20;

/// The height of the bar of a number beside others, of which the greatest is `most`.
pub(super) fn height(number: u64, most: u64) -> usize {
    // A bar that is lower than 2 would not be seen.
    usize::try_from(number.saturating_mul(20) / most)
        .unwrap_or(HIGHEST)
        .clamp(2, HIGHEST)
}

/// The width of a whole bar, in units of the picture.
const WIDTH: usize = 1000;

/// Parts of a whole as one bar, and below it the number of each. A part that is nothing is left
/// out.
pub(super) fn bar(name: &str, parts: &[Part]) -> Markup {
    let parts: Vec<&Part> = parts.iter().filter(|part| part.number > 0).collect();
    let total: usize = parts.iter().map(|part| part.number).sum();
    let mut before = 0;
    let places = parts.iter().map(|part| {
        let start = before * WIDTH / total.max(1);
        before += part.number;
        // A width of 0 would hide that there is one.
        (
            start,
            (before * WIDTH / total.max(1)).max(start + 4) - start,
        )
    });
    let places: Vec<(usize, usize)> = places.collect();
    html! {
        @if total > 0 {
            figure .bar aria-label=(name) {
                svg viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true" {
                    @for (part, (start, width)) in parts.iter().zip(&places) {
                        rect .(part.tone.class()) x=(start) y="0" width=(width) height="16" {}
                    }
                }
                figcaption {
                    @for part in &parts {
                        span .key {
                            svg viewBox="0 0 10 10" aria-hidden="true" { rect .(part.tone.class()) width="10" height="10" {} }
                            @if let Some(link) = &part.link { a href=(link) { (part.label) } } @else { (part.label) }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_part_is_seen_and_nothing_is_left_out() {
        let part = |number| Part::new(Tone::Bad, number, format!("{number} x"));
        let drawn = bar("x", &[part(99_999), part(1), part(0)]).into_string();
        assert!(drawn.contains("x=\"999\" y=\"0\" width=\"4\""), "{drawn}");
        assert_eq!(drawn.matches("<span class=\"key\">").count(), 2, "{drawn}");
        assert_eq!(bar("x", &[part(0)]).into_string(), "");
    }
}
