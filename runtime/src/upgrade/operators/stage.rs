//! The effect of each operator on a value on its way.

use super::convert;
use super::form::{Form, Member, Objects, element};
use super::notation::literal_value;
use super::place::Place;
use super::row::Replaces;
use super::run::{Source, carry};
use super::scalar::{self, Makes, Refusal, Scalar, Seen, compose, word};
use super::table::{Apart, Called, Constant, Existing, Operation, Path, Stage, Template};
use super::text::put;
use super::transit::Transit;
use crate::codec::{Encoding, Writer};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::PathStep;
use crate::schema::Type;
use crate::upgrade::context::ValueFunction;
use crate::value::Value;

type Result<T> = std::result::Result<T, Diagnostics>;

/// The reason that a value ends to which `existing = keep` gives no place.
const NO_ROOM: &str = "there was a value already where it was to move";
/// The reason that a value ends from which `existing = replace` takes the place.
const REPLACED: &str = "a value was moved to its place";
/// The refusal of a prior value without which a string does not get its new form.
const NEEDED: &str = "it is null, and the new form of a string needs it";

impl<'s> Source<'_, 's, '_, '_> {
    pub(super) fn step<'f>(
        &mut self,
        stage: &Stage,
        transit: Transit<'f>,
        target: Member<'f>,
    ) -> Result<Transit<'f>>
    where
        's: 'f,
    {
        if stage.each {
            self.each(stage, transit, target)
        } else {
            self.apply(&stage.operation, transit, target)
        }
    }

    /// Every operator is here: one that nobody wired does not compile, and none passes a value on
    /// that it should have changed.
    fn apply<'f>(
        &mut self,
        operation: &Operation,
        transit: Transit<'f>,
        target: Member<'f>,
    ) -> Result<Transit<'f>>
    where
        's: 'f,
    {
        match operation {
            Operation::Copy(from) => self.found(from, target),
            Operation::Take(from, existing) => {
                let found = self.found(from, target)?;
                self.counting(*existing, transit, found)
            }
            Operation::Extract(from, apart, name) => {
                let found = self.found(from, target)?;
                let made = self.scalar(|seen| scalar::extract(apart, name, seen), found, target)?;
                Ok(Transit {
                    form: Form::Made(apart.makes(name)),
                    ..made
                })
            }
            Operation::Compose(template) => {
                self.scalar(|_| Ok(Makes::Composed(template)), transit, target)
            }
            Operation::Set(constant) => {
                self.scalar(|_| Ok(Makes::Constant(constant)), transit, target)
            }
            Operation::Default(value, when) => self.scalar(
                |seen| Ok(scalar::default(value, when, seen)),
                transit,
                target,
            ),
            Operation::NullIf(these) => {
                let form = transit.form;
                let made = self.scalar(|seen| Ok(scalar::null_if(these, seen)), transit, target)?;
                Ok(Transit { form, ..made })
            }
            Operation::Values(table, other) => {
                self.scalar(|seen| scalar::values(table, other, seen), transit, target)
            }
            Operation::Reformat(forms, other) => {
                self.scalar(|seen| scalar::reformat(forms, other, seen), transit, target)
            }
            Operation::Convert(empty) => convert::scalar(transit, target.form, *empty),
            Operation::Json() => {
                let exact = self.context.is_of_document();
                if exact && convert::repeats_key(&transit, target.form) {
                    self.context.warn_of_repeated_key(transit.place.path());
                }
                convert::json(transit, target.form, exact)
            }
            Operation::Named(conversion) => {
                self.scalar(|seen| conversion.apply(seen), transit, target)
            }
            Operation::Function(Called { takes, .. })
                if transit.value.is_null() && !takes.holds.nullable =>
            {
                Ok(Transit {
                    form: Form::Open,
                    ..transit
                })
            }
            Operation::Function(Called {
                function, awaits, ..
            }) => {
                let ty = plain_type(transit.form);
                let Transit { value, place, .. } = transit;
                let value = self.answer((*function, *awaits), value, ty, (&place, &[]))?;
                Ok(Transit {
                    value,
                    form: Form::Open,
                    place: place.rearranged(None),
                })
            }
            Operation::Combine(
                from,
                Called {
                    function,
                    awaits,
                    takes,
                    ..
                },
            ) => {
                let (mut values, mut types, mut places) = (Vec::new(), Vec::new(), Vec::new());
                let (mut place, mut stays_null) = (transit.place, false);
                for (nth, path) in from.iter().enumerate() {
                    let Transit {
                        value,
                        form,
                        place: of,
                    } = self.found(path, target)?;
                    let element = takes.tuple_element(nth);
                    if value.is_null() && element.is_some_and(|(_, holds)| !holds.nullable) {
                        if self.lacks_required(path) {
                            return Err(of.refuse("it is null, and the function needs a value"));
                        }
                        stays_null = true;
                    }
                    types.push(
                        plain_type(form)
                            .or_else(|| Some(element?.0.to_type()))
                            .unwrap_or(Type::Dynamic),
                    );
                    values.push(value);
                    place = place.hidden_if(of.sensitive);
                    places.push(of);
                }
                let value = if stays_null {
                    Value::Null
                } else {
                    self.answer(
                        (*function, *awaits),
                        Value::List(values),
                        Some(Type::tuple(types)),
                        (&place, &places),
                    )?
                };
                Ok(Transit {
                    value,
                    form: Form::Open,
                    place,
                })
            }
            Operation::Structure(structure) => {
                let parts: Result<Vec<_>> = operation
                    .all_read()
                    .map(|path| self.found(path, target))
                    .collect();
                let (mut parts, mut transit) = (parts?, transit);
                if operation.row().carries {
                    let own = if operation.row().replaces == Replaces::Always {
                        None
                    } else {
                        Some(&mut transit)
                    };
                    for part in parts.iter_mut().chain(own) {
                        self.bring(part, target)?;
                    }
                }
                structure.apply(parts, transit, target, self.context)
            }
        }
    }

    /// Brings the objects of a value to the target, by upgraders of their own.
    fn bring(&mut self, part: &mut Transit<'_>, target: Member<'_>) -> Result<()> {
        if let Form::Objects(..) = part.form {
            part.value = carry(
                std::mem::take(&mut part.value),
                part.form,
                target.form,
                &part.place,
                self.context,
            )?;
        }
        Ok(())
    }

    /// The answer of an author's function to a value of this type; errors name the value by
    /// `place`. A list of several values is that of what is at the places of its `parts`.
    fn answer(
        &mut self,
        (function, awaits): (&'static dyn ValueFunction, bool),
        value: Value,
        ty: Option<Type>,
        (place, parts): (&Place, &[Place]),
    ) -> Result<Value> {
        // Because the members of such a value that no field names have come along with it.
        let given = (self.context.is_of_document() && has_object(&value))
            .then(|| (value.clone(), ty.clone()));
        let answer = if awaits {
            match self.context.answer(function, &value, ty) {
                Some(answer) => answer,
                // The upgrade is tried again when the answer is there.
                None => return Err(Diagnostics::new()),
            }
        } else {
            self.context.call(function, value, ty)
        };
        if let (Err(errors), true, false) = (&answer, awaits, place.sensitive) {
            // The errors stay as they are, because what a service says has a heading of its own.
            let placed = |error: &Diagnostic| match error.path() {
                Some(_) => error.clone(),
                None => error.clone().at(place.path()),
            };
            return Err(errors.iter().map(placed).collect());
        }
        let made =
            answer.map_err(|errors| place.refuse_by(&errors, "the value cannot be converted"))?;
        if let Some((value, ty)) = given {
            self.note_not_taken(&function.not_taken(&value, ty.as_ref()), place, parts);
        }
        Ok(made)
    }

    /// Notes what an author's function does not take of the value at a place, or of the values at
    /// those of its parts.
    #[cold]
    fn note_not_taken(
        &mut self,
        not_taken: &[(bool, Vec<PathStep>)],
        place: &Place,
        parts: &[Place],
    ) {
        for (is_kept, steps) in not_taken {
            let part = match steps.first() {
                Some(PathStep::Index(nth)) => {
                    usize::try_from(*nth).ok().and_then(|nth| parts.get(nth))
                }
                Some(PathStep::Attribute(_) | PathStep::Key(_) | PathStep::Element(_)) | None => {
                    None
                }
            };
            let (place, steps) = match part {
                Some(part) => (part, steps.get(1..).unwrap_or_default()),
                None => (place, steps.as_slice()),
            };
            let place = steps.iter().fold(place.clone(), |place, step| match step {
                PathStep::Attribute(name) => place.below(name, false),
                PathStep::Index(_) | PathStep::Key(_) | PathStep::Element(_) => {
                    place.step(step.clone())
                }
            });
            let is_cut = place.sensitive;
            let (path, around) = (place.into_path(), self.place.path().steps().len());
            let inside = path.steps().get(around..).unwrap_or_default();
            let visible = around + self.from.members.visible(inside).len;
            if is_cut {
                // Because an edit knows none by the path of the secret that it is in.
                self.context.note_unkept(path.steps(), visible);
            } else {
                self.context.note_not_taken(path.steps(), visible, *is_kept);
            }
        }
    }

    /// The prior value at a path, on its way to the target.
    fn found(&self, from: Path, target: Member<'_>) -> Result<Transit<'s>> {
        let found = self.read(from)?;
        Ok(Transit {
            place: found.place.hidden_if(target.sensitive),
            ..found
        })
    }

    /// Decides which of two values counts, the one that was there or the one that was found.
    fn counting<'f>(
        &mut self,
        existing: Existing,
        there: Transit<'f>,
        found: Transit<'f>,
    ) -> Result<Transit<'f>> {
        let (old, new) = (
            there.form.is_nothing(&there.value),
            found.form.is_nothing(&found.value),
        );
        let differ = !old && !new && found.value != there.value;
        match existing {
            Existing::Keep if !old => {
                if differ {
                    self.context.note_dropped(found.place.into_path(), NO_ROOM);
                }
                Ok(there)
            }
            Existing::Replace if new => Ok(there),
            Existing::Replace if differ => {
                self.context.note_dropped(there.place.into_path(), REPLACED);
                Ok(found)
            }
            Existing::Refuse if !old && !differ => Ok(there),
            Existing::Refuse if !old => Err(found.place.refuse(format_args!(
                "both {} and {} have a value, and they differ",
                found.place.path(),
                there.place.path()
            ))),
            Existing::Unsaid | Existing::Keep | Existing::Replace | Existing::Refuse => Ok(found),
        }
    }

    /// The result of a scalar operator for the value on its way.
    fn scalar<'f, 'o>(
        &self,
        operator: impl for<'v> FnOnce(Seen<'v>) -> std::result::Result<Makes<'o, 'v>, Refusal<'o>>,
        transit: Transit<'f>,
        target: Member<'_>,
    ) -> Result<Transit<'f>> {
        let made = operator(Seen::from(&transit.value))
            .map_err(|refusal| refusal.reported(&transit.value, &transit.place))?;
        Ok(match self.value_of(made, &transit.place, target)? {
            None => transit,
            Some((value, sensitive)) => Transit {
                value,
                form: Form::Open,
                place: transit.place.hidden_if(sensitive),
            },
        })
    }

    fn each<'f>(
        &mut self,
        stage: &Stage,
        transit: Transit<'f>,
        target: Member<'f>,
    ) -> Result<Transit<'f>>
    where
        's: 'f,
    {
        let Transit { value, form, place } = transit;
        let inner = Member {
            form: element(target.form),
            ..target
        };
        let mut each = |value, place: Place| {
            self.apply(
                &stage.operation,
                Transit {
                    value,
                    form: element(form),
                    place,
                },
                inner,
            )
            .map(|transit| transit.value)
        };
        let value = match value {
            // All of them before the first error: what an element waits for, others do not have to
            // wait for.
            Value::List(list) => {
                let steps = (0..).map(PathStep::Index);
                let made: Vec<_> = list
                    .into_iter()
                    .zip(steps)
                    .map(|(value, step)| each(value, place.step(step)))
                    .collect();
                Value::List(made.into_iter().collect::<Result<_>>()?)
            }
            Value::Map(map) => {
                let made: Vec<_> = map
                    .into_iter()
                    .map(|(key, value)| (key.clone(), each(value, place.step(PathStep::Key(key)))))
                    .collect();
                Value::Map(
                    made.into_iter()
                        .map(|(key, value)| Ok((key, value?)))
                        .collect::<Result<_>>()?,
                )
            }
            other @ (Value::Null
            | Value::Unknown
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Dynamic(_)) => other,
        };
        // The elements are what the operator made of them, no longer what the prior schema says.
        Ok(Transit {
            value,
            form: Form::Open,
            place,
        })
    }

    /// The value of what a scalar operator makes, and whether something sensitive is in it; `None`
    /// if it stays.
    fn value_of(
        &self,
        made: Makes<'_, '_>,
        place: &Place,
        target: Member<'_>,
    ) -> Result<Option<(Value, bool)>> {
        let value = match made {
            Makes::Same => return Ok(None),
            Makes::Scalar(scalar) => scalar.into(),
            Makes::Literal(literal) => literal_value(literal),
            Makes::Constant(constant) => {
                constant_value(constant, target.form, place, self.context.is_of_document())?
            }
            Makes::Text(template, parts) => {
                return self
                    .text_of(template, &parts, |part| Err(part.refuse(NEEDED)))
                    .map(Some);
            }
            Makes::Composed(template) => {
                return self.text_of(template, &[], |_| Ok(false)).map(Some);
            }
        };
        Ok(Some((value, false)))
    }

    /// The string that a template makes of what was found and of prior values, and whether
    /// something sensitive is in it. `of_null` answers for a prior value that is null: no string is
    /// made of it, or it is refused.
    fn text_of(
        &self,
        template: Template,
        parts: &[(&str, &str)],
        of_null: impl Fn(&Place) -> Result<bool>,
    ) -> Result<(Value, bool)> {
        let mut sensitive = false;
        let text = compose(template, parts, |out, path, letters| {
            let read = self.read(path)?;
            match Seen::from(&read.value) {
                Seen::Null => return of_null(&read.place),
                Seen::Text(text) => put(out, text, letters),
                Seen::Number(number) => out.push_str(&number.to_string()),
                Seen::Bool(bool) => out.push_str(word(bool)),
                Seen::List { .. } | Seen::Map { .. } | Seen::Unknown => {
                    return Err(Refusal::NotText.reported(&read.value, &read.place));
                }
            }
            sensitive |= read.place.sensitive;
            Ok(true)
        })?;
        Ok(text.map_or((Value::Null, false), |text| {
            (Value::String(text), sensitive)
        }))
    }
}

/// True if an object or a map is in a value.
fn has_object(value: &Value) -> bool {
    match value {
        Value::Map(_) => true,
        Value::List(list) => list.iter().any(has_object),
        Value::Null
        | Value::Unknown
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Dynamic(_) => false,
    }
}

impl Apart {
    /// The type of a part.
    pub(super) fn makes(&self, name: &str) -> &'static Type {
        match self {
            Self::Url(_) if name == "port" => &Type::Number,
            Self::Url(_) | Self::Pattern(_) => &Type::String,
        }
    }
}

impl From<Scalar<'_>> for Value {
    fn from(scalar: Scalar<'_>) -> Self {
        match scalar {
            Scalar::Null => Self::Null,
            Scalar::Bool(bool) => Self::Bool(bool),
            Scalar::Number(number) => Self::Number(number),
            Scalar::Text(text) => Self::String(text.into_owned()),
        }
    }
}

/// The value that a constant is; `exact` if it is one of a document, where `1.0` and `1` differ.
pub(super) fn constant_value(
    constant: &Constant,
    form: Form<'_>,
    place: &Place,
    exact: bool,
) -> Result<Value> {
    match constant {
        Constant::Literal(literal) => Ok(literal_value(literal)),
        Constant::Written(write) => {
            let mut out = Vec::new();
            let mut writer = Writer::new(&mut out, Encoding::Json);
            if exact {
                writer.write_exactly();
            }
            write(&mut writer);
            let value = match plain_type(form) {
                Some(ty) => convert::parsed(&out, &ty, exact),
                None => Value::from_untyped_json(&out),
            };
            value.map_err(|error| {
                place.refuse(format_args!(
                    "the constant does not fit: {}",
                    error.problem()
                ))
            })
        }
    }
}

/// The type of a form's values, if it is known.
pub(super) fn plain_type(form: Form<'_>) -> Option<Type> {
    match form {
        Form::Plain(ty) | Form::Made(ty) => Some(ty.clone()),
        Form::Objects(
            Objects {
                members,
                without: None,
                with: None,
                ..
            },
            nesting,
        ) => Some(members.implied_type().arranged(nesting)),
        Form::Objects(..) | Form::Open => None,
    }
}
