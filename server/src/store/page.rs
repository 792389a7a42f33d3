//! Pages of lists, and where their rows stand, so that the last page is found as fast as the first
//! one.

use std::collections::BTreeSet;

/// A page of a list: its number counts from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The number of the page.
    pub number: u32,
    /// The number of items of a full page.
    pub size: u32,
}

impl Page {
    /// The first page of this size.
    pub(crate) const fn first(size: u32) -> Self {
        Self { number: 1, size }
    }

    /// The number of items on the pages before it.
    pub fn offset(self) -> u64 {
        u64::from(self.number.saturating_sub(1)) * u64::from(self.size)
    }

    /// Its items, of all.
    pub(crate) fn of<I: IntoIterator>(self, all: I) -> impl Iterator<Item = I::Item> {
        let skipped = usize::try_from(self.offset()).unwrap_or(usize::MAX);
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        all.into_iter().skip(skipped).take(size)
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// The number of items on all pages.
    pub total: u64,
}

/// The rows of `which` that have one of these statuses, or all. Each is named once, in one order,
/// because databases keep each statement that they have seen, and a request may name any number.
pub(super) fn with_status(which: &str, statuses: &[&str]) -> String {
    if statuses.is_empty() {
        return which.to_owned();
    }
    let each: BTreeSet<&str> = statuses.iter().copied().collect();
    let each: Vec<&str> = each.into_iter().collect();
    format!("{which} AND status IN ('{}')", each.join("', '"))
}

/// The rows of a page of a list that is ordered by number, the highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stretch {
    /// No number is missing in the list, so the page has those from one to another.
    Numbers {
        /// The lowest.
        from: i64,
        /// The highest.
        to: i64,
    },
    /// A number of rows after a number of others, counted from the nearer end.
    Rows {
        /// True if they are counted from the lowest number.
        from_lowest: bool,
        /// The number of rows before them.
        skip: i64,
        /// The number of these rows.
        take: i64,
    },
}

impl Stretch {
    /// The rows of a page of a list with `total` rows, numbered from `lowest` to `highest`; `None`
    /// if the page is beyond its end.
    pub(super) fn of(page: Page, total: u64, lowest: i64, highest: i64) -> Option<Self> {
        let (total, skip) = (
            i64::try_from(total).ok()?,
            i64::try_from(page.offset()).ok()?,
        );
        let take = i64::from(page.size).min(total.saturating_sub(skip));
        if take <= 0 {
            return None;
        }
        if highest.checked_sub(lowest)?.checked_add(1)? == total {
            let to = highest - skip;
            return Some(Self::Numbers {
                from: to - take + 1,
                to,
            });
        }
        let behind = total - skip - take;
        let from_lowest = behind < skip;
        Some(Self::Rows {
            from_lowest,
            skip: if from_lowest { behind } else { skip },
            take,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_that_are_named_again_make_no_other_statement() {
        for (statuses, expected) in [
            (vec![], "FROM job"),
            (vec!["b", "a", "b"], "FROM job AND status IN ('a', 'b')"),
            (vec!["a", "b"], "FROM job AND status IN ('a', 'b')"),
        ] {
            assert_eq!(with_status("FROM job", &statuses), expected);
        }
    }

    /// The numbers that a page shows, taken from the rows themselves.
    fn rows(stretch: Option<Stretch>, numbers: &[i64]) -> Vec<i64> {
        let some = |numbers: &mut dyn Iterator<Item = i64>, skip: i64, take: i64| -> Vec<i64> {
            let (skip, take) = (
                usize::try_from(skip).expect("a count"),
                usize::try_from(take).expect("a count"),
            );
            numbers.skip(skip).take(take).collect()
        };
        let newest_first = || numbers.iter().rev().copied();
        match stretch {
            None => Vec::new(),
            Some(Stretch::Numbers { from, to }) => newest_first()
                .filter(|number| (from..=to).contains(number))
                .collect(),
            Some(Stretch::Rows {
                from_lowest: false,
                skip,
                take,
            }) => some(&mut newest_first(), skip, take),
            Some(Stretch::Rows {
                from_lowest: true,
                skip,
                take,
            }) => {
                let mut found = some(&mut numbers.iter().copied(), skip, take);
                found.reverse();
                found
            }
        }
    }

    #[test]
    fn every_page_of_every_list_has_the_rows_that_counting_gives() {
        // Each set of numbers from 3 to 9, so that every gap occurs.
        for set in 1_u32..1 << 7 {
            let numbers: Vec<i64> = (0..7)
                .filter(|bit| set & (1 << bit) != 0)
                .map(|bit| bit + 3)
                .collect();
            let (lowest, highest) = (numbers[0], numbers[numbers.len() - 1]);
            for size in 1..=8 {
                for number in 1..=9 {
                    let page = Page { number, size };
                    let skip = usize::try_from(page.offset()).expect("a count");
                    let expected: Vec<i64> = numbers
                        .iter()
                        .rev()
                        .copied()
                        .skip(skip)
                        .take(size as usize)
                        .collect();
                    let stretch = Stretch::of(page, numbers.len() as u64, lowest, highest);
                    assert_eq!(rows(stretch, &numbers), expected, "{numbers:?} {page:?}");
                    let fewest = numbers.len() / 2;
                    if let Some(Stretch::Rows { skip, .. }) = stretch {
                        assert!(
                            usize::try_from(skip).expect("a count") <= fewest,
                            "{numbers:?} {page:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_without_bounds_are_no_panic() {
        let page = Page {
            number: u32::MAX,
            size: u32::MAX,
        };
        assert_eq!(Stretch::of(page, u64::MAX, i64::MIN, i64::MAX), None);
        assert_eq!(Stretch::of(page, 5, 1, 9), None);
        assert_eq!(
            Stretch::of(Page { number: 1, size: 2 }, 5, i64::MIN, i64::MAX),
            None
        );
    }
}
