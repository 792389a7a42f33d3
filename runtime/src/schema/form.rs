//! Stored values as other schema languages describe them.
//!
//! [`Type`](super::Type) is what Terraform's protocol says of a value. A structural schema of
//! Kubernetes says more, of every depth: which members may be absent, which integers and strings
//! there are. All of it is in the tables, and this is the one place that hands it out.

use super::table::{Row, Stored, Table, TypeInfo};
use super::{About, Check, Fact, Holds, Tagging, Takes, flags};

/// A type of values, and whether null is one of them.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct Form {
    /// The values other than null.
    pub values: Values,
    /// True if null is a value; a member is then absent as well.
    pub nullable: bool,
}

/// The values of a [`Form`].
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum Values {
    /// `true` or `false`.
    Bool,
    /// Any string.
    String,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// Whole numbers of a range.
    Integer {
        /// The least.
        min: i128,
        /// The greatest.
        max: i128,
    },
    /// Numbers of a 64-bit float, or those of them that a type with a reader of its own takes.
    Float,
    /// A number of any size.
    Number,
    /// A value beside its own type.
    Dynamic,
    /// Elements in order.
    List(Box<Form>),
    /// Elements, each once.
    Set(Box<Form>),
    /// Elements by key.
    Map(Box<Form>),
    /// A fixed number of elements.
    Tuple(Vec<Form>),
    /// Members with names.
    Object(ObjectForm),
    /// Any JSON.
    Json,
    /// One of several variants.
    Union {
        /// The enum's name with its module.
        rust_name: &'static str,
        /// The way by which a value tells its variant.
        tagging: Tagging<'static>,
        /// The stored names, each with the content.
        variants: Vec<(&'static str, Form)>,
    },
}

/// Objects with these members.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct ObjectForm {
    /// The doc comment.
    pub description: &'static str,
    /// In byte order of their names.
    pub members: Vec<MemberForm>,
    /// The names of flattened structs that need not be there, each with those that it must have if
    /// one of them is.
    pub parts: Vec<(Vec<&'static str>, Vec<&'static str>)>,
    /// The enums whose members are stored beside these.
    pub unions: Vec<UnionForm>,
    /// True if members besides must not be shown.
    pub hides_others: bool,
    /// True if there may be members besides.
    pub is_open: bool,
}

/// An enum whose members are beside others.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct UnionForm {
    /// The enum.
    pub form: Form,
    /// True if none of its members need be there.
    pub is_optional: bool,
    /// True if its members must not be shown.
    pub sensitive: bool,
}

/// A member of an object.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub struct MemberForm {
    /// The stored name.
    pub name: &'static str,
    /// The doc comment of the field.
    pub description: &'static str,
    /// The reason why clients should no longer use it, if there is one; empty if nobody wrote it.
    pub deprecated: Option<&'static str>,
    /// The values.
    pub form: Form,
    /// True if values must not be shown.
    pub sensitive: bool,
    /// Words and sentences about the field, each with its subject; also where an earlier version
    /// has it as it is today.
    pub texts: Vec<(About, &'static str)>,
    /// Its checks.
    pub checks: Vec<&'static Check>,
    /// Makes the schema of its type, as JSON, where the type has one of its own.
    pub own_schema: Option<fn() -> String>,
}

/// The facts that are about the values of a row.
fn facts_of(row: &Row) -> impl Iterator<Item = &'static Fact> {
    let has_others = row.flags & flags::OTHER_VALUES != 0;
    let facts = row.beside.map_or(&[][..], |beside| beside.facts).iter();
    facts.filter(move |fact| !(has_others && fact.is_about_values()))
}

impl ObjectForm {
    pub(crate) fn of(table: &'static Table) -> Self {
        let member = |row: &Row| MemberForm {
            name: row.name,
            description: row.description,
            deprecated: row
                .beside
                .filter(|_| row.flags & flags::SHAPE_ONLY == 0)
                .and_then(|beside| beside.deprecated),
            form: Form::of(&row.info.stored, &row.info.holds),
            sensitive: row.is_hidden(),
            texts: facts_of(row).filter_map(Fact::text).collect(),
            checks: facts_of(row).filter_map(Fact::check).collect(),
            own_schema: facts_of(row).find_map(Fact::made_schema),
        };
        let members = table.stored_members().iter().map(member).collect();
        let (mut unions, mut others) = (Vec::new(), Vec::new());
        for (field, is_optional) in table.values_beside() {
            match field.values() {
                Some(
                    values @ TypeInfo {
                        stored: Stored::Union(_),
                        ..
                    },
                ) => {
                    let form = Form::of(&values.stored, &values.holds);
                    unions.push(UnionForm {
                        form,
                        is_optional,
                        sensitive: field.hides_values(),
                    });
                }
                Some(_) | None => others.push(field),
            }
        }
        Self {
            description: table.description,
            members,
            parts: table.optional_parts(),
            unions,
            hides_others: others.iter().any(|field| field.hides_values()),
            is_open: table.keeps_unknown() && !others.is_empty(),
        }
    }
}

impl Form {
    fn of(stored: &'static Stored, holds: &'static Holds) -> Self {
        let inside = |element: &'static Stored| {
            Box::new(Self::of(
                element,
                holds.elements.unwrap_or(&Holds::ANYTHING),
            ))
        };
        let values = match stored {
            Stored::Bool => Values::Bool,
            Stored::String => match holds.takes {
                Takes::Texts(texts) => Values::OneOf(texts),
                Takes::Anything
                | Takes::Integers { .. }
                | Takes::Floats
                | Takes::OwnType
                | Takes::Objects(_)
                | Takes::Tuples(_) => Values::String,
            },
            Stored::Number => match holds.takes {
                Takes::Integers { min, max } => Values::Integer { min, max },
                Takes::Floats | Takes::OwnType => Values::Float,
                Takes::Anything | Takes::Texts(_) | Takes::Objects(_) | Takes::Tuples(_) => {
                    Values::Number
                }
            },
            Stored::Dynamic => Values::Dynamic,
            Stored::List(element) => Values::List(inside(element)),
            Stored::Set(element) => Values::Set(inside(element)),
            Stored::Map(element) => Values::Map(inside(element)),
            Stored::Tuple(elements) => {
                let of_elements: &[&Holds] = match holds.takes {
                    Takes::Tuples(elements) => elements,
                    Takes::Anything
                    | Takes::Integers { .. }
                    | Takes::Floats
                    | Takes::Texts(_)
                    | Takes::OwnType
                    | Takes::Objects(_) => &[],
                };
                let holds = of_elements
                    .iter()
                    .copied()
                    .chain(std::iter::repeat(&Holds::ANYTHING));
                Values::Tuple(
                    elements
                        .iter()
                        .zip(holds)
                        .map(|(element, holds)| Self::of(element, holds))
                        .collect(),
                )
            }
            Stored::Object(table) => Values::Object(ObjectForm::of(table)),
            Stored::Json => Values::Json,
            Stored::Union(union) => Values::Union {
                rust_name: union.rust_name,
                tagging: Tagging::parse(union.tagging).unwrap_or(Tagging::Untagged),
                variants: union
                    .variants
                    .iter()
                    .map(|row| (row.name, Self::of(&row.info.stored, &row.info.holds)))
                    .collect(),
            },
        };
        Self {
            values,
            nullable: holds.nullable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, ObjectForm, Values};
    use crate::Object as _;

    #[derive(Debug, upstate::Document)]
    struct Boat {
        length: Option<u8>,
        names: Vec<Option<String>>,
        by_port: std::collections::BTreeMap<String, Berth>,
        hull: Hull,
    }

    #[derive(Debug, upstate::Document)]
    struct Berth {
        depth: f64,
        #[attribute(sensitive)]
        code: Option<String>,
    }

    #[derive(Debug, upstate::Union)]
    #[union(tag = "kind")]
    #[allow(dead_code)]
    enum Hull {
        Steel,
        Wood { species: Option<String> },
    }

    fn shown(form: &Form) -> String {
        let text = match &form.values {
            Values::List(element) => format!("[{}]", shown(element)),
            Values::Map(element) => format!("{{{}}}", shown(element)),
            Values::Object(object) => members(object),
            Values::Union {
                tagging, variants, ..
            } => {
                let variants: Vec<_> = variants
                    .iter()
                    .map(|(name, form)| format!("{name} {}", shown(form)))
                    .collect();
                format!("{tagging}({})", variants.join("|"))
            }
            other => format!("{other:?}"),
        };
        if form.nullable {
            format!("{text}?")
        } else {
            text
        }
    }

    fn members(object: &ObjectForm) -> String {
        let member = |member: &super::MemberForm| {
            format!(
                "{}{}: {}",
                if member.sensitive { "!" } else { "" },
                member.name,
                shown(&member.form)
            )
        };
        object
            .members
            .iter()
            .map(member)
            .collect::<Vec<_>>()
            .join(", ")
    }

    #[test]
    fn forms_say_at_every_depth_what_may_be_absent() {
        assert_eq!(
            members(&ObjectForm::of(Boat::TABLE)),
            "by_port: {!code: String?, depth: Float}, hull: internal kind(Steel Tuple([])|Wood species: String?), \
             length: Integer { min: 0, max: 255 }?, names: [String?]"
        );
    }
}
