//! Blocks and whole schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::Location;

use super::facts::replace_deprecation;
use super::table::{Beside, Row};
use super::{
    Aside, Attribute, Check, DefinedAt, Deprecated, Fact, Holds, Members, Nesting, Origin, Shape,
    Shared, Type,
};

/// The attributes and nested blocks of a resource, or of a block inside one.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    attributes: Shared<[Attribute]>,
    blocks: Shared<[NestedBlock]>,
    description: Shared<str>,
    deprecated: Option<Shared<str>>,
    pub(super) facts: Shared<[Fact]>,
    /// True if members that no attribute names may be secret.
    hides_rest: bool,
}

impl Block {
    /// A block with these attributes, put in byte order of their names; of two with one name the
    /// later one counts.
    #[must_use]
    pub fn new(attributes: impl IntoIterator<Item = Attribute>) -> Self {
        let by_name: BTreeMap<String, Attribute> = attributes
            .into_iter()
            .map(|attribute| (attribute.name().to_owned(), attribute))
            .collect();
        Self {
            attributes: by_name.into_values().collect(),
            blocks: Shared::Static(&[]),
            description: Shared::Static(""),
            deprecated: None,
            facts: Shared::Static(&[]),
            hides_rest: false,
        }
    }

    /// The block that a table describes, made of these parts.
    pub(super) fn made(
        attributes: Shared<[Attribute]>,
        blocks: Shared<[NestedBlock]>,
        description: &'static str,
        deprecated: Option<&'static str>,
        facts: &'static [Fact],
    ) -> Self {
        let (description, deprecated) =
            (Shared::Static(description), deprecated.map(Shared::Static));
        Self {
            attributes,
            blocks,
            description,
            deprecated,
            facts: Shared::Static(facts),
            hides_rest: false,
        }
    }

    /// The block with members that no attribute names, some of them secret.
    pub(super) fn hiding_rest(self, hides_rest: bool) -> Self {
        Self { hides_rest, ..self }
    }

    /// The block as described by the field that holds it.
    pub(super) fn of_field(self, row: &Row, beside: &Beside) -> Self {
        Self {
            description: Shared::Static(row.description),
            deprecated: beside.deprecated.map(Shared::Static),
            facts: Shared::Static(beside.facts),
            ..self
        }
    }

    /// Sets the nested blocks, in byte order of their names.
    #[must_use]
    pub fn with_blocks(mut self, blocks: impl IntoIterator<Item = NestedBlock>) -> Self {
        let by_name: BTreeMap<String, NestedBlock> = blocks
            .into_iter()
            .map(|block| (block.name().to_owned(), block))
            .collect();
        self.blocks = by_name.into_values().collect();
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn described(mut self, description: impl Into<Shared<str>>) -> Self {
        self.description = description.into();
        self
    }

    /// Marks the block as deprecated, with a message or more.
    #[must_use]
    pub fn deprecate(mut self, deprecated: impl Into<Deprecated>) -> Self {
        let Deprecated { message, facts } = deprecated.into();
        self.deprecated = Some(message);
        replace_deprecation(&mut self.facts, facts);
        self
    }

    /// The attributes, in byte order of their names.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The nested blocks, in byte order of their names.
    pub fn blocks(&self) -> &[NestedBlock] {
        &self.blocks
    }

    /// The description, from the doc comment; empty if there is none.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The reason why the block should no longer be used, if there is one.
    pub fn deprecated(&self) -> Option<&str> {
        self.deprecated.as_deref()
    }

    /// The object type of the block's values.
    pub fn implied_type(&self) -> Type {
        self.members().implied_type()
    }

    #[doc(hidden)]
    pub fn members(&self) -> Members<'_> {
        Members {
            attributes: &self.attributes,
            blocks: &self.blocks,
            hides_rest: self.hides_rest,
        }
    }

    /// The words with which a message speaks of the schema: its names, at any depth, their parts,
    /// and the values that its checks allow or forbid. To hide one of them in a message because it
    /// is also somebody's secret would tell the secret. In small letters.
    #[doc(hidden)]
    pub fn vocabulary(&self) -> BTreeSet<String> {
        fn attribute(of: &Attribute, words: &mut BTreeSet<String>) {
            add_name(of.name(), words);
            match of.shape() {
                Shape::Nested(nested) => nested
                    .attributes()
                    .iter()
                    .for_each(|inner| attribute(inner, words)),
                Shape::Plain(ty) => members(ty, words),
            }
            of.checks().for_each(|check| listed(check, words));
        }
        fn listed(check: &Check, words: &mut BTreeSet<String>) {
            match check {
                // Without quotes, because the values are JSON, and a secret is not.
                Check::OneOf(values) | Check::NoneOf(values) => words.extend(
                    values
                        .iter()
                        .map(|value| value.trim_matches('"').to_lowercase()),
                ),
                Check::Each(checks) | Check::Keys(checks) => {
                    checks.iter().for_each(|check| listed(check, words));
                }
                Check::Length { .. }
                | Check::Bytes { .. }
                | Check::Range { .. }
                | Check::Pattern { .. }
                | Check::Function { .. } => {}
            }
        }
        fn block(of: &Block, words: &mut BTreeSet<String>) {
            of.attributes.iter().for_each(|one| attribute(one, words));
            for nested in of.blocks() {
                add_name(nested.name(), words);
                block(nested.block(), words);
            }
        }
        fn members(ty: &Type, words: &mut BTreeSet<String>) {
            if let Type::Object(fields) = ty {
                for field in fields.iter() {
                    add_name(field.name(), words);
                    members(field.ty(), words);
                }
            } else if let Type::List(element) | Type::Set(element) | Type::Map(element) = ty {
                members(element, words);
            } else if let Type::Tuple(elements) = ty {
                elements.iter().for_each(|element| members(element, words));
            }
        }
        fn add_name(name: &str, words: &mut BTreeSet<String>) {
            words.insert(name.to_lowercase());
            words.extend(name.split(['_', '-']).map(str::to_lowercase));
        }
        let mut words = BTreeSet::new();
        block(self, &mut words);
        words
    }

    /// True if any attribute, at any depth, is [secret](Attribute::is_secret).
    pub fn has_secret(&self) -> bool {
        self.hides_rest
            || self.attributes.iter().any(Attribute::has_secret)
            || self.blocks.iter().any(|block| block.block().has_secret())
    }
}

/// A block inside a block: its name, how often it may stand, and what is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedBlock {
    name: Shared<str>,
    nesting: Nesting,
    min_items: u64,
    max_items: u64,
    pub(super) block: Block,
    aside: Aside,
    origin: Origin,
}

impl NestedBlock {
    /// Blocks called `name`, any number of them.
    #[must_use]
    pub fn new(name: impl Into<Shared<str>>, nesting: Nesting, block: Block) -> Self {
        Self {
            name: name.into(),
            nesting,
            min_items: 0,
            max_items: 0,
            block,
            aside: Aside {
                field: None,
                holds: Holds::ANYTHING,
                info: None,
            },
            origin: Origin::NONE,
        }
    }

    /// The blocks that a row of a table tells of.
    pub(super) fn made(
        row: &Row,
        nesting: Nesting,
        block: Block,
        origin: Origin,
        beside: &Beside,
    ) -> Self {
        let (min_items, max_items) = beside.items;
        Self {
            name: Shared::Static(row.name),
            nesting,
            min_items,
            max_items,
            block,
            aside: Aside {
                field: beside.field.map(|(field, _)| field),
                holds: Holds::ANYTHING,
                info: None,
            },
            origin,
        }
    }

    pub(crate) const fn aside(&self) -> &Aside {
        &self.aside
    }

    pub(crate) const fn origin(&self) -> Origin {
        self.origin
    }

    /// Sets how many blocks there must and may be; 0 means no limit.
    #[must_use]
    pub fn items(mut self, min: u64, max: u64) -> Self {
        self.min_items = min;
        self.max_items = max;
        self
    }

    /// Its name in state.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the field that they are read into, where that is another than their name in
    /// state.
    pub const fn field(&self) -> Option<&'static str> {
        self.aside.field
    }

    /// The name of the struct that is one of the blocks with its module, and where it derives
    /// `Object`; nothing if none does.
    pub fn model(&self) -> Option<(&'static str, &'static Location<'static>)> {
        self.origin
            .defined_at
            .map(|place| (self.origin.rust_name, place))
    }

    /// The arrangement of the blocks.
    pub const fn nesting(&self) -> Nesting {
        self.nesting
    }

    /// The number of blocks that there must be at least.
    pub fn min_items(&self) -> u64 {
        self.min_items
    }

    /// The number of blocks that there may be at most; 0 if any number.
    pub fn max_items(&self) -> u64 {
        self.max_items
    }

    /// The attributes and blocks in each.
    pub const fn block(&self) -> &Block {
        &self.block
    }

    /// The type of their values.
    pub fn implied_type(&self) -> Type {
        self.block.implied_type().arranged(self.nesting)
    }
}

/// The shape of a resource at one schema version.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    version: u64,
    pub(super) block: Block,
    origin: Origin,
    is_document: bool,
    /// The flattened enums and maps, each with the path of the object that holds it, as a lock
    /// writes it.
    flattened: Vec<(String, Attribute)>,
    /// The paths of fields and variants, as a lock writes them, each with another name that it is
    /// read by.
    aliases: Vec<(String, &'static str)>,
    /// The paths of enums, as a lock writes them, each with a variant that is stored without its
    /// name, in the order in which these are tried.
    untagged: Vec<(String, &'static str)>,
}

impl Schema {
    /// A schema built at run time.
    #[must_use]
    pub fn new(version: u64, block: Block) -> Self {
        Self::made(version, block, Origin::NONE, false)
    }

    pub(super) fn made(version: u64, block: Block, origin: Origin, is_document: bool) -> Self {
        Self {
            version,
            block,
            origin,
            is_document,
            flattened: Vec::new(),
            aliases: Vec::new(),
            untagged: Vec::new(),
        }
    }

    pub(super) fn with_unlisted(
        self,
        flattened: Vec<(String, Attribute)>,
        aliases: Vec<(String, &'static str)>,
        untagged: Vec<(String, &'static str)>,
    ) -> Self {
        Self {
            flattened,
            aliases,
            untagged,
            ..self
        }
    }

    /// The schema of a resource that is defined at `place` without a struct.
    pub(crate) fn defined_at(self, place: DefinedAt) -> Self {
        Self {
            origin: Origin {
                defined_at: place,
                ..self.origin
            },
            ..self
        }
    }

    /// The version of the resource, with another block.
    pub(crate) fn with_block(&self, block: Block) -> Self {
        Self {
            block,
            ..self.clone()
        }
    }

    /// The enums and maps whose members are stored beside those of the object that holds them, each
    /// with the path of that object as a lock writes it: empty for the document itself. Only
    /// documents have any.
    pub fn flattened(&self) -> impl Iterator<Item = (&str, &Attribute)> {
        self.flattened
            .iter()
            .map(|(path, values)| (path.as_str(), values))
    }

    /// The other names that fields and variants of a document are read by, each with the path of
    /// the field or variant as a lock writes it.
    pub fn aliases(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.aliases
            .iter()
            .map(|(path, name)| (path.as_str(), *name))
    }

    /// The variants that are stored without their names in enums whose others have a tag, each with
    /// the path of the enum as a lock writes it, in the order in which they are tried. Only
    /// documents have any.
    pub fn untagged(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.untagged
            .iter()
            .map(|(path, name)| (path.as_str(), *name))
    }

    /// True if it is of a struct that derives `Document`, whose values Terraform
    /// knows nothing of.
    pub const fn is_document(&self) -> bool {
        self.is_document
    }

    /// The name of the struct with its module, and where it derives `Resource`; the name is empty,
    /// and the place that of [`ResourceDefinition::builder`](crate::ResourceDefinition::builder),
    /// if there is no struct, and nothing if it was not registered.
    ///
    /// The file is as the compiler was given it: for a package of a workspace relative to the
    /// workspace's root.
    pub fn model(&self) -> Option<(&'static str, &'static Location<'static>)> {
        self.origin
            .defined_at
            .map(|place| (self.origin.rust_name, place))
    }

    /// The schema version.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Its attributes and blocks.
    pub fn block(&self) -> &Block {
        &self.block
    }

    /// The description, from the model's doc comment; empty if there is none.
    pub fn description(&self) -> &str {
        self.block.description()
    }

    /// The reason why the resource should no longer be used, if there is one.
    pub fn deprecated(&self) -> Option<&str> {
        self.block.deprecated()
    }

    /// The object type of stored values.
    pub fn implied_type(&self) -> Type {
        self.block.implied_type()
    }

    /// True if any attribute, at any depth, is [secret](Attribute::is_secret).
    pub fn has_secret(&self) -> bool {
        self.block.has_secret()
    }
}
