//! Attributes that an author's function asks for and the schema does not have.

use std::sync::{Arc, OnceLock};

use upstate::path::PathStep;
use upstate::schema::Type;
use upstate::{AttributePath, Diagnostic};

use crate::diagnostics;

/// The first such attribute of a call. Its value looks like one that is null and known, so that only
/// a report shows the mistake.
#[derive(Debug, Clone, Default)]
pub(crate) struct Misnamed {
    first: Arc<OnceLock<AttributePath>>,
    #[cfg(feature = "testing")]
    is_fatal: bool,
}

impl Misnamed {
    /// For a test that calls the function itself, after which nobody asks for the report.
    #[cfg(feature = "testing")]
    pub(crate) fn fatal() -> Self {
        Self {
            is_fatal: true,
            ..Self::default()
        }
    }

    /// Notes a path that leads nowhere in values of a type.
    #[track_caller]
    pub(crate) fn check(&self, ty: &Type, path: &AttributePath) {
        if is_in(ty, path.steps()) {
            return;
        }
        #[cfg(feature = "testing")]
        assert!(!self.is_fatal, "the schema has no attribute {path}");
        // An earlier one stays, because one mistake is enough to fail.
        let _ = self.first.set(path.clone());
    }

    /// The report of it, if there was one.
    pub(crate) fn report(&self) -> Option<Diagnostic> {
        self.first.get().map(diagnostics::misnamed)
    }

    /// Warns of it, because Terraform would replace what a change made if that had an error.
    pub(crate) fn warning(&self) -> Option<Diagnostic> {
        self.first.get().map(diagnostics::misnamed_in_change)
    }
}

/// True if values of a type may have something there; that of an element that is not there counts.
fn is_in(ty: &Type, steps: &[PathStep]) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        return true;
    };
    let name = match step {
        PathStep::Attribute(name) => Some(&**name),
        PathStep::Key(key) => Some(key.as_str()),
        PathStep::Index(_) | PathStep::Element(_) => None,
    };
    match ty {
        Type::Object(fields) => fields
            .iter()
            .find(|field| Some(field.name()) == name)
            .is_some_and(|field| is_in(field.ty(), rest)),
        Type::Map(element) => name.is_some() && is_in(element, rest),
        Type::List(element) => name.is_none() && is_in(element, rest),
        // Elements of a set have no path, and the others may hold anything.
        Type::Set(_) | Type::Tuple(_) | Type::Dynamic | Type::Json | Type::Union(_) => true,
        Type::Bool | Type::String | Type::Number => false,
    }
}

#[cfg(test)]
mod tests {
    use upstate::schema::Field;

    use super::*;

    #[test]
    fn only_names_that_a_type_does_not_have_are_noted() {
        let rule = Type::object([Field::new("port", Type::Number)]);
        let ty = Type::object([
            Field::new("name", Type::String),
            Field::new("rules", Type::list(rule.clone())),
            Field::new("named", Type::map(rule.clone())),
            Field::new("set", Type::set(rule)),
            Field::new("any", Type::Dynamic),
        ]);
        let noted = |path: AttributePath| {
            let misnamed = Misnamed::default();
            misnamed.check(&ty, &path);
            misnamed.report().is_some()
        };
        let path = |name: &'static str| AttributePath::from(name);
        for known in [
            AttributePath::new(),
            path("name"),
            path("rules").index(7).attribute("port"),
            path("named").key("a").attribute("port"),
            path("set").index(0).attribute("port"),
            path("any").attribute("port"),
        ] {
            assert!(!noted(known.clone()), "{known}");
        }
        for unknown in [
            path("naming"),
            path("rules.port"),
            path("rules").attribute("port"),
            path("rules").index(0).attribute("prot"),
            path("named").key("a").attribute("prot"),
            path("name").attribute("first"),
        ] {
            assert!(noted(unknown.clone()), "{unknown}");
        }
    }
}
