//! Words that are like others.

/// The similarity by Jaro and Winkler from which a word is a misspelling of another, for the helps
/// of the derives and for the changes that follow from them; the threshold of rustc's own tools.
pub const LEAST: f64 = 0.8;
