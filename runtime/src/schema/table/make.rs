//! The schemas and names that the program works with, made from tables.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use upstate_words::hash::key;
use upstate_words::lock::FLATTENED;

use super::{Beside, Row, Stored, Table, TypeInfo, UnionTable, Unlisted, VariantRow};
use crate::codec::json::Label;
use crate::schema::{
    Attribute, Block, Field, FieldHolds, Holds, Nested, NestedBlock, Nesting, Origin, Schema,
    Shape, Shared, Takes, Type, UnionType, flags,
};

/// The place where the schema of a table is kept once it is made, and the names of its fields,
/// ready to be found and to be written.
pub struct LazySchema {
    one: OnceLock<Box<dyn Made>>,
    /// Those of a struct with parameters, which has a table for each use of it, by the table's
    /// address.
    many: Option<Mutex<BTreeMap<usize, &'static dyn Made>>>,
    /// True if its tables are of the contents of variants in prior versions, which know no later
    /// table.
    is_of_prior_contents: bool,
}

impl LazySchema {
    /// Nothing made yet.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only statics have it")]
    pub const fn new() -> Self {
        Self {
            one: OnceLock::new(),
            many: None,
            is_of_prior_contents: false,
        }
    }

    /// Nothing made yet of any of several tables, those of a struct of a document with parameters.
    #[must_use]
    pub const fn of_many() -> Self {
        Self {
            one: OnceLock::new(),
            many: Some(Mutex::new(BTreeMap::new())),
            is_of_prior_contents: false,
        }
    }

    /// Nothing made yet of the contents of variants in prior versions.
    #[must_use]
    pub(super) const fn of_prior_contents() -> Self {
        Self {
            one: OnceLock::new(),
            many: Some(Mutex::new(BTreeMap::new())),
            is_of_prior_contents: true,
        }
    }

    #[inline]
    fn of(&'static self, table: &'static Table) -> &'static dyn Made {
        match &self.many {
            None => &**self.one.get_or_init(|| Box::new(OfTable::new(table))),
            Some(many) => Self::one_of(many, table),
        }
    }

    #[cold]
    fn one_of(
        many: &'static Mutex<BTreeMap<usize, &'static dyn Made>>,
        table: &'static Table,
    ) -> &'static dyn Made {
        // A map is whole also where a thread panicked that held it.
        let mut many = many.lock().unwrap_or_else(PoisonError::into_inner);
        *many
            .entry(std::ptr::from_ref(table).addr())
            .or_insert_with(|| Box::leak(Box::new(OfTable::new(table))))
    }
}

/// The schema and the names that are made of a table. The trait hides their type: otherwise the
/// compiler proves again for each static that everything in a schema may be shared between threads.
trait Made: Send + Sync {
    fn schema(&self) -> &Schema;
    fn labels(&self) -> &[Label];
}

struct OfTable {
    table: &'static Table,
    labels: Box<[Label]>,
    /// Most programs that upgrade ask for none.
    schema: OnceLock<Schema>,
}

impl OfTable {
    #[cold]
    fn new(table: &'static Table) -> Self {
        let labels = match table.document {
            Some(document) => document.names.iter().map(|name| Label::new(name)).collect(),
            None => table.rows.iter().map(|row| Label::new(row.name)).collect(),
        };
        Self {
            table,
            labels,
            schema: OnceLock::new(),
        }
    }
}

impl Made for OfTable {
    fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| self.table.make())
    }

    fn labels(&self) -> &[Label] {
        &self.labels
    }
}

debug_by_name!(LazySchema);

impl Table {
    /// The schema, made when it is first asked for.
    pub fn schema(&'static self) -> &'static Schema {
        self.schema.of(self).schema()
    }

    /// The shape of the struct, of which this may be a prior version.
    pub(crate) const fn latest(&'static self) -> &'static Self {
        let mut table = self;
        while let Some(later) = table.later {
            table = later;
        }
        table
    }

    /// The word of the rule for the names of a document's fields, also of prior versions; empty
    /// without one.
    pub(crate) const fn rename_all(&'static self) -> &'static str {
        match self.latest().document {
            Some(document) => document.rename_all,
            None => "",
        }
    }

    /// True if objects have members that no field names: where the struct has a place for them. A
    /// prior version has, if the later one has.
    pub(crate) fn keeps_unknown(&'static self) -> bool {
        let latest = self.latest();
        latest.document.is_some_and(|document| document.has_parts)
            && !latest.schema.is_of_prior_contents
    }

    /// True if documents of it are read by Terraform's rules. A prior version is, if the later one
    /// is.
    pub(crate) fn is_lenient(&'static self) -> bool {
        self.latest()
            .document
            .is_some_and(|document| document.lenient)
    }

    /// True if it is of a document that is read by the rules of documents.
    pub(crate) fn is_read_exactly(&'static self) -> bool {
        self.document.is_some() && !self.is_lenient()
    }

    /// The names of its fields, in the order of its rows.
    #[inline]
    pub(crate) fn labels(&'static self) -> &'static [Label] {
        self.schema.of(self).labels()
    }

    fn make(&'static self) -> Schema {
        let (mut flattened, mut aliases, mut untagged) = (Vec::new(), Vec::new(), Vec::new());
        for unlisted in (0..).map_while(|index| self.unlisted(index)) {
            match unlisted {
                Unlisted::Flattened {
                    path,
                    values,
                    is_optional,
                    is_hidden,
                } => {
                    flattened.push((
                        path.as_str().to_owned(),
                        Attribute::of_flattened(values, is_optional, is_hidden),
                    ));
                }
                Unlisted::Alias { path, name } => aliases.push((path.as_str().to_owned(), name)),
                Unlisted::Untagged { path, name } => {
                    untagged.push((path.as_str().to_owned(), name));
                }
            }
        }
        Schema::made(
            self.version,
            self.block(),
            self.origin(),
            self.document.is_some(),
        )
        .with_unlisted(flattened, aliases, untagged)
    }

    fn block(&'static self) -> Block {
        Block::made(
            self.attributes(),
            self.rows
                .iter()
                .filter(|row| row.is_block())
                .map(NestedBlock::of_row)
                .collect(),
            self.description,
            self.deprecated,
            self.facts.map_or(&[], |facts| facts()),
        )
        .hiding_rest(self.hides_rest())
    }

    fn attributes(&'static self) -> Shared<[Attribute]> {
        self.stored_members()
            .iter()
            .filter(|row| !row.is_block())
            .map(Attribute::of_row)
            .collect()
    }

    /// The type of its values.
    pub(crate) fn object_type(&'static self) -> Type {
        // Not of resources, because Terraform fills in what is missing there.
        let is_document = self.document.is_some();
        let field = |row: &Row| {
            let is_never_null = is_document && !row.info.is_nullable();
            let is_required = is_document && row.must_be_there();
            let field = Field::new(Shared::Static(row.name), row.info.stored.to_type());
            let null_differs = row.flags & flags::NULL_DIFFERS != 0;
            let default = row
                .beside
                .and_then(|beside| beside.default)
                .filter(|_| row.flags & flags::FILLED_IN != 0);
            field.holding(FieldHolds {
                is_required,
                is_never_null,
                null_differs,
                default,
            })
        };
        Type::Object(self.stored_members().iter().map(field).collect())
    }
}

impl Stored {
    /// The name that a person gives a value of this type.
    pub(crate) const fn noun(&self) -> &'static str {
        match self {
            Self::Bool => "a bool",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Dynamic => "a dynamic value",
            Self::List(_) => "a list",
            Self::Set(_) => "a set",
            Self::Map(_) => "a map",
            Self::Tuple(_) => "a tuple",
            Self::Object(_) => "an object",
            Self::Json => "a JSON value",
            Self::Union(_) => "a variant of an enum",
        }
    }

    /// The type itself.
    pub(crate) fn to_type(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::String => Type::String,
            Self::Number => Type::Number,
            Self::Dynamic => Type::Dynamic,
            Self::List(element) => Type::list(element.to_type()),
            Self::Set(element) => Type::set(element.to_type()),
            Self::Map(element) => Type::map(element.to_type()),
            Self::Tuple(elements) => Type::tuple(elements.iter().map(|element| element.to_type())),
            Self::Object(table) => table.object_type(),
            Self::Json => Type::Json,
            Self::Union(union) => Type::Union(union.union_type().into()),
        }
    }
}

impl UnionTable {
    fn union_type(&self) -> UnionType {
        let variant =
            |row: &VariantRow| Field::new(Shared::Static(row.name), row.info.stored.to_type());
        // Not the names of variants, because one that is gone may have had what is another name of
        // one that stays.
        let is_stored = |name: &str| self.variants.iter().any(|row| row.name == name);
        let aliases = self
            .variants
            .iter()
            .flat_map(|row| row.aliases.iter().map(|alias| (*alias, row.name)))
            .filter(|(alias, _)| !is_stored(alias));
        let untagged = self
            .variants
            .iter()
            .filter(|row| row.is_untagged)
            .map(|row| row.name);
        UnionType::new(
            self.tagging,
            self.variants.iter().map(variant).collect::<Vec<_>>(),
        )
        .read_by(aliases.collect())
        .besides(self.other, untagged.collect())
    }
}

impl Attribute {
    /// The values of a flattened enum or map, which have no name.
    fn of_flattened(values: &'static TypeInfo, is_optional: bool, is_hidden: bool) -> Self {
        let is_map = matches!(values.stored, Stored::Map(_));
        let flags = if is_optional || is_map {
            flags::FILLED_IN
        } else {
            0
        } | if is_hidden { flags::SENSITIVE } else { 0 };
        let row = Row {
            name: FLATTENED,
            key: key(FLATTENED),
            flags,
            description: "",
            info: values,
            beside: None,
        };
        let holds = Holds {
            nullable: is_optional,
            ..values.holds
        };
        let shape = Shape::Plain(Shared::from(values.stored.to_type()));
        Self::made(&row, shape, row.presence_flags(), holds, &Beside::NOTHING)
    }

    fn of_row(row: &Row) -> Self {
        let shape = match row.info.objects() {
            Some((table, nesting)) => Shape::Nested(Nested::made(
                nesting,
                table.attributes(),
                table.origin(),
                table.hides_rest(),
            )),
            None => Shape::Plain(Shared::from(row.info.stored.to_type())),
        };
        // The shape says which objects they are, and what those read, so it is not repeated here.
        let holds = match row.info.holds {
            holds @ Holds {
                takes: Takes::Objects(table),
                ..
            } => Holds {
                takes: Takes::Anything,
                lenient: holds.lenient && !table.reads_leniently(),
                ..holds
            },
            holds => holds,
        };
        Self::made(row, shape, row.presence_flags(), holds, &beside(row))
    }
}

impl NestedBlock {
    fn of_row(row: &Row) -> Self {
        let beside = beside(row);
        match row.info.objects() {
            Some((table, nesting)) => Self::made(
                row,
                nesting,
                table.block().of_field(row, &beside),
                table.origin(),
                &beside,
            ),
            // Only `BlockType`s come here, and they all hold objects.
            None => Self::made(row, Nesting::Single, Block::new([]), Origin::NONE, &beside),
        }
    }
}

/// The parts of a row that few fields have; of a prior shape only those that say how it is stored.
fn beside(row: &Row) -> Beside {
    let beside = row.beside.copied().unwrap_or(Beside::NOTHING);
    let field = beside.field.filter(|_| row.flags & flags::RENAMED == 0);
    if row.flags & flags::SHAPE_ONLY == 0 {
        Beside { field, ..beside }
    } else {
        Beside {
            field,
            items: beside.items,
            ..Beside::NOTHING
        }
    }
}
