//! The lines of an entry of the lock as bytes, which the compiler compares.

// Indexing is allowed, because everything here runs in the compiler, which reports a wrong index
// itself.
#![expect(clippy::indexing_slicing, reason = "const evaluation")]

/// The name of a struct without its module.
pub(super) const fn last_segment(path: &str) -> &[u8] {
    let path = path.as_bytes();
    let mut start = path.len();
    while start > 0 && path[start - 1] != b':' {
        start -= 1;
    }
    path.split_at(start).1
}

/// The line of `path`: what is stored there, and where the next line begins. It is most often the
/// next one.
pub(super) const fn find<'l>(
    lines: &'l [u8],
    cursor: usize,
    path: &[u8],
) -> Option<(&'l [u8], usize)> {
    let mut at = cursor;
    let mut again = cursor > 0;
    loop {
        if at >= lines.len() {
            if !again {
                return None;
            }
            again = false;
            at = 0;
            continue;
        }
        let (name, stored, next) = line(lines, at);
        if equal(name, path) {
            return Some((stored, next));
        }
        at = next;
    }
}

/// The line that begins at `at`: path, stored form, and where the next one begins.
pub(super) const fn line(lines: &[u8], at: usize) -> (&[u8], &[u8], usize) {
    let mut end = at;
    let mut split = at;
    while end < lines.len() && lines[end] != b'\n' {
        if split == at
            && end + 2 < lines.len()
            && lines[end] == b' '
            && lines[end + 1] == b'='
            && lines[end + 2] == b' '
        {
            split = end;
        }
        end += 1;
    }
    let from_start = lines.split_at(end).0;
    let path = from_start.split_at(split).0.split_at(at).1;
    let after = if split + 3 <= end { split + 3 } else { end };
    (path, from_start.split_at(after).1, end + 1)
}

pub(super) const fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && same_until(a, b)
}

const fn same_until(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < b.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

pub(super) const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    text.len() >= start.len() && equal(text.split_at(start.len()).0, start)
}

/// True if text has a part, which is not empty.
pub(super) const fn contains(text: &[u8], part: &[u8]) -> bool {
    let mut rest = text;
    while let [first, others @ ..] = rest {
        // Nearly every byte is another, and a call for each costs the compiler time.
        if *first == part[0] && starts_with(rest, part) {
            return true;
        }
        rest = others;
    }
    false
}

pub(super) const fn ends_with(text: &[u8], end: &[u8]) -> bool {
    text.len() >= end.len() && equal(text.split_at(text.len() - end.len()).1, end)
}
