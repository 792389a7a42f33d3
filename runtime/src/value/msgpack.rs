//! Reading a value from `MessagePack` by a type known at run time.

use std::collections::BTreeMap;
use std::fmt;

use super::{Number, Unknown, Value};
use crate::codec::msgpack::{Malformed, MsgpackReader, Token};
use crate::codec::{DecodeError, DecodeErrorKind, Problem, scalar};
use crate::path::{AttributePath, PathStep};
use crate::schema::{Field, Shared, Type};

/// The number of values that may be nested in one another.
const MAX_DEPTH: usize = 256;

/// The number of elements for which room is made before they are there: a length is only a claim.
const MAX_RESERVED: usize = 1024;

/// The error for bytes that are not the `MessagePack` of a type: the place, and the kind of value
/// there. Holds no stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MsgpackError {
    kind: DecodeErrorKind,
    path: AttributePath,
    problem: String,
    offset: usize,
}

impl MsgpackError {
    /// The kind of problem.
    pub fn kind(&self) -> DecodeErrorKind {
        self.kind
    }

    /// The path of the problem in the value.
    pub fn path(&self) -> &AttributePath {
        &self.path
    }

    /// The problem alone, without path and position.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// At which byte of the input the problem was found.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The error of the value around the one that it is about.
    fn below(self, step: PathStep) -> Self {
        Self {
            path: self.path.below(step),
            ..self
        }
    }
}

impl fmt::Display for MsgpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        write!(f, "{} (byte {})", self.problem, self.offset)
    }
}

impl std::error::Error for MsgpackError {}

impl From<MsgpackError> for DecodeError {
    fn from(error: MsgpackError) -> Self {
        Self::at(
            error.path,
            Problem::Text(error.kind, error.problem),
            Some(error.offset),
        )
    }
}

type Result<T> = std::result::Result<T, MsgpackError>;

impl Value {
    /// Reads `MessagePack` as a value of type `ty`. Bytes after the value are refused.
    ///
    /// Any extension is an unknown value; objects must have exactly their attributes.
    ///
    /// # Errors
    /// Says where the bytes are no such value.
    pub fn from_msgpack(bytes: &[u8], ty: &Type) -> Result<Self> {
        decode(bytes, ty, Unknown::Keep)
    }

    /// Reads a value where an unknown one is not allowed.
    pub(crate) fn from_known_msgpack(bytes: &[u8], ty: &Type) -> Result<Self> {
        decode(bytes, ty, Unknown::Refuse)
    }
}

fn decode(bytes: &[u8], ty: &Type, unknown: Unknown) -> Result<Value> {
    let mut decoder = Decoder {
        reader: MsgpackReader::new(bytes),
        depth: 0,
        unknown,
    };
    let value = decoder.value(ty)?;
    match decoder.reader.left() {
        0 => Ok(value),
        left => Err(decoder.error(
            DecodeErrorKind::Syntax,
            format!("{left} more bytes after the value"),
        )),
    }
}

struct Decoder<'a> {
    reader: MsgpackReader<'a>,
    /// The number of values around the one that is read.
    depth: usize,
    unknown: Unknown,
}

impl<'a> Decoder<'a> {
    fn error(&self, kind: DecodeErrorKind, problem: impl Into<String>) -> MsgpackError {
        MsgpackError {
            kind,
            path: AttributePath::new(),
            problem: problem.into(),
            offset: self.reader.position(),
        }
    }

    fn problem(&self, problem: &Problem) -> MsgpackError {
        self.error(problem.kind(), problem.to_string())
    }

    fn token(&mut self) -> Result<Token<'a>> {
        self.reader.next().map_err(|malformed| {
            let problem = match malformed {
                Malformed::Truncated => "the bytes end in the middle of a value",
                Malformed::Utf8 => "a string is not UTF-8",
                Malformed::Reserved => "the reserved byte 0xc1 is in place of a value",
            };
            self.error(DecodeErrorKind::Syntax, problem)
        })
    }

    fn inside(&mut self, ty: &Type, step: impl FnOnce() -> PathStep) -> Result<Value> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(
                DecodeErrorKind::Depth,
                format!("more than {MAX_DEPTH} values inside one another"),
            ));
        }
        self.depth += 1;
        let result = self.value(ty);
        self.depth -= 1;
        result.map_err(|error| error.below(step()))
    }

    fn value(&mut self, ty: &Type) -> Result<Value> {
        let token = self.token()?;
        match (ty, token) {
            (_, Token::Null) => Ok(Value::Null),
            (_, Token::Unknown) if self.unknown == Unknown::Keep => Ok(Value::Unknown),
            (Type::Bool, Token::Bool(value)) => Ok(Value::Bool(value)),
            (Type::String, Token::String(text)) => Ok(text.into()),
            (Type::String, Token::Bin(bytes)) => self.utf8(bytes).map(Value::from),
            (Type::Number, Token::Number(digits)) => self.number(&digits),
            (Type::Number, Token::String(text)) => self.number(text),
            (Type::Number, Token::Bin(bytes)) => {
                let text = self.utf8(bytes)?;
                self.number(text)
            }
            (Type::Number, Token::Float(float)) => match Number::of_sent(float) {
                Some(number) => Ok(Value::Number(number)),
                None => Err(self.error(
                    DecodeErrorKind::BadNumber,
                    "a number that is not finite cannot be stored",
                )),
            },
            (Type::List(element) | Type::Set(element), Token::Array(len)) => {
                let mut list = Vec::with_capacity(len.min(self.reader.left()).min(MAX_RESERVED));
                for index in 0..len {
                    list.push(self.inside(element, || PathStep::Index(index as u64))?);
                }
                self.one_type(element, list.iter())?;
                if matches!(ty, Type::Set(_)) {
                    super::set::normalize(&mut list);
                }
                Ok(Value::List(list))
            }
            (Type::Tuple(types), Token::Array(len)) if len == types.len() => {
                let read =
                    |(index, ty): (u64, &Shared<Type>)| self.inside(ty, || PathStep::Index(index));
                (0..)
                    .zip(types.iter())
                    .map(read)
                    .collect::<Result<Vec<Value>>>()
                    .map(Value::List)
            }
            (Type::Tuple(types), Token::Array(len)) => Err(self.error(
                DecodeErrorKind::TupleLength,
                format!("expected a tuple of {} elements, found {len}", types.len()),
            )),
            (Type::Map(element), Token::Map(len)) => {
                let mut map = BTreeMap::new();
                for _ in 0..len {
                    let key = self.key(true)?;
                    let value = self.inside(element, || PathStep::Key(key.to_owned()))?;
                    map.insert(key.to_owned(), value);
                }
                self.one_type(element, map.values())?;
                Ok(Value::Map(map))
            }
            (Type::Object(fields), Token::Map(len)) => self.object(fields, len),
            (Type::Dynamic, Token::Array(2)) => self.dynamic(),
            (ty, token) => Err(self.error(
                DecodeErrorKind::WrongKind,
                format!("expected {}, found {}", ty.noun(), noun(&token)),
            )),
        }
    }

    fn one_type<'v>(
        &self,
        element: &Type,
        elements: impl Iterator<Item = &'v Value>,
    ) -> Result<()> {
        if *element != Type::Dynamic {
            return Ok(());
        }
        super::decode::one_type(elements).map_err(|problem| self.problem(&problem))
    }

    fn utf8(&self, bytes: &'a [u8]) -> Result<&'a str> {
        std::str::from_utf8(bytes)
            .map_err(|_| self.error(DecodeErrorKind::Syntax, "a string is not UTF-8"))
    }

    fn number(&self, digits: &str) -> Result<Value> {
        scalar::parse_number(digits)
            .map(Value::Number)
            .map_err(|problem| self.problem(&problem))
    }

    /// A map key; as in the reference, null means the empty string where keys are free.
    fn key(&mut self, free: bool) -> Result<&'a str> {
        match self.token()? {
            Token::String(text) => Ok(text),
            Token::Bin(bytes) => self.utf8(bytes),
            Token::Null if free => Ok(""),
            other @ (Token::Null
            | Token::Bool(_)
            | Token::Number(_)
            | Token::Float(_)
            | Token::Array(_)
            | Token::Map(_)
            | Token::Unknown) => Err(self.error(
                DecodeErrorKind::WrongKind,
                format!("expected a name, found {}", noun(&other)),
            )),
        }
    }

    fn object(&mut self, fields: &[Field], len: usize) -> Result<Value> {
        if len != fields.len() {
            return Err(self.error(
                DecodeErrorKind::WrongKind,
                format!("expected {} attributes, got {len}", fields.len()),
            ));
        }
        let mut map = BTreeMap::new();
        for nth in 0..len {
            let name = self.key(false)?;
            let is_it = |field: &&Field| field.name() == name;
            // Names nearly always come in the order of the fields, so the field at the same place
            // is tried first.
            let Some(field) = fields
                .get(nth)
                .filter(is_it)
                .or_else(|| fields.iter().find(is_it))
            else {
                return Err(self.error(
                    DecodeErrorKind::UndefinedAttribute,
                    format!("unsupported attribute {name:?}"),
                ));
            };
            let value = self.inside(field.ty(), || PathStep::Attribute(name.to_owned().into()))?;
            if map.insert(name.to_owned(), value).is_some() {
                return Err(self.error(
                    DecodeErrorKind::Syntax,
                    format!("the attribute {name:?} is there twice"),
                ));
            }
        }
        Ok(Value::Map(map))
    }

    fn dynamic(&mut self) -> Result<Value> {
        let notation = match self.token()? {
            Token::Bin(bytes) => self.utf8(bytes)?,
            Token::String(text) => text,
            other @ (Token::Null
            | Token::Bool(_)
            | Token::Number(_)
            | Token::Float(_)
            | Token::Array(_)
            | Token::Map(_)
            | Token::Unknown) => {
                let problem = format!(
                    "expected the type of a dynamic value, found {}",
                    noun(&other)
                );
                return Err(self.error(DecodeErrorKind::BadDynamic, problem));
            }
        };
        let ty = Type::parse(notation).map_err(|_| {
            self.error(
                DecodeErrorKind::BadDynamic,
                "the type of a dynamic value is not in the notation of types",
            )
        })?;
        // Dynamic values inside dynamic ones count towards the depth too.
        let value = self.inside(&ty, || PathStep::Attribute("value".into()))?;
        Ok(Value::Dynamic(Box::new((ty, value))))
    }
}

fn noun(token: &Token<'_>) -> &'static str {
    match token {
        Token::Null => "null",
        Token::Bool(_) => "a bool",
        Token::Number(_) | Token::Float(_) => "a number",
        Token::String(_) => "a string",
        Token::Bin(_) => "binary data",
        Token::Array(_) => "an array",
        Token::Map(_) => "a map",
        Token::Unknown => "an unknown value",
    }
}
