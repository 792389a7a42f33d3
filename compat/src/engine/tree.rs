//! Attributes and blocks by their paths, and which of them is called what now.

use std::collections::{BTreeMap, BTreeSet};

use upstate_words::lock::{FLATTENED, name, step};

use crate::snapshot::{
    AttributeSnapshot, BlockSnapshot, Deprecation, Names, NestedSnapshot, Nesting, ResourceSnapshot,
};
use crate::stored_type::StoredType;

/// The item at a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Node<'a> {
    Attribute(&'a AttributeSnapshot),
    Block(&'a BlockSnapshot),
}

/// The attributes and blocks of a resource, block or nested object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Members<'a> {
    attributes: &'a BTreeMap<String, AttributeSnapshot>,
    blocks: &'a BTreeMap<String, BlockSnapshot>,
}

static NO_BLOCKS: BTreeMap<String, BlockSnapshot> = BTreeMap::new();
static NO_ATTRIBUTES: BTreeMap<String, AttributeSnapshot> = BTreeMap::new();

impl<'a> From<&'a ResourceSnapshot> for Members<'a> {
    fn from(resource: &'a ResourceSnapshot) -> Self {
        Self {
            attributes: &resource.attributes,
            blocks: &resource.blocks,
        }
    }
}

impl<'a> From<&'a NestedSnapshot> for Members<'a> {
    fn from(nested: &'a NestedSnapshot) -> Self {
        Self {
            attributes: &nested.attributes,
            blocks: &NO_BLOCKS,
        }
    }
}

impl<'a> Members<'a> {
    pub(super) fn names(self) -> impl Iterator<Item = &'a str> {
        self.attributes
            .keys()
            .chain(self.blocks.keys())
            .map(String::as_str)
    }

    pub(super) fn get(self, name: &str) -> Option<Node<'a>> {
        let attribute = self.attributes.get(name).map(Node::Attribute);
        attribute.or_else(|| self.blocks.get(name).map(Node::Block))
    }
}

impl<'a> Node<'a> {
    /// The members inside; none in an attribute of a plain type.
    pub(super) fn members(self) -> Members<'a> {
        match self {
            Self::Attribute(AttributeSnapshot {
                nested: Some(nested),
                ..
            }) => nested.into(),
            Self::Attribute(_) => Members {
                attributes: &NO_ATTRIBUTES,
                blocks: &NO_BLOCKS,
            },
            Self::Block(block) => Members {
                attributes: &block.attributes,
                blocks: &block.blocks,
            },
        }
    }

    /// The arrangement of its objects, if it has any.
    pub(super) fn mode(self) -> Option<Nesting> {
        match self {
            Self::Attribute(attribute) => attribute.nested.as_ref().map(|nested| nested.mode),
            Self::Block(block) => Some(block.mode),
        }
    }

    /// The type of its values.
    pub(super) fn implied_type(self) -> StoredType {
        if let Self::Attribute(AttributeSnapshot {
            nested: None, ty, ..
        }) = self
        {
            return ty.clone().unwrap_or(StoredType::Dynamic);
        }
        let members = self.members();
        let fields = members
            .names()
            .filter_map(|name| Some((name.to_owned(), members.get(name)?.implied_type())))
            .collect();
        StoredType::Object(fields, BTreeSet::new()).arranged(self.mode().unwrap_or_default())
    }

    pub(super) fn deprecated(self) -> Option<&'a Deprecation> {
        match self {
            Self::Attribute(attribute) => attribute.deprecated.as_ref(),
            Self::Block(block) => block.deprecated.as_ref(),
        }
    }

    fn renamed_from(self) -> &'a Names {
        match self {
            Self::Attribute(attribute) => &attribute.renamed_from,
            Self::Block(block) => &block.renamed_from,
        }
    }

    /// Itself in a few words: `string, optional`.
    pub(super) fn words(self) -> String {
        match self {
            Self::Block(block) => format!("{} block", block.mode.name()),
            Self::Attribute(attribute) => {
                let shape = match (&attribute.nested, &attribute.ty) {
                    (Some(nested), _) if nested.mode == Nesting::Single => {
                        "nested object".to_owned()
                    }
                    (Some(nested), _) => format!("{} of nested objects", nested.mode.name()),
                    (None, Some(ty)) => ty.to_string(),
                    (None, None) => "dynamic".to_owned(),
                };
                let flags = [
                    (attribute.required, "required"),
                    (attribute.optional, "optional"),
                    (attribute.computed, "computed"),
                ];
                let flags = flags
                    .into_iter()
                    .filter(|(set, _)| *set)
                    .map(|(_, name)| format!(", {name}"));
                shape + &flags.collect::<String>()
            }
        }
    }
}

/// A path one step longer, as locks write it, because the member `"a.b"` is another one than `b` of
/// `a`.
pub(super) fn join(prefix: &str, name: &str) -> String {
    if split(name).1.starts_with(FLATTENED) {
        // Quotation marks would make a member of it, because only names have them.
        return if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        };
    }
    step(prefix, name)
}

/// The path of what a path is inside of.
pub(super) fn parent(path: &str) -> &str {
    split(path).0
}

/// A path without its last step, and that step.
fn split(path: &str) -> (&str, &str) {
    let mut quoted = false;
    let mut escaped = false;
    let mut dot = None;
    for (at, letter) in path.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '.' if !quoted => dot = Some(at),
            _ => {}
        }
    }
    dot.and_then(|dot| Some((path.get(..dot)?, path.get(dot + 1..)?)))
        .unwrap_or(("", path))
}

/// Both sides of a comparison by path, and the renames between them.
pub(super) struct Paths<'a> {
    pub(super) old: BTreeMap<String, Node<'a>>,
    pub(super) new: BTreeMap<String, Node<'a>>,
    /// The new paths of moved parts, by their old path.
    pub(super) targets: BTreeMap<String, BTreeSet<String>>,
    /// The old paths of moved parts, by their new path.
    pub(super) sources: BTreeMap<String, BTreeSet<String>>,
    /// The members that upgraders make the keys of a map, or make of them, by the new path of the
    /// objects.
    keys: BTreeMap<String, String>,
}

impl<'a> Paths<'a> {
    /// `declared` is what the upgraders from the old version say about what went elsewhere.
    pub(super) fn new(
        old: Members<'a>,
        new: Members<'a>,
        declared: Option<&BTreeMap<String, Names>>,
    ) -> Self {
        let (targets, sources, keys) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut paths = Self {
            old: flat(old),
            new: flat(new),
            targets,
            sources,
            keys,
        };
        let mut pairs = Vec::new();
        let declared = declared
            .into_iter()
            .flatten()
            .filter(|(from, _)| paths.old.contains_key(*from));
        for (from, to) in declared.flat_map(|(from, to)| to.0.iter().map(move |to| (from, to))) {
            if let Some((objects, key)) = paths.key_between(from, to) {
                let (objects, key) = (
                    objects.to_owned(),
                    name(key).unwrap_or_default().into_owned(),
                );
                paths.keys.insert(objects, key);
            } else if paths.new.contains_key(to) {
                pairs.push((from.clone(), to.clone()));
            }
        }
        for (to, node) in &paths.new {
            for name in &node.renamed_from().0 {
                let sibling = join(parent(to), name);
                let from = [sibling, name.clone()]
                    .into_iter()
                    .find(|path| paths.old.contains_key(path));
                pairs.extend(from.map(|from| (from, to.clone())));
            }
        }
        for (from, node) in &paths.old {
            let Some(deprecated) = node.deprecated() else {
                continue;
            };
            for name in &deprecated.replaced_by.0 {
                let sibling = join(parent(from), name);
                let Some((to, target)) = [sibling, name.clone()]
                    .into_iter()
                    .find_map(|path| paths.new.get_key_value(&path))
                else {
                    continue;
                };
                // A successor of another shape is not another name for the same thing.
                if deprecated.replaced_by.0.len() > 1 || same_shape(*node, *target) {
                    pairs.push((from.clone(), to.clone()));
                }
            }
        }
        for (from, to) in pairs {
            if !paths.new.contains_key(&from) {
                paths
                    .targets
                    .entry(from.clone())
                    .or_default()
                    .insert(to.clone());
                paths.sources.entry(to).or_default().insert(from);
            }
        }
        paths.rename_inside_renamed();
        paths
    }

    /// The path of the new objects and the member, if one of these is a member of objects in a list
    /// and the other a map of them.
    fn key_between<'p>(&self, from: &'p str, to: &'p str) -> Option<(&'p str, &'p str)> {
        let is_map =
            |node: Option<&Node<'_>>| node.is_some_and(|node| node.mode() == Some(Nesting::Map));
        let is_list = |node: Option<&Node<'_>>| {
            node.is_some_and(|node| matches!(node.mode(), Some(Nesting::List | Nesting::Set)))
        };
        let ((objects, key), (objects_now, key_now)) = (split(from), split(to));
        if is_map(self.new.get(to)) && is_list(self.old.get(objects)) {
            return Some((to, key));
        }
        (is_map(self.old.get(from)) && is_list(self.new.get(objects_now)))
            .then_some((objects_now, key_now))
    }

    /// The member that is the key of the objects at a new path on the other side.
    pub(super) fn key_of(&self, path: &str) -> Option<&str> {
        self.keys.get(path).map(String::as_str)
    }

    /// Members of something that has another path now are looked for there, so their own renames
    /// are also known by that path.
    fn rename_inside_renamed(&mut self) {
        let mut more = Vec::new();
        for (from, targets) in &self.targets {
            let mut above = parent(from);
            while !above.is_empty() {
                let moved = self
                    .targets
                    .get(above)
                    .filter(|to| to.len() == 1)
                    .and_then(|to| to.first());
                if let Some(alias) =
                    moved.and_then(|to| Some(format!("{to}{}", from.strip_prefix(above)?)))
                    && !self.new.contains_key(&alias)
                {
                    more.push((alias, targets.clone()));
                }
                above = parent(above);
            }
        }
        self.targets.extend(more);
    }

    /// True if something inside of the old `path` is somewhere else now.
    pub(super) fn moved_out_of<'p>(
        &'p self,
        path: &str,
    ) -> impl Iterator<Item = (&'p String, &'p BTreeSet<String>)> + use<'p> {
        let inside = format!("{path}.");
        self.targets
            .iter()
            .filter(move |(from, _)| from.starts_with(&inside))
    }

    /// True if something that was elsewhere is inside of the new `path` now.
    pub(super) fn moved_into(&self, path: &str) -> bool {
        let inside = format!("{path}.");
        self.sources.keys().any(|to| to.starts_with(&inside))
    }

    /// The attributes inside of the old `path` that have nothing inside themselves.
    pub(super) fn leaves(&self, path: &str) -> impl Iterator<Item = &String> {
        let inside = format!("{path}.");
        let leaf = |node: &Node<'_>| node.members().names().next().is_none();
        self.old
            .iter()
            .filter(move |(at, node)| at.starts_with(&inside) && leaf(node))
            .map(|(at, _)| at)
    }

    /// The present name of a path of the old release, if it is still there.
    pub(super) fn now(&self, path: &str) -> Option<String> {
        if self.new.contains_key(path) {
            return Some(path.to_owned());
        }
        self.targets
            .get(path)
            .and_then(|targets| targets.iter().next().cloned())
    }
}

fn same_shape(old: Node<'_>, new: Node<'_>) -> bool {
    std::mem::discriminant(&old) == std::mem::discriminant(&new)
        && old.mode() == new.mode()
        && (old.mode().is_some() || old.implied_type() == new.implied_type())
}

pub(super) fn flat(members: Members<'_>) -> BTreeMap<String, Node<'_>> {
    fn add<'a>(members: Members<'a>, prefix: &str, out: &mut BTreeMap<String, Node<'a>>) {
        for name in members.names() {
            let path = join(prefix, name);
            if let Some(node) = members.get(name) {
                add(node.members(), &path, out);
                out.insert(path, node);
            }
        }
    }
    let mut out = BTreeMap::new();
    add(members, "", &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_in_a_name_ends_no_step() {
        let dotted = join(&join("", "a"), "b.c");
        assert_eq!((dotted.as_str(), parent(&dotted)), (r#"a."b.c""#, "a"));
        assert_eq!(split(&join("", r#"x". \."#)), ("", r#""x\".\s\\.""#));
        assert_eq!([parent("a.b.c"), parent("a"), parent("")], ["a.b", "", ""]);
        // Flattened parts have a mark in place of a name, and their own path where they are inside
        // of a type.
        assert_eq!(
            [join("a", FLATTENED), join("", "parts.Text.*2")],
            ["a.*", "parts.Text.*2"]
        );
    }
}
