//! Changes that replace a resource.

use upstate::codec::Encoding;
use upstate::path::PathStep;
use upstate::schema::{Attribute, Block, Nesting};
use upstate::{AttributePath, Value};

use super::nested::{Members, counterpart, elements, member};

pub(super) fn find(block: &Block, config: &Value, prior: &Value, planned: &Value, paths: &mut Vec<AttributePath>) {
    // Only a change of something that is there, to something that will be there, can be a replacement.
    if !prior.is_null() && !planned.is_null() {
        members(Members::Block(block), &Side { config, prior, planned }, &AttributePath::new(), paths);
    }
}

#[derive(Clone, Copy)]
struct Side<'v> {
    config: &'v Value,
    prior: &'v Value,
    planned: &'v Value,
}

impl Side<'_> {
    fn member(self, name: &str) -> Self {
        Self { config: member(self.config, name), prior: member(self.prior, name), planned: member(self.planned, name) }
    }

    /// True if the author's function says that this change replaces; `None` if there is none. What is not known yet may be anything, so it replaces.
    fn replaces_if(self, attribute: &Attribute) -> Option<bool> {
        let ty = attribute.implied_type();
        let json = |value: &Value| String::from_utf8(value.encode(&ty, Encoding::Json).ok()?).ok();
        match (json(self.prior), json(self.planned)) {
            (Some(prior), Some(planned)) => attribute.replaces_if(&prior, &planned),
            (None, _) | (_, None) => attribute.decides_replacement().then_some(true),
        }
    }

    fn changes(self) -> bool {
        // A value that the provider itself will decide does not ask for another one.
        self.prior != self.planned && !(matches!(self.planned, Value::Unknown) && self.config.is_null())
    }
}

fn members(of: Members<'_>, side: &Side<'_>, path: &AttributePath, paths: &mut Vec<AttributePath>) {
    let mut whole = Vec::new();
    for attribute in of.attributes().iter().filter(|attribute| attribute.requires_replace()) {
        whole.push(attribute.name());
        if side.member(attribute.name()).changes() {
            paths.push(path.clone().attribute(attribute.name().to_owned()));
        }
    }
    for attribute in of.attributes() {
        let side = side.member(attribute.name());
        if side.changes() && side.replaces_if(attribute) == Some(true) {
            paths.push(path.clone().attribute(attribute.name().to_owned()));
        }
    }
    for (name, nesting, inner) in of.nested() {
        if !whole.contains(&name) {
            nested(nesting, inner, &side.member(name), &path.clone().attribute(name.to_owned()), paths);
        }
    }
}

fn nested(nesting: Nesting, inner: Members<'_>, side: &Side<'_>, path: &AttributePath, paths: &mut Vec<AttributePath>) {
    if nesting == Nesting::Set {
        // An element of a set has no path on the wire, and no counterpart before: what it holds is what it is.
        let differs = side.changes() && matters(inner, side.prior, side.planned);
        paths.extend(differs.then(|| path.clone()));
        return;
    }
    // What is removed asks for nothing: it is taken away from the resource, as the framework does.
    for (step, element) in elements(nesting, side.planned) {
        let element = Side {
            config: counterpart(nesting, side.config, step.as_ref(), element),
            prior: counterpart(nesting, side.prior, step.as_ref(), element),
            planned: element,
        };
        members(inner, &element, &below(path, step), paths);
    }
}

fn below(path: &AttributePath, step: Option<PathStep>) -> AttributePath {
    match step {
        Some(step) => path.clone().step(step),
        None => path.clone(),
    }
}

/// True if the sets differ in attributes that replace the resource. Order does not matter, an element with null in all of these
/// attributes does not count, and elements can be removed.
fn matters(inner: Members<'_>, prior: &Value, planned: &Value) -> bool {
    let held = |value: &Value| {
        let elements = elements(Nesting::Set, value);
        let all = elements.len();
        let held = elements.iter().map(|(_, element)| forcing(inner, element));
        (held.filter(|held| !held.iter().all(Value::is_null)).collect::<Vec<_>>(), all)
    };
    let ((prior, before), (mut planned, after)) = (held(prior), held(planned));
    let mut is_gone = |held: &Vec<Value>| match planned.iter().position(|other| other == held) {
        Some(found) => {
            planned.swap_remove(found);
            false
        }
        None => true,
    };
    let gone = prior.iter().filter(|held| is_gone(held)).count();
    !planned.is_empty() || gone > before.saturating_sub(after)
}

/// The parts of an element that replace the resource if they change.
fn forcing(of: Members<'_>, element: &Value) -> Vec<Value> {
    let own = of.attributes().iter().filter(|attribute| attribute.requires_replace());
    let own = own.map(|attribute| member(element, attribute.name()).clone());
    let nested = of.nested().flat_map(|(name, nesting, inner)| {
        let value = member(element, name);
        elements(nesting, value).into_iter().flat_map(|(_, element)| forcing(inner, element)).collect::<Vec<_>>()
    });
    own.chain(nested).collect()
}
