//! Nothing but tests: what the derives refuse and how they say so (`tests/ui`), and that what they write fits into any program
//! (`tests/hygiene.rs`).

pub mod together;
