//! The form in which the files here describe an operator.

/// An operator that authors write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// The name.
    pub name: &'static str,
    /// The shortest useful form.
    pub form: &'static str,
    /// True if it acts on the value of a field, so that it can be done to each element.
    pub acts: bool,
    /// True if values go from prior fields into later ones, so that it may say why one that was
    /// sensitive need not be.
    pub moves: bool,
    /// The rows in the tables of operators; none if it is in the row of another.
    pub rows: &'static [Row],
}

/// A row of the tables of operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The forms that it describes.
    pub forms: &'static [&'static str],
    /// The description.
    pub description: &'static str,
}

/// One effect of a word: a variant of the runtime's table of operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each answers a question of its own"
)]
pub struct Effect {
    /// The word that authors write for it.
    pub keyword: &'static str,
    /// The name of the variant.
    pub variant: &'static str,
    /// The fields of the variant, in order.
    pub arguments: &'static [Argument],
    /// The fate of the value that it meets at its target.
    pub replaces: Replaces,
    /// The use of the prior attributes that it reads.
    pub read_as: ReadAs,
    /// True if its result is nowhere in the prior state, so that messages name the target.
    pub anew: bool,
    /// True if it may end a value and report it.
    pub drops: bool,
    /// True if each prior attribute that it reads becomes the member of its name.
    pub members: bool,
    /// The part of a value that is behind it as it was before it.
    pub keeps: Keeps,
    /// True if the objects that it takes come to the target by upgraders of their own first.
    pub carries: bool,
    /// The rule that a message of the compiler gives; empty for those that do not change the form
    /// of a value.
    pub rule: &'static str,
    /// The type of the prior value, by that of the later one.
    pub before: Before,
}

impl Effect {
    /// An effect on the value of its target that has no arguments and keeps its type.
    pub(super) const fn of(keyword: &'static str, variant: &'static str) -> Self {
        Self {
            keyword,
            variant,
            arguments: &[],
            replaces: Replaces::Never,
            read_as: ReadAs::Nothing,
            anew: false,
            drops: false,
            members: false,
            keeps: Keeps::Nothing,
            carries: false,
            rule: "",
            before: Before::Same,
        }
    }
}

/// A field of a variant of the runtime's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// The form in which it is written.
    pub kind: Kind,
    /// True if it can be wrong by itself, so that the compiler blames its place.
    pub is_blamed: bool,
}

impl Argument {
    pub(super) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            is_blamed: false,
        }
    }

    pub(super) const fn blamed(kind: Kind) -> Self {
        Self {
            kind,
            is_blamed: true,
        }
    }
}

/// The form of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A prior field.
    Prior,
    /// Several prior fields.
    Priors,
    /// A literal, or an expression in the type of the target.
    Constant,
    /// Values that are looked for.
    Matches,
    /// One of a few words.
    Choice(&'static Choice),
    /// The path of a function, and how it is called.
    Function,
    /// Old and new values.
    Table,
    /// The result for values that a table or pattern does not have.
    Otherwise,
    /// Patterns and templates.
    Forms,
    /// A template.
    Template,
    /// A pattern of parts, or the parts of a URL.
    Apart,
    /// A string.
    Text,
    /// A member of objects.
    Member,
    /// A member of objects that may be left out.
    OptionalMember,
    /// Patterns of keys.
    Patterns,
    /// Changes to the variants of an enum with data.
    Variants,
    /// True or false.
    Flag,
}

/// An option with a few words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The enum of the runtime.
    pub ty: &'static str,
    /// Its variant if nothing is written; empty if something must be.
    pub unsaid: &'static str,
    /// The words, and the variant of each.
    pub options: &'static [(&'static str, &'static str)],
}

/// The fate of the value that an operator meets at its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    /// Another value takes its place, whatever it is. Such an operator is a source.
    Always,
    /// It depends on the state which of the two counts.
    Sometimes,
    /// It is the value that the operator works on.
    Never,
}

/// The use of the prior attributes that an operator reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadAs {
    /// It reads none.
    Nothing,
    /// The value of one goes by another path, and is not carried under its own name any more.
    Moved,
    /// The value of one goes by another path, too.
    Copied,
    /// They are part of the result.
    Parts,
    /// They are put into a string.
    Texts,
}

/// The part of a value that is behind an operator as it was before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Its form.
    Form,
    /// The nested objects, or what upgraders of their own make of them.
    Objects,
    /// Neither.
    Nothing,
}

/// The type of a prior value, by the type of the later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// The same type.
    Same,
    /// The same type, and null.
    Nullable,
    /// The same type, and null if it is one of the values that are looked for.
    NullableIfMatched,
    /// The same collection, whose elements may be null if that is one of the values that are looked
    /// for.
    ElementsNullableIfMatched,
    /// A string, null where the later value may be.
    String,
    /// A list of strings, null where the later value may be.
    ListOfStrings,
    /// A list of the later value, null where that may be.
    ListOfTarget,
    /// The element of the later list, or null.
    ElementOfTarget,
    /// The member of the later object that the operator names.
    MemberOfTarget,
    /// An object with the later value as the member that the operator names.
    ObjectOfTarget,
    /// A list of objects for a map, a map for a list.
    Rekeyed,
    /// A list for each prior field: of the member of its name of the objects in a list, or of the
    /// keys or the values of a map.
    Zipped,
    /// The type of the old values of the table; the same if others are kept.
    Table,
    /// The enum with the variants that it had.
    Variants,
    /// Only the author knows: the type is written.
    Written,
}
