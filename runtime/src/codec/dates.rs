//! Dates as strings, whatever crate has their type.

/// True if a date's normal form lacks what the stored string says: an offset, a zone, a time,
/// digits of a second, or a leap second.
pub(super) fn leaves_out(stored: &str, kept: &str) -> bool {
    let is_date =
        |text: &str| text.len() >= 8 && text.as_bytes().iter().take(4).all(u8::is_ascii_digit);
    if !is_date(stored) || !is_date(kept) {
        return false;
    }
    let time = |text: &str| {
        text.split_once(['T', 't', ' '])
            .map(|(_, time)| time.to_owned())
    };
    let offset = |text: &str| {
        let time = time(text)?;
        let at = time.rfind(['+', '-'])?;
        time.get(at..)
            .filter(|offset| offset.contains(|digit: char| matches!(digit, '1'..='9')))
            .map(str::to_owned)
    };
    let fraction = |text: &str| {
        let (_, after) = text.split_once('.')?;
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        Some(digits.trim_end_matches('0').len())
    };
    (time(stored).is_some() && time(kept).is_none())
        || (offset(stored).is_some() && offset(kept).is_none())
        || (stored.contains('[') && !kept.contains('['))
        || fraction(stored).unwrap_or_default() > fraction(kept).unwrap_or_default()
        || (stored.contains(":60") && !kept.contains(":60"))
}
