//! Bars as SVG, for the guide.

use std::fmt::Write as _;

/// One bar.
pub struct Bar {
    pub name: String,
    pub value: f64,
    /// Whether it is upstate's.
    pub ours: bool,
}

/// Bars that are compared with each other.
pub struct Group {
    pub name: String,
    pub bars: Vec<Bar>,
}

const WIDTH: usize = 760;
/// Where bars begin, behind their names.
const LEFT: usize = 250;
const ROW: usize = 22;
/// What is longer is cut, and its number says how long it is.
const LONGEST: f64 = 3.0;

/// A chart of ratios: a line marks 1, which is what all are compared with.
pub fn bars(title: &str, groups: &[Group], notes: &[String]) -> String {
    let scale = (WIDTH - LEFT - 60) as f64 / LONGEST;
    let rows: usize = groups.iter().map(|group| group.bars.len()).sum();
    let (top, height) = (
        40,
        40 + rows * ROW + groups.len() * (ROW + 12) + notes.len() * 16 + 16,
    );
    let mut svg = String::new();
    let mut line = |text: String| writeln!(svg, "{text}").expect("a string can be written");
    line(format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{}">"#,
        escaped(title)
    ));
    line("<style>text { font: 13px sans-serif; fill: #222 } .small { font-size: 11px; fill: #555 } .head { font-weight: bold } .value { paint-order: stroke; stroke: #fff; stroke-width: 4px }</style>".to_owned());
    line(format!(
        r##"<rect width="{WIDTH}" height="{height}" rx="6" fill="#fff"/>"##
    ));
    line(format!(
        r#"<text x="16" y="24" class="head">{}</text>"#,
        escaped(title)
    ));
    let (mut y, mut numbers) = (top, Vec::new());
    for group in groups {
        line(format!(
            r#"<text x="16" y="{}" class="head">{}</text>"#,
            y + 16,
            escaped(&group.name)
        ));
        y += ROW;
        for bar in &group.bars {
            let length = bar.value.min(LONGEST) * scale;
            let color = if bar.ours { "#b7410e" } else { "#8a97a6" };
            line(format!(
                r#"<text x="{}" y="{}" text-anchor="end">{}</text>"#,
                LEFT - 8,
                y + 15,
                escaped(&bar.name)
            ));
            line(format!(
                r#"<rect x="{LEFT}" y="{}" width="{length:.1}" height="{}" rx="2" fill="{color}"/>"#,
                y + 3,
                ROW - 6
            ));
            let x = LEFT as f64 + length + 6.0;
            numbers.push(format!(
                r#"<text x="{x:.1}" y="{}" class="value">{:.2}</text>"#,
                y + 15,
                bar.value
            ));
            y += ROW;
        }
        y += 12;
    }
    let one = LEFT as f64 + scale;
    line(format!(
        r##"<line x1="{one:.1}" x2="{one:.1}" y1="{top}" y2="{}" stroke="#222" stroke-dasharray="3 3"/>"##,
        y - 12
    ));
    // Behind the line, so that it crosses no number: each has a ground of its own.
    numbers.into_iter().for_each(&mut line);
    for note in notes {
        line(format!(
            r#"<text x="16" y="{}" class="small">{}</text>"#,
            y + 8,
            escaped(note)
        ));
        y += 16;
    }
    line("</svg>".to_owned());
    svg
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_every_bar_and_is_xml() {
        let bar = |name: &str, value| Bar {
            name: name.to_owned(),
            value,
            ours: value < 1.0,
        };
        let groups = [Group {
            name: "a < b".to_owned(),
            bars: vec![bar("one", 0.25), bar("two", 9.0)],
        }];
        let svg = bars("Title \"x\"", &groups, &["A note.".to_owned()]);
        for part in [
            "a &lt; b",
            "&quot;x&quot;",
            ">0.25<",
            ">9.00<",
            ">one<",
            ">two<",
            "A note.",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(
            svg.find("<line") < svg.find(">0.25<"),
            "the line crosses the numbers: {svg}"
        );
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }
}
