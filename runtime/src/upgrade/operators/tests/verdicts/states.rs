//! States of a schema, the same in every run.

use super::super::super::form::{Form, Member, member};
use crate::schema::{Field, Holds, Members, Nesting, Tagging, Takes, Type, UnionType};
use crate::value::Value;

/// Strings that some operator looks at, and spellings of one value.
const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "b",
    "c",
    "x",
    "A",
    "auto",
    "manual",
    "on",
    "off",
    "0",
    "1",
    "7",
    "007",
    "1e3",
    "1.0",
    "-0",
    "-7",
    "1.5",
    "true",
    "false",
    "True",
    "null",
    "[]",
    "{}",
    "[1]",
    "[\"a\"]",
    "[ \"a\" ]",
    "[\"a\",\"b\"]",
    "{\"a\":\"b\"}",
    "a,b",
    "a,,b",
    ",",
    "a/b",
    "a/b/c",
    "/a/b",
    "as/a/bs/b",
    "AS/a/bs/b",
    "a_b",
    "x-a",
    "x--a",
    "-a/b",
    "x-a/b-y",
    "1h30m",
    "90m",
    "5400s",
    "1h30m0s",
    " a ",
    "a:80",
    "a:80/b",
    "a:443/",
    "host",
    "aws:x",
    "9223372036854775807",
    "18446744073709551616",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "7",
    "60",
    "80",
    "443",
    "5400",
    "-1",
    "300",
    "1.5",
    "0.1",
    "1000",
    "-9223372036854775808",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "9007199254740993",
];
const KEYS: &[&str] = &[
    "a", "b", "k", "1", "007", "1e3", "-0", "aws:x", "auto", "true", "",
];

/// A source of states.
pub(super) struct States(u64);

impl States {
    pub(super) fn seeded(name: &str, version: u64) -> Self {
        let seed = |seed: u64, byte: u8| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ version, seed))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    pub(super) fn object(&mut self, members: Members<'_>) -> Value {
        members
            .names()
            .filter_map(|name| Some((name.to_owned(), self.member(member(members, name)?))))
            .collect()
    }

    fn member(&mut self, member: Member<'_>) -> Value {
        if member.holds.nullable && self.one_in(4) {
            return Value::Null;
        }
        match member.form {
            Form::Objects(objects, nesting) => match nesting {
                Nesting::Single => self.object(objects.members),
                Nesting::List | Nesting::Set => Value::List(
                    (0..self.below(4))
                        .map(|_| self.object(objects.members))
                        .collect(),
                ),
                Nesting::Map => self
                    .keys(&member.holds)
                    .into_iter()
                    .map(|key| (key, self.object(objects.members)))
                    .collect(),
            },
            Form::Plain(ty) => self.plain(ty, &member.holds),
            Form::Made(_) | Form::Open => Value::Null,
        }
    }

    fn keys(&mut self, holds: &Holds) -> Vec<String> {
        let count = self.below(4);
        let key = |states: &mut Self| match holds.keys.map(|keys| keys.takes) {
            Some(Takes::Integers { min, max }) => states.integer(min, max),
            Some(Takes::Texts(texts)) => states.one(texts).to_owned(),
            Some(
                Takes::Anything
                | Takes::Floats
                | Takes::OwnType
                | Takes::Objects(_)
                | Takes::Tuples(_),
            )
            | None => states.one(KEYS).to_owned(),
        };
        (0..count).map(|_| key(self)).collect()
    }

    fn integer(&mut self, min: i128, max: i128) -> String {
        let int = NUMBERS
            .iter()
            .filter_map(|text| text.parse::<i128>().ok())
            .filter(|int| (min..=max).contains(int));
        let ints: Vec<i128> = int.chain([min, max]).collect();
        self.one(&ints).to_string()
    }

    fn plain(&mut self, ty: &Type, holds: &Holds) -> Value {
        let number = |text: &str| Value::Number(text.parse().unwrap());
        match (ty, holds.takes) {
            (Type::String, Takes::Texts(texts)) => self.one(texts).into(),
            (Type::Number, Takes::Integers { min, max }) => number(&self.integer(min, max)),
            (Type::String, _) => self.one(TEXTS).into(),
            (Type::Number, _) => number(self.one(NUMBERS)),
            (Type::Bool, _) => Value::Bool(self.one_in(2)),
            (Type::List(element) | Type::Set(element), _) => Value::List(
                (0..self.below(4))
                    .map(|_| self.element(element, holds))
                    .collect(),
            ),
            (Type::Map(element), _) => self
                .keys(holds)
                .into_iter()
                .map(|key| (key, self.element(element, holds)))
                .collect(),
            (Type::Object(fields), _) => fields
                .iter()
                .map(|field: &Field| {
                    (
                        field.name().to_owned(),
                        self.element(field.ty(), &Holds::ANYTHING),
                    )
                })
                .collect(),
            (Type::Tuple(types), Takes::Tuples(all)) => Value::List(
                types
                    .iter()
                    .zip(all)
                    .map(|(ty, holds)| self.held(ty, holds))
                    .collect(),
            ),
            (Type::Tuple(types), _) => Value::List(
                types
                    .iter()
                    .map(|ty| self.element(ty, &Holds::ANYTHING))
                    .collect(),
            ),
            (Type::Json, _) => Value::Bool(self.below(2) == 0),
            (Type::Union(union), _) => self.variant(union),
            (Type::Dynamic, _) => {
                let ty = self.one(&[0, 1, 2, 3]);
                let ty = [
                    Type::String,
                    Type::Number,
                    Type::Bool,
                    Type::list(Type::String),
                ]
                .into_iter()
                .nth(ty)
                .unwrap();
                let value = self.plain(&ty, &Holds::ANYTHING);
                Value::Dynamic(Box::new((ty, value)))
            }
        }
    }

    fn variant(&mut self, union: &UnionType) -> Value {
        let variant = &union.variants()[self.below(union.variants().len())];
        let is_unit = matches!(variant.ty(), Type::Tuple(elements) if elements.is_empty());
        let (name, content) = (
            Value::from(variant.name()),
            self.plain(variant.ty(), &Holds::ANYTHING),
        );
        let object = |members: Vec<(&str, Value)>| {
            members
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()
        };
        match (union.form(), content) {
            (Tagging::External, _) if is_unit => name,
            (Tagging::External, content) => object(vec![(variant.name(), content)]),
            (Tagging::Internal(tag), Value::Map(mut members)) => {
                members.insert(tag.into_owned(), name);
                Value::Map(members)
            }
            (Tagging::Adjacent(tag, of), content) if !is_unit => {
                object(vec![(&*tag, name), (&*of, content)])
            }
            (Tagging::Internal(tag) | Tagging::Adjacent(tag, _), _) => object(vec![(&*tag, name)]),
            (Tagging::Untagged, content) => content,
        }
    }

    fn element(&mut self, ty: &Type, holds: &Holds) -> Value {
        self.held(ty, holds.elements.unwrap_or(&Holds::ANYTHING))
    }

    fn held(&mut self, ty: &Type, holds: &Holds) -> Value {
        if holds.nullable && self.one_in(4) {
            Value::Null
        } else {
            self.plain(ty, holds)
        }
    }
}
