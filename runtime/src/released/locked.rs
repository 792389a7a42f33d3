//! The content of the lock about one version of a type, as the derive read it.

// Indexing and `panic!` are allowed, because everything here runs in the compiler, which reports a
// wrong index and a panic as errors.
#![expect(clippy::indexing_slicing, clippy::panic, reason = "const evaluation")]

use super::text::equal;
use crate::message::iterate;

/// Runs a block for each entry of a list, or for each two and so on, because constants have no
/// `for`. Each has a tabulator after it.
macro_rules! entries {
    ($($entry:pat_param),+ in $list:expr => $body:block) => {{
        let mut rest: &[u8] = $list;
        while !rest.is_empty() {
            $(
                let ($entry, others) = $crate::released::locked::up_to(rest, b'\t');
                rest = others;
            )+
            $body
        }
    }};
}
pub(super) use entries;

/// Splits off what is before each of these ends, one after the other.
macro_rules! parts {
    ($rest:ident: $($end:literal => $($part:ident)+;)+) => {
        $($(let ($part, $rest) = up_to($rest, $end);)+)+
    };
}

/// One version of a type as the lock has it.
///
/// The derive writes it as one string, which costs the compiler nothing where the shape is the
/// released one:
///
/// ```text
/// type name ⇥ version ⇥ `prior`, `document` or nothing ⇥ fingerprint ⇥ number of the values ⇥ `forms` if it knows them ⇥ where a
/// difference takes operators
/// the fields that the operators of a difference name, a tabulator after each
/// numbers of other shapes that were stored under this version, a tabulator after each
/// the paths that were sensitive, a tabulator after each
/// the flattened enums and maps: path of the object, stored form and values taken, a tabulator after each; or `unknown`
/// the other names of fields and variants: path and name, a tabulator after each
/// the variants that are stored without their names: path of the enum and name, a tabulator after each
/// null, keys and scalars inside of other values: path and values taken, nothing for any string, a tabulator after each
/// a line for each attribute and block: path and stored form, and after a tabulator which values are taken if not all
/// ```
#[derive(Debug)]
pub(super) struct Locked {
    /// The resource's type name.
    pub(super) type_name: &'static [u8],
    /// Its version, in digits.
    pub(super) version: &'static [u8],
    /// True if a later version was released, so that this one is history.
    pub(super) is_prior: bool,
    /// True if it is of a document, which is always stored.
    pub(super) is_document: bool,
    /// The number of its stored shape.
    pub(super) fingerprint: u64,
    /// The number of the values its fields take, where they do not take every value of their type;
    /// 0 if all do.
    pub(super) values: u64,
    /// True if it says of each field that takes only strings or numbers of one form which that is.
    pub(super) knows_forms: bool,
    /// The words that say where a difference takes operators: the end of a sentence that begins
    /// with an operator.
    pub(super) place: &'static [u8],
    /// The fields that the operators of a difference name.
    named: &'static [u8],
    /// The numbers of other shapes.
    alternatives: &'static [u8],
    /// The paths that were sensitive.
    sensitive: &'static [u8],
    /// The flattened enums and maps; nothing if the lock is from before it had them.
    pub(super) flattened: Option<&'static [u8]>,
    /// The other names that fields and variants were read by.
    pub(super) aliases: &'static [u8],
    /// The variants that were stored without their names though others of their enum had a tag:
    /// path of the enum and name.
    pub(super) untagged: &'static [u8],
    /// The values that were taken inside of others: path and values. Nothing is known of those that
    /// it lacks.
    pub(super) inside: &'static [u8],
    /// The lines of its attributes and blocks.
    pub(super) lines: &'static [u8],
}

impl Locked {
    /// Reads what the derive wrote.
    pub(super) const fn read(text: &'static str) -> Self {
        let lines = text.as_bytes();
        parts!(lines:
            b'\t' => type_name version prior fingerprint values forms;
            b'\n' => place named alternatives sensitive flattened aliases untagged inside;
        );
        Self {
            type_name,
            version,
            is_prior: equal(prior, b"prior"),
            is_document: equal(prior, b"document"),
            fingerprint: hexadecimal(fingerprint),
            values: hexadecimal(values),
            knows_forms: equal(forms, b"forms"),
            place,
            named,
            alternatives,
            sensitive,
            flattened: if equal(flattened, b"unknown") {
                None
            } else {
                Some(flattened)
            },
            aliases,
            untagged,
            inside,
            lines,
        }
    }

    /// True if the shape with this fingerprint was stored under the version, too.
    pub(super) const fn has_alternative(&self, fingerprint: u64) -> bool {
        entries!(number in self.alternatives => {
            if hexadecimal(number) == fingerprint {
                return true;
            }
        });
        false
    }

    /// True if the value that was stored at a path was sensitive.
    pub(super) const fn is_sensitive(&self, path: &[u8]) -> bool {
        has(self.sensitive, path)
    }

    /// True if an operator of the difference names the field.
    pub(super) const fn is_named(&self, field: &str) -> bool {
        has(self.named, field.as_bytes())
    }

    /// The paths that were sensitive, each with a tabulator after it.
    pub(super) const fn sensitive(&self) -> &'static [u8] {
        self.sensitive
    }
}

/// True if a list, which has a tabulator after each entry, has the entry `wanted`.
const fn has(list: &[u8], wanted: &[u8]) -> bool {
    entries!(entry in list => {
        if equal(entry, wanted) {
            return true;
        }
    });
    false
}

/// Splits a string at the first `end`, and returns the bytes before it and the bytes after it.
pub(super) const fn up_to(text: &[u8], end: u8) -> (&[u8], &[u8]) {
    let mut at = 0;
    while at < text.len() && text[at] != end {
        at += 1;
    }
    let (before, after) = text.split_at(at);
    (
        before,
        if after.is_empty() {
            after
        } else {
            after.split_at(1).1
        },
    )
}

const fn hexadecimal(digits: &[u8]) -> u64 {
    let mut number = 0;
    iterate!(digit in digits => {
        let digit = match digit {
            b'0'..=b'9' => *digit - b'0',
            b'a'..=b'f' => *digit - b'a' + 10,
            _ => panic!("the derive wrote a fingerprint that is not hexadecimal"),
        };
        number = number << 4 | digit as u64;
    });
    number
}
