//! Paths of a model's attributes as constants, `Thing::PATHS.rules.port`, so that a misspelt one
//! does not compile.
//!
//! A path that leads into the elements of a list or a map says so in its type: before it is the
//! place of a value, [`index`](TypedPath::index) or [`key`](TypedPath::key) names the element.

use std::fmt;
use std::marker::PhantomData;

use crate::path::{AttributePath, PathStep};

/// The greatest number of names of a path.
const DEPTH: usize = 16;

/// The mark of a path that leads to one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {}

/// The mark of a path that leads into the elements of a collection, and then as `D` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open<D>(PhantomData<D>);

/// The mark of a path that is the place of a value: [`Closed`].
#[diagnostic::on_unimplemented(
    message = "this path leads into the elements of a collection, and names none of them",
    label = "names no element",
    note = "name the element behind the path: `.index(0)` of a list, `.key(\"name\")` of a map"
)]
pub trait OneValue {}

// Otherwise the compiler would show this line below each error about another path.
#[diagnostic::do_not_recommend]
impl OneValue for Closed {}

/// The path of an attribute or a block, by its type: see `PATHS` of a model that says `plan` or
/// `paths`.
pub struct TypedPath<D> {
    names: AttributeNames,
    depth: PhantomData<fn() -> D>,
}

/// The names that lead to an attribute, whatever the element of a collection that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeNames {
    names: [&'static str; DEPTH],
    /// For each name, true if it is inside an element of what is named before it.
    in_element: [bool; DEPTH],
    count: usize,
}

impl AttributeNames {
    const NONE: Self = Self {
        names: [""; DEPTH],
        in_element: [false; DEPTH],
        count: 0,
    };

    #[expect(
        clippy::indexing_slicing,
        reason = "in const evaluation, below the number that is compared"
    )]
    const fn followed_by(mut self, name: &'static str, in_element: bool) -> Self {
        assert!(self.count < DEPTH, "a path has at most 16 names");
        self.names[self.count] = name;
        self.in_element[self.count] = in_element;
        self.count += 1;
        self
    }

    fn steps(&self) -> impl Iterator<Item = (&'static str, bool)> {
        self.names.into_iter().zip(self.in_element).take(self.count)
    }
}

/// The names with dots between them: `rules.port`.
impl fmt::Display for AttributeNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (name, _)) in self.steps().enumerate() {
            write!(f, "{}{name}", if position == 0 { "" } else { "." })?;
        }
        Ok(())
    }
}

impl<D> TypedPath<D> {
    /// The names alone.
    #[must_use]
    pub const fn names(self) -> AttributeNames {
        self.names
    }

    /// This path followed by a name in the object that it leads to.
    #[doc(hidden)]
    #[must_use]
    pub const fn attribute(self, name: &'static str) -> Self {
        Self {
            names: self.names.followed_by(name, false),
            depth: PhantomData,
        }
    }

    /// This path followed by a name in the elements of the collection that it leads to.
    #[doc(hidden)]
    #[must_use]
    pub const fn in_elements(self, name: &'static str) -> TypedPath<Open<D>> {
        TypedPath {
            names: self.names.followed_by(name, true),
            depth: PhantomData,
        }
    }
}

impl TypedPath<Closed> {
    #[doc(hidden)]
    pub const ROOT: Self = Self {
        names: AttributeNames::NONE,
        depth: PhantomData,
    };
}

impl<D> Clone for TypedPath<D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for TypedPath<D> {}

impl<D> fmt::Debug for TypedPath<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.names)
    }
}

impl<D: OneValue> From<TypedPath<D>> for AttributePath {
    fn from(path: TypedPath<D>) -> Self {
        path.names
            .steps()
            .map(|(name, _)| PathStep::Attribute(name.into()))
            .collect()
    }
}

/// The path of an attribute in one element: not all collections that it is in have an element named
/// yet, unless `D` is [`Closed`].
#[derive(Debug, Clone)]
pub struct Place<D> {
    path: AttributePath,
    /// The names that follow the next element.
    rest: Vec<(&'static str, bool)>,
    depth: PhantomData<fn() -> D>,
}

impl<D> TypedPath<Open<D>> {
    /// The path in this element of the outermost list, counted from 0.
    pub fn index(self, index: u64) -> Place<D> {
        self.element(PathStep::Index(index))
    }

    /// The path in this element of the outermost map.
    pub fn key(self, key: impl Into<String>) -> Place<D> {
        self.element(PathStep::Key(key.into()))
    }

    fn element(self, step: PathStep) -> Place<D> {
        let open = Place {
            path: AttributePath::new(),
            rest: self.names.steps().collect(),
            depth: PhantomData::<fn() -> Open<D>>,
        };
        open.until_element().element(step)
    }
}

impl<D> Place<D> {
    /// This with all names up to the next element in the path.
    fn until_element(mut self) -> Self {
        let named = self
            .rest
            .iter()
            .take_while(|(_, in_element)| !in_element)
            .count();
        for (name, _) in self.rest.drain(..named) {
            self.path = self.path.attribute(name);
        }
        self
    }
}

impl<D> Place<Open<D>> {
    /// The path in this element of the next list, counted from 0.
    pub fn index(self, index: u64) -> Place<D> {
        self.element(PathStep::Index(index))
    }

    /// The path in this element of the next map.
    pub fn key(self, key: impl Into<String>) -> Place<D> {
        self.element(PathStep::Key(key.into()))
    }

    fn element(self, step: PathStep) -> Place<D> {
        let Self { path, mut rest, .. } = self;
        if let Some((_, in_element)) = rest.first_mut() {
            *in_element = false;
        }
        Place {
            path: path.step(step),
            rest,
            depth: PhantomData,
        }
        .until_element()
    }
}

impl<D: OneValue> From<Place<D>> for AttributePath {
    fn from(place: Place<D>) -> Self {
        place.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_into_elements_names_them() {
        const PORT: TypedPath<Open<Open<Closed>>> = TypedPath::ROOT
            .attribute("walls")
            .in_elements("gate")
            .attribute("rules")
            .in_elements("port");
        assert_eq!(PORT.names().to_string(), "walls.gate.rules.port");
        assert_eq!(
            AttributePath::from(PORT.index(2).key("top")).to_string(),
            r#"walls[2].gate.rules["top"].port"#
        );
        assert_eq!(
            AttributePath::from(TypedPath::ROOT.attribute("a").attribute("b")).to_string(),
            "a.b"
        );
    }
}
