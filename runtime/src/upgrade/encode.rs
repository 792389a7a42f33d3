//! Writing models.

use super::model::{Output, Taker, put};
use super::raw_state::make_room;
use crate::codec::{EncodeError, Object, ObjectWriter, encode_members};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::schema::table::Table;

/// Writes the answer.
#[inline]
pub(super) fn encode<T: Object>(model: &T, output: &mut Output<'_>) -> Result<(), Diagnostics> {
    encode_fields(T::TABLE, &|object| model.encode(object), output)
}

/// Does so once for all models.
fn encode_fields(
    table: &'static Table,
    fields: &dyn Fn(&mut ObjectWriter<'_, '_>),
    output: &mut Output<'_>,
) -> Result<(), Diagnostics> {
    make_room(output.out, output.room);
    encode_members(table, fields, output.written, output.out).map_err(not_encodable)
}

impl Taker<'_, '_> {
    /// Takes the model that an upgrader made.
    #[inline]
    pub(super) fn take<T: Object + 'static>(self, model: T) -> Result<(), Diagnostics> {
        match self {
            Self::Place(place) => put(model, place),
            Self::Output(output) => encode(&model, output),
        }
    }
}

#[cold]
pub(super) fn not_encodable(error: EncodeError) -> Diagnostics {
    let detail = if error.is_not_finite() {
        "The upgraded state holds a number that is not finite (NaN or infinity), which cannot be stored. The stored state is unchanged."
            .to_owned()
    } else {
        format!(
            "The upgraded state cannot be stored: {}. The stored state is unchanged.",
            error.problem()
        )
    };
    Diagnostic::bug("Unable to Convert State", detail)
        .at(error.path)
        .into()
}
