//! An operator as the derive knows it: its effect, which `upstate_words` describes, and its
//! arguments. Each question about it is answered from these two, so that a new operator is a word
//! there and a reader here.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Ident, LitStr, Path, Type};
use upstate_words::hash::key;
use upstate_words::operators::{Before, Choice, Effect, Keeps, Kind, ReadAs, Replaces};

use super::{
    Apart, Condition, Constant, FieldPath, Literal, LiteralValue, Match, Otherwise, Pattern,
    Segment, Stage, Template,
};

/// One effect of an operator, and its arguments in the order of [`Effect::arguments`].
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) effect: &'static Effect,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument of an operator.
#[derive(Debug, Clone)]
pub(crate) enum Argument {
    Prior(FieldPath),
    /// In the order of a function's parameters, or of the values.
    Priors(Vec<FieldPath>),
    Constant(Constant),
    Matches(Vec<Match>),
    /// The option, and the variant of the runtime's enum.
    Choice(&'static Choice, &'static str),
    /// `back` is the function of a downgrade.
    Function {
        path: Path,
        kind: FunctionKind,
        back: Option<Path>,
    },
    Table(Vec<(Literal, Literal)>),
    Otherwise(Otherwise),
    Forms(Vec<(Pattern, Template)>),
    Template(Template),
    Apart(Apart),
    Text(String),
    Member(Member),
    OptionalMember(Option<Member>),
    Patterns(Vec<Pattern>),
    /// Those of one field's enum.
    Variants(Vec<VariantChange>),
    Flag(bool),
}

/// The form of a call of a function for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// With the value.
    Plain,
    /// With the context, too.
    Context,
    /// With the context, too, and its answer is awaited.
    Async,
}

impl FunctionKind {
    /// The option of this form.
    pub(crate) const fn written(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Context => ", context",
            Self::Async => ", async",
        }
    }
}

/// A member of nested objects that an option names, and where.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Its type in the prior version, where it is written.
    pub(crate) ty: Option<Box<Type>>,
}

/// A change of a variant from the prior version to the later one.
#[derive(Debug, Clone)]
pub(crate) enum VariantChange {
    Renamed {
        from: LitStr,
        to: LitStr,
    },
    Dropped {
        name: LitStr,
        ty: Option<Box<Type>>,
        reason: LitStr,
        becomes: LitStr,
    },
    Added(LitStr),
    /// A member of the variant's content.
    Member {
        variant: Ident,
        change: MemberChange,
    },
}

/// A change of a member of what a variant holds.
#[derive(Debug, Clone)]
pub(crate) enum MemberChange {
    Renamed {
        from: Ident,
        to: Ident,
    },
    Dropped {
        name: Ident,
        ty: Box<Type>,
        reason: LitStr,
    },
    Set {
        name: Ident,
        value: Literal,
    },
    Default {
        name: Ident,
        value: Literal,
    },
    /// `empty` is the variant of the runtime's enum.
    Converted {
        name: Ident,
        ty: Box<Type>,
        empty: &'static str,
    },
}

impl MemberChange {
    /// The place that is wrong if the change is.
    fn place(&self) -> Span {
        match self {
            Self::Renamed { to, .. } => to.span(),
            Self::Dropped { name, .. } | Self::Converted { name, .. } => name.span(),
            Self::Set { value, .. } | Self::Default { value, .. } => value.span,
        }
    }

    fn spelt(&self) -> String {
        match self {
            Self::Renamed { from, to } => format!("{from} => {to}"),
            Self::Dropped { name, ty, .. } => format!("drop({name}: {})", ty.to_token_stream()),
            Self::Set { name, .. } => format!("set({name})"),
            Self::Default { name, .. } => format!("default({name})"),
            Self::Converted { name, ty, .. } => {
                format!("convert({name}: {})", ty.to_token_stream())
            }
        }
    }
}

impl VariantChange {
    /// The places of its names, in the order in which the runtime's check counts them.
    pub(super) fn places(&self) -> Vec<Span> {
        match self {
            Self::Renamed { from, to } => vec![from.span(), to.span()],
            Self::Dropped { name, becomes, .. } => vec![name.span(), becomes.span()],
            Self::Added(name) => vec![name.span()],
            Self::Member { variant, change } => vec![variant.span(), change.place()],
        }
    }

    /// The variant that the change is about, by a name that two changes of one variant share.
    pub(super) fn of(&self) -> Option<String> {
        match self {
            Self::Renamed { from, .. } => Some(from.value()),
            Self::Dropped { name, .. } | Self::Added(name) => Some(name.value()),
            Self::Member { .. } => None,
        }
    }

    fn spelt(&self) -> String {
        match self {
            Self::Renamed { from, to } => format!("{:?} => {:?}", from.value(), to.value()),
            Self::Dropped { name, ty, .. } => {
                format!("drop({:?}: {})", name.value(), ty.to_token_stream())
            }
            Self::Added(name) => format!("add({:?})", name.value()),
            Self::Member { variant, change } => format!("{variant}.{}", change.spelt()),
        }
    }
}

impl Stage {
    /// The changes of variants, and the end of the name of the type that has them: the same for the
    /// same changes of one field.
    pub(crate) fn variants(&self) -> Option<(&[VariantChange], String)> {
        let [Argument::Variants(changes)] = self.operation.arguments.as_slice() else {
            return None;
        };
        let text: Vec<String> = changes.iter().map(VariantChange::spelt).collect();
        let hash = key(&format!("{} {}", self.target.spelt(), text.join(", ")));
        Some((changes, format!("{hash:016x}")))
    }
}

impl Operation {
    pub(super) fn new(effect: &'static Effect, arguments: impl Into<Vec<Argument>>) -> Self {
        let arguments = arguments.into();
        debug_assert!(
            arguments.len() == effect.arguments.len()
                && arguments
                    .iter()
                    .zip(effect.arguments)
                    .all(|(argument, declared)| argument.is_of(declared.kind)),
            "`{}` has other arguments than its word",
            effect.variant
        );
        Self { effect, arguments }
    }

    pub(crate) const fn replaces(&self) -> Replaces {
        self.effect.replaces
    }

    /// True if its result is right of an arrow, or in a string.
    pub(crate) fn has_arrow(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| matches!(argument, Argument::Prior(_) | Argument::Priors(_)))
    }

    /// The prior fields that it names, but for those in strings.
    pub(crate) fn names(&self) -> Vec<&FieldPath> {
        let mut named = Vec::new();
        for argument in &self.arguments {
            if let Argument::Prior(from) = argument {
                named.push(from);
            } else if let Argument::Priors(from) = argument {
                named.extend(from);
            }
        }
        named
    }

    /// The prior fields that it reads.
    pub(crate) fn reads(&self) -> Vec<&FieldPath> {
        self.names()
            .into_iter()
            .chain(
                self.templates()
                    .into_iter()
                    .flatten()
                    .filter_map(Segment::prior),
            )
            .collect()
    }

    /// The strings that it puts together.
    pub(crate) fn templates(&self) -> Vec<&Template> {
        let mut templates = Vec::new();
        for argument in &self.arguments {
            if let Argument::Template(template) = argument {
                templates.push(template);
            } else if let Argument::Forms(forms) = argument {
                templates.extend(forms.iter().map(|(_, template)| template));
            }
        }
        templates
    }

    /// The prior field whose value it moves, if that counts in any case.
    pub(crate) fn moved(&self) -> Option<&FieldPath> {
        match (
            self.effect.replaces,
            self.effect.read_as,
            self.names().as_slice(),
        ) {
            (Replaces::Always, ReadAs::Moved, [from]) => Some(from),
            _ => None,
        }
    }

    /// The function that it calls.
    pub(crate) fn function(&self) -> Option<(&Path, FunctionKind, Option<&Path>)> {
        self.arguments.iter().find_map(|argument| {
            if let Argument::Function { path, kind, back } = argument {
                Some((path, *kind, back.as_ref()))
            } else {
                None
            }
        })
    }

    /// True if it calls an `async fn`.
    pub(crate) fn awaits(&self) -> bool {
        matches!(self.function(), Some((_, FunctionKind::Async, _)))
    }

    /// The value that it writes.
    pub(crate) fn constant(&self) -> Option<&Constant> {
        self.arguments.iter().find_map(|argument| {
            if let Argument::Constant(value) = argument {
                Some(value)
            } else {
                None
            }
        })
    }

    /// True if null is among the values that it looks for.
    pub(crate) fn matches_null(&self) -> bool {
        let is_null = |this: &Match| {
            matches!(
                this,
                Match::Empty
                    | Match::Literal(Literal {
                        value: LiteralValue::Null,
                        ..
                    })
            )
        };
        self.arguments.iter().any(
            |argument| matches!(argument, Argument::Matches(these) if these.iter().any(is_null)),
        )
    }

    /// True if what is behind it is as it was before it, but for null.
    pub(crate) fn keeps_values(&self) -> bool {
        let is_null = |this: &Match| {
            matches!(
                this,
                Match::Literal(Literal {
                    value: LiteralValue::Null,
                    ..
                })
            )
        };
        let finds = |argument: &Argument| match argument {
            Argument::Matches(these) => !these.iter().all(is_null),
            Argument::Patterns(_) => true,
            Argument::Prior(_)
            | Argument::Priors(_)
            | Argument::Constant(_)
            | Argument::Choice(..)
            | Argument::Function { .. }
            | Argument::Table(_)
            | Argument::Otherwise(_)
            | Argument::Forms(_)
            | Argument::Template(_)
            | Argument::Apart(_)
            | Argument::Text(_)
            | Argument::Member(_)
            | Argument::OptionalMember(_)
            | Argument::Variants(_)
            | Argument::Flag(_) => false,
        };
        self.effect.keeps == Keeps::Form && !self.arguments.iter().any(finds)
    }

    /// The table of old and new values, and the result for others.
    pub(crate) fn table(&self) -> Option<(&[(Literal, Literal)], &Otherwise)> {
        match self.arguments.as_slice() {
            [Argument::Table(table), Argument::Otherwise(other)] => Some((table, other)),
            _ => None,
        }
    }

    /// The names of members, in the order of its arguments.
    pub(crate) fn members(&self) -> Vec<&str> {
        let mut members = Vec::new();
        for argument in &self.arguments {
            if let Argument::Text(name) = argument {
                members.push(name.as_str());
            } else if let Argument::Member(member) | Argument::OptionalMember(Some(member)) =
                argument
            {
                members.push(&member.name);
            }
        }
        members
    }

    /// The member whose type is written.
    pub(crate) fn typed_member(&self) -> Option<(&str, &Type)> {
        self.arguments.iter().find_map(|argument| {
            let Argument::Member(Member {
                name, ty: Some(ty), ..
            }) = argument
            else {
                return None;
            };
            Some((name.as_str(), &**ty))
        })
    }

    /// The member that the whole value is, or that the values of a map are, in objects of which the
    /// operator names one.
    pub(crate) fn value_member(&self) -> Option<&str> {
        let nth = match self.effect.before {
            Before::MemberOfTarget => 0,
            Before::Rekeyed => 1,
            Before::Same
            | Before::Nullable
            | Before::NullableIfMatched
            | Before::ElementsNullableIfMatched
            | Before::String
            | Before::ListOfStrings
            | Before::ListOfTarget
            | Before::ElementOfTarget
            | Before::ObjectOfTarget
            | Before::Zipped
            | Before::Table
            | Before::Variants
            | Before::Written => return None,
        };
        self.members().get(nth).copied()
    }

    /// The places of the operands that can be wrong by themselves, by the numbers that the
    /// runtime's check gives them.
    pub(crate) fn operands(&self) -> Vec<(usize, Span)> {
        let mut places = Vec::new();
        for (argument, declared) in self.arguments.iter().zip(self.effect.arguments) {
            if declared.is_blamed {
                argument.places(&mut places);
            }
        }
        places
            .into_iter()
            .enumerate()
            .filter_map(|(nth, place)| Some((nth, place?)))
            .collect()
    }

    /// Visits all paths but those of the target.
    pub(super) fn for_each(&mut self, visit: &mut (dyn FnMut(&mut FieldPath) + '_)) {
        for argument in &mut self.arguments {
            if let Argument::Prior(from) = argument {
                visit(from);
            } else if let Argument::Priors(from) = argument {
                from.iter_mut().for_each(&mut *visit);
            } else if let Argument::Template(template) = argument {
                in_template(template, visit);
            } else if let Argument::Forms(forms) = argument {
                for (_, template) in forms {
                    in_template(template, visit);
                }
            }
        }
    }
}

fn in_template(template: &mut Template, visit: &mut (dyn FnMut(&mut FieldPath) + '_)) {
    for segment in template {
        if let Segment::Prior(path, _) = segment {
            visit(path);
        }
    }
}

impl Argument {
    /// True if it has the form that a word declares.
    fn is_of(&self, kind: Kind) -> bool {
        match (self, kind) {
            (Self::Choice(choice, _), Kind::Choice(declared)) => **choice == *declared,
            (Self::Prior(_), Kind::Prior)
            | (Self::Priors(_), Kind::Priors)
            | (Self::Constant(_), Kind::Constant)
            | (Self::Matches(_), Kind::Matches)
            | (Self::Function { .. }, Kind::Function)
            | (Self::Table(_), Kind::Table)
            | (Self::Otherwise(_), Kind::Otherwise)
            | (Self::Forms(_), Kind::Forms)
            | (Self::Template(_), Kind::Template)
            | (Self::Apart(_), Kind::Apart)
            | (Self::Text(_), Kind::Text)
            | (Self::Member(_), Kind::Member)
            | (Self::OptionalMember(_), Kind::OptionalMember)
            | (Self::Patterns(_), Kind::Patterns)
            | (Self::Variants(_), Kind::Variants)
            | (Self::Flag(_), Kind::Flag) => true,
            _ => false,
        }
    }

    /// Adds the place of each operand in it; nothing in place of one that cannot be wrong.
    fn places(&self, places: &mut Vec<Option<Span>>) {
        match self {
            // The compiler looks at the type of an expression, so that nothing else need blame it.
            Self::Constant(Constant::Expr(_)) => places.push(None),
            Self::Constant(Constant::Literal(Literal { span, .. })) => places.push(Some(*span)),
            Self::Matches(these) => places.extend(these.iter().map(|this| match this {
                // Null may be looked for anywhere.
                Match::Literal(Literal {
                    value: LiteralValue::Null,
                    ..
                })
                | Match::Empty => None,
                Match::Literal(Literal { span, .. }) => Some(*span),
            })),
            Self::Patterns(keys) => places.extend(keys.iter().map(|key| Some(key.span))),
            Self::Variants(changes) => {
                places.extend(changes.iter().flat_map(VariantChange::places).map(Some));
            }
            Self::Table(table) => places.extend(
                table
                    .iter()
                    .flat_map(|(old, new)| [Some(old.span), Some(new.span)]),
            ),
            Self::Otherwise(Otherwise::Become(literal)) => places.push(Some(literal.span)),
            Self::Member(member) => places.push(Some(member.span)),
            Self::OptionalMember(member) => {
                places.extend(member.iter().map(|member| Some(member.span)));
            }
            // The fields, because a function refuses its parameters there.
            Self::Priors(from) => {
                places.extend(from.iter().map(|field| Some(field.0.last()?.span())));
            }
            Self::Otherwise(Otherwise::Refuse | Otherwise::Keep)
            | Self::Prior(_)
            | Self::Choice(..)
            | Self::Function { .. }
            | Self::Forms(_)
            | Self::Template(_)
            | Self::Apart(_)
            | Self::Text(_)
            | Self::Flag(_) => {}
        }
    }
}

/// True if the value that had the target's name before is not part of the result.
pub(crate) fn starts_empty(stages: &[Stage]) -> bool {
    stages.first().is_some_and(|first| {
        first.only_if.is_none() && first.operation.replaces() == Replaces::Always
    })
}

impl Segment {
    pub(crate) fn prior(&self) -> Option<&FieldPath> {
        match self {
            Self::Prior(path, _) => Some(path),
            Self::Text(_) | Self::Found(..) => None,
        }
    }
}

impl Condition {
    /// The prior fields that it reads.
    pub(crate) fn reads(&self) -> Vec<&FieldPath> {
        match self {
            Self::Has(path) | Self::Lacks(path) | Self::Is(path, _) | Self::Fits(path, _) => {
                vec![path]
            }
            Self::Not(other) => other.reads(),
            Self::All(several) | Self::Any(several) => {
                several.iter().flat_map(Self::reads).collect()
            }
        }
    }
}
