//! The part of two values that is shown where they differ: one function for the command line and the page.

/// A part of a value, with the stretch in it that the other value does not have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// True if the value begins before it.
    pub cut_before: bool,
    /// The part in front of the difference, which both values have.
    pub same_before: String,
    /// The difference; empty if the other value has more here, or there is no other one.
    pub differs: String,
    /// The part behind the difference, which both values have.
    pub same_after: String,
    /// True if the value goes on after it.
    pub cut_after: bool,
}

impl Window {
    /// The beginning of a value that is compared with nothing.
    pub fn of(value: &str, width: usize) -> Self {
        let same_before: String = value.chars().take(width).collect();
        Self { cut_after: same_before.len() < value.len(), same_before, ..Self::default() }
    }

    /// True if a part of the value is not in it.
    pub const fn is_cut(&self) -> bool {
        self.cut_before || self.cut_after
    }

    /// The characters from `start` on, of which those in `from..to` differ.
    fn from(value: &[char], start: usize, (from, to): (usize, usize), width: usize) -> Self {
        let end = value.len().min(start.saturating_add(width));
        let piece =
            |from: usize, to: usize| value.get(from.clamp(start, end)..to.clamp(start, end)).unwrap_or_default().iter().collect();
        Self {
            cut_before: start > 0,
            same_before: piece(start, from),
            differs: piece(from, to),
            same_after: piece(to, end),
            cut_after: end < value.len(),
        }
    }
}

/// At most `width` characters of each of two values, around the place where they first differ. Short values are whole.
pub fn windows(old: &str, new: &str, width: usize) -> (Window, Window) {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let before = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - before;
    let after = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let is_short = old.len() <= width && new.len() <= width;
    // From the beginning where the difference is near enough to it, so that the value is known by its first words.
    let start = if is_short || before < width / 2 { 0 } else { before - width / 4 };
    let window = |value: &[char]| Window::from(value, start, (before, value.len() - after), width);
    (window(&old), window(&new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(window: &Window) -> String {
        let dots = |cut| if cut { "…" } else { "" };
        format!(
            "{}{}[{}]{}{}",
            dots(window.cut_before),
            window.same_before,
            window.differs,
            window.same_after,
            dots(window.cut_after)
        )
    }

    #[test]
    fn a_difference_far_from_the_beginning_is_seen() {
        let key = "AAAAB3NzaC1yc2E".repeat(30);
        let (old, new) = windows(&format!("{key}\\n"), &key, 40);
        let same = &key[key.len() - 10..];
        assert_eq!((text(&old), text(&new)), (format!("…{same}[\\n]"), format!("…{same}[]")));
        assert!(old.is_cut() && new.is_cut());
    }

    #[test]
    fn short_values_are_whole_with_their_difference() {
        let (old, new) = windows("\"eu-west-1\"", "\"eu-central-1\"", 40);
        assert_eq!((&*text(&old), &*text(&new)), ("\"eu-[west]-1\"", "\"eu-[central]-1\""));
        assert!(!old.is_cut() && !new.is_cut());
    }

    #[test]
    fn a_difference_longer_than_the_window_is_cut_in_it() {
        let (old, new) = windows(&format!("ab{}yz", "c".repeat(100)), "abyz", 10);
        assert_eq!((&*text(&old), &*text(&new)), ("ab[cccccccc]…", "ab[]yz"));
    }

    #[test]
    fn what_begins_the_same_as_the_other_one_ends_is_counted_once() {
        for (old, new) in [("aa", "aaa"), ("", "a"), ("a", ""), ("", ""), ("abab", "ab"), ("ä\u{1f980}b", "ä\u{1f980}\u{1f980}b")]
        {
            let (before, after) = windows(old, new, 50);
            let whole = |window: &Window| format!("{}{}{}", window.same_before, window.differs, window.same_after);
            assert_eq!((&*whole(&before), &*whole(&after)), (old, new));
        }
    }

    #[test]
    fn a_value_alone_is_shown_from_its_beginning() {
        assert_eq!(text(&Window::of("abcdef", 4)), "abcd[]…");
        assert_eq!(text(&Window::of("abcd", 4)), "abcd[]");
    }
}
