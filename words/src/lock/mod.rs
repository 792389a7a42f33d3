//! The grammar of `upstate.lock`: its lines, the headers of entries, paths, stored forms, and the
//! numbers of both.
//!
//! The derive, the library of the lock and the command line read a lock with these functions, so
//! that all of them refuse the same lines.

pub mod fingerprint;
mod line;
mod notation;
mod number;
mod path;
mod stored;
mod values;

pub use line::{
    BEGINNING, FILE_NAME, FLATTENED, FORMATS, Header, KNOWS_FORMS, Line, Lines, MOST_VERSIONS,
    OTHERS, Problem, Status,
};
pub use notation::{Nesting, Notation, NotationError};
pub use path::{escape, is_plain, name, path, step, steps, variant};
pub use stored::{Form, Null, Stored, StoredError, unfolded};
pub use values::{
    INSIDE, OWN, inside, integers, is_atomic, is_exact_in_f32, is_integer_of_documents,
    is_integer_within, is_within, leaves_out_zero, limit,
};
