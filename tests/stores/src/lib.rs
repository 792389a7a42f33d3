//! Tests of documents in the rows of real databases; all of them are in `tests/`.
