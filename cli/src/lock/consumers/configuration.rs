//! The places of a Terraform configuration that use something of a provider.

use std::collections::BTreeSet;
use std::ops::Range;

use hcl_edit::expr::{Expression, FuncCall, Object, ObjectKey, Traversal, TraversalOperator};
use hcl_edit::structure::{Block, BlockLabel, Body, Structure};
use hcl_edit::visit::{Visit, visit_block, visit_func_call, visit_traversal};
use hcl_edit::{Decorated, Span};
use upstate_compat::Kind;

/// One place that uses something.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Use {
    pub(super) kind: Kind,
    /// The name that configurations use; of a function, behind the provider's: `acme::join`.
    pub(super) name: String,
    /// The object: `acme_bucket.logs`, `data.acme_zone.main`; the call of a function.
    pub(super) address: String,
    /// The names that lead from the object to the place.
    pub(super) path: Vec<String>,
    pub(super) manner: Manner,
    pub(super) span: Range<usize>,
}

/// The manner in which a place uses a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Manner {
    /// It writes an object, or one inside of an object, with these members.
    Writes(BTreeSet<String>),
    /// It sets an attribute or writes a block; a string or a bool as it is written.
    Sets(Option<String>),
    /// An expression reads it, or an element of it by number.
    Reads { by_number: bool },
    /// `ignore_changes` names it.
    Ignores,
    /// An expression calls it.
    Calls,
}

/// True if the attribute at this path is a map of nested objects, whose keys are no attributes.
pub(super) type IsMap<'m> = dyn Fn(Kind, &str, &str) -> bool + 'm;

/// Finds all uses, in the order of the file.
pub(super) fn uses(body: &Body, is_map: &IsMap<'_>) -> Vec<Use> {
    let mut reader = Reader::new(is_map);
    reader.visit_body(body);
    sorted(reader)
}

/// The uses that a reader found, in the order of the file.
pub(super) fn sorted(reader: Reader<'_>) -> Vec<Use> {
    let mut found = reader.found;
    found.sort_by_key(|found| (found.span.start, found.path.len()));
    found
}

pub(super) struct Reader<'m> {
    is_map: &'m IsMap<'m>,
    pub(super) found: Vec<Use>,
}

/// The object that is being read.
pub(super) struct Owner<'b> {
    pub(super) kind: Kind,
    pub(super) name: &'b str,
    pub(super) address: String,
}

impl Visit for Reader<'_> {
    fn visit_block(&mut self, block: &Block) {
        let label = |at: usize| block.labels.get(at).map(BlockLabel::as_str);
        let kind = match (block.ident.as_str(), label(0)) {
            // These say where an object went: they mend what a removal breaks.
            ("moved" | "removed", None) => return,
            ("resource", Some(_)) => Some(Kind::Managed),
            ("data", Some(_)) => Some(Kind::Data),
            ("ephemeral", Some(_)) => Some(Kind::Ephemeral),
            ("list", Some(_)) => Some(Kind::List),
            ("action", Some(_)) => Some(Kind::Action),
            ("provider", Some(_)) => Some(Kind::Provider),
            ("provider_meta", Some(_)) => Some(Kind::ProviderMeta),
            _ => None,
        };
        if let (Some(kind), Some(name)) = (kind, label(0)) {
            let own = label(1).map(|own| format!(".{own}")).unwrap_or_default();
            let before = if kind == Kind::Managed {
                String::new()
            } else {
                format!("{}.", block.ident.as_str())
            };
            let owner = Owner {
                kind,
                name,
                address: format!("{before}{name}{own}"),
            };
            self.object(&owner, block);
        }
        visit_block(self, block);
    }

    fn visit_traversal(&mut self, traversal: &Traversal) {
        if let Expression::Variable(root) = &traversal.expr {
            self.read(root.as_str(), &traversal.operators, traversal.span());
        }
        visit_traversal(self, traversal);
    }

    fn visit_func_call(&mut self, call: &FuncCall) {
        let namespace: Vec<&str> = call
            .name
            .namespace
            .iter()
            .map(|part| part.as_str())
            .collect();
        if let ["provider", provider] = namespace[..] {
            let name = format!("{provider}::{}", call.name.name.as_str());
            let (address, span) = (format!("provider::{name}"), call.span().unwrap_or_default());
            self.found.push(Use {
                kind: Kind::Function,
                name,
                address,
                path: Vec::new(),
                manner: Manner::Calls,
                span,
            });
        }
        visit_func_call(self, call);
    }
}

impl<'m> Reader<'m> {
    pub(super) fn new(is_map: &'m IsMap<'m>) -> Self {
        Self {
            is_map,
            found: Vec::new(),
        }
    }

    /// True if the attribute at this path is a map of nested objects.
    pub(super) fn is_map(&self, owner: &Owner<'_>, path: &[String]) -> bool {
        (self.is_map)(owner.kind, owner.name, &path.join("."))
    }

    pub(super) fn push(
        &mut self,
        owner: &Owner<'_>,
        path: &[String],
        manner: Manner,
        span: Option<Range<usize>>,
    ) {
        let (name, address) = (owner.name.to_owned(), owner.address.clone());
        self.found.push(Use {
            kind: owner.kind,
            name,
            address,
            path: path.to_vec(),
            manner,
            span: span.unwrap_or_default(),
        });
    }

    fn object(&mut self, owner: &Owner<'_>, block: &Block) {
        if !matches!(owner.kind, Kind::List | Kind::Action) {
            self.body(owner, &[], &block.body, block.ident.span());
            return;
        }
        // Their attributes are in a block of their own, which may be left out.
        let mut configs = block
            .body
            .blocks()
            .filter(|block| block.ident.as_str() == "config")
            .peekable();
        if configs.peek().is_none() {
            self.push(
                owner,
                &[],
                Manner::Writes(BTreeSet::new()),
                block.ident.span(),
            );
        }
        for config in configs {
            self.body(owner, &[], &config.body, config.ident.span());
        }
    }

    fn body(
        &mut self,
        owner: &Owner<'_>,
        path: &[String],
        body: &Body,
        span: Option<Range<usize>>,
    ) {
        let mut members = BTreeSet::new();
        for structure in body {
            match structure {
                Structure::Attribute(attribute) => {
                    let path = inside(path, attribute.key.as_str());
                    self.push(
                        owner,
                        &path,
                        Manner::Sets(literal(&attribute.value)),
                        attribute.key.span(),
                    );
                    self.value(owner, &path, &attribute.value);
                    members.insert(attribute.key.as_str().to_owned());
                }
                Structure::Block(block) => match (block.ident.as_str(), block.labels.first()) {
                    ("lifecycle", None) if path.is_empty() => self.ignored(owner, &block.body),
                    ("dynamic", Some(label)) => {
                        let path = inside(path, label.as_str());
                        let span = label_span(label);
                        self.push(owner, &path, Manner::Sets(None), span.clone());
                        for content in block
                            .body
                            .blocks()
                            .filter(|block| block.ident.as_str() == "content")
                        {
                            self.body(owner, &path, &content.body, span.clone());
                        }
                        members.insert(label.as_str().to_owned());
                    }
                    (name, _) => {
                        let path = inside(path, name);
                        self.push(owner, &path, Manner::Sets(None), block.ident.span());
                        self.body(owner, &path, &block.body, block.ident.span());
                        members.insert(name.to_owned());
                    }
                },
            }
        }
        self.push(owner, path, Manner::Writes(members), span);
    }

    /// The objects that a value is made of.
    fn value(&mut self, owner: &Owner<'_>, path: &[String], value: &Expression) {
        match value {
            Expression::Object(object) if self.is_map(owner, path) => {
                for (_, value) in object {
                    if let Expression::Object(object) = value.expr() {
                        self.members(owner, path, object);
                    }
                }
            }
            Expression::Object(object) => self.members(owner, path, object),
            Expression::Array(array) => array
                .iter()
                .for_each(|element| self.value(owner, path, element)),
            Expression::Parenthesis(inner) => self.value(owner, path, inner.inner()),
            Expression::Conditional(either) => {
                self.value(owner, path, &either.true_expr);
                self.value(owner, path, &either.false_expr);
            }
            Expression::ForExpr(each) => {
                if let Expression::Object(object) = &each.value_expr {
                    self.members(owner, path, object);
                }
            }
            Expression::Null(_)
            | Expression::Bool(_)
            | Expression::Number(_)
            | Expression::String(_)
            | Expression::StringTemplate(_)
            | Expression::HeredocTemplate(_)
            | Expression::Variable(_)
            | Expression::FuncCall(_)
            | Expression::Traversal(_)
            | Expression::UnaryOp(_)
            | Expression::BinaryOp(_) => {}
        }
    }

    fn members(&mut self, owner: &Owner<'_>, path: &[String], object: &Object) {
        let (mut members, mut all_known) = (BTreeSet::new(), true);
        for (key, value) in object {
            let name = match key {
                ObjectKey::Ident(name) => Some(name.as_str()),
                ObjectKey::Expression(key) => key.as_str(),
            };
            let Some(name) = name else {
                all_known = false;
                continue;
            };
            let span = match key {
                ObjectKey::Ident(name) => name.span(),
                ObjectKey::Expression(key) => key.span(),
            };
            let path = inside(path, name);
            self.push(owner, &path, Manner::Sets(literal(value.expr())), span);
            self.value(owner, &path, value.expr());
            members.insert(name.to_owned());
        }
        // A key that an expression makes may be any.
        if all_known {
            self.push(owner, path, Manner::Writes(members), object.span());
        }
    }

    fn ignored(&mut self, owner: &Owner<'_>, lifecycle: &Body) {
        let Some(Expression::Array(names)) = lifecycle
            .get_attribute("ignore_changes")
            .map(|attribute| &attribute.value)
        else {
            return;
        };
        for name in names {
            self.ignores(owner, name, name.span());
        }
    }

    /// Adds a name of `ignore_changes`.
    pub(super) fn ignores(
        &mut self,
        owner: &Owner<'_>,
        name: &Expression,
        span: Option<Range<usize>>,
    ) {
        let (root, operators) = match name {
            Expression::Variable(root) => (root.as_str(), &[][..]),
            Expression::Traversal(traversal) => match &traversal.expr {
                Expression::Variable(root) => (root.as_str(), &traversal.operators[..]),
                _ => return,
            },
            _ => return,
        };
        let path: Vec<String> = std::iter::once(root)
            .chain(names_of(operators))
            .map(str::to_owned)
            .collect();
        self.push(owner, &path, Manner::Ignores, span);
    }

    fn read(
        &mut self,
        root: &str,
        operators: &[Decorated<TraversalOperator>],
        span: Option<Range<usize>>,
    ) {
        let mut names = names_of(operators);
        let (kind, name) = match root {
            "data" => (Kind::Data, names.next()),
            "ephemeral" => (Kind::Ephemeral, names.next()),
            // The results of a query, which are not resources of the state.
            "list" => return,
            _ => (Kind::Managed, Some(root)),
        };
        let (Some(name), Some(own)) = (name, names.next()) else {
            return;
        };
        let address = if kind == Kind::Managed {
            format!("{name}.{own}")
        } else {
            format!("{root}.{name}.{own}")
        };
        let path: Vec<String> = names.map(str::to_owned).collect();
        // The first index may choose one of several objects, where `count` made them.
        let after = operators.iter().skip_while(|operator| !matches!(&***operator, TraversalOperator::GetAttr(name) if path.first().is_some_and(|first| first == name.as_str())));
        let by_number = after.into_iter().any(|operator| match &**operator {
            TraversalOperator::Index(index) => index.is_number(),
            TraversalOperator::LegacyIndex(_) => true,
            TraversalOperator::AttrSplat(_)
            | TraversalOperator::FullSplat(_)
            | TraversalOperator::GetAttr(_) => false,
        });
        self.push(
            &Owner {
                kind,
                name,
                address,
            },
            &path,
            Manner::Reads { by_number },
            span,
        );
    }
}

/// The names that a traversal goes through, without its indices.
fn names_of(operators: &[Decorated<TraversalOperator>]) -> impl Iterator<Item = &str> {
    operators.iter().filter_map(|operator| match &**operator {
        TraversalOperator::GetAttr(name) => Some(name.as_str()),
        TraversalOperator::AttrSplat(_)
        | TraversalOperator::FullSplat(_)
        | TraversalOperator::Index(_)
        | TraversalOperator::LegacyIndex(_) => None,
    })
}

pub(super) fn inside(path: &[String], name: &str) -> Vec<String> {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

fn label_span(label: &BlockLabel) -> Option<Range<usize>> {
    match label {
        BlockLabel::Ident(label) => label.span(),
        BlockLabel::String(label) => label.span(),
    }
}

fn literal(value: &Expression) -> Option<String> {
    match value {
        Expression::String(text) => Some(text.to_string()),
        Expression::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Manner, Use, uses};

    fn found(text: &str) -> Vec<String> {
        let body = hcl_edit::parser::parse_body(text).unwrap();
        let is_map = |_: upstate_compat::Kind, name: &str, path: &str| {
            name == "acme_wall" && path == "gates"
        };
        uses(&body, &is_map)
            .into_iter()
            .map(|used| shown(text, used))
            .collect()
    }

    /// A use as `line kind address path manner`.
    pub(in crate::lock::consumers) fn shown(text: &str, used: Use) -> String {
        let line = text.get(..used.span.start).unwrap().matches('\n').count() + 1;
        let manner = match used.manner {
            Manner::Writes(members) => format!(
                "writes {}",
                members.into_iter().collect::<Vec<_>>().join(",")
            ),
            Manner::Sets(literal) => format!("sets {}", literal.unwrap_or_default()),
            Manner::Reads { by_number } => {
                format!("reads{}", if by_number { " by number" } else { "" })
            }
            Manner::Ignores => "ignores".to_owned(),
            Manner::Calls => "calls".to_owned(),
        };
        let place = format!("{} {} {}", used.address, used.path.join("."), manner);
        format!("{line} {} {}", used.kind.name(), place.trim_end())
    }

    #[test]
    fn attributes_blocks_and_objects_in_values_have_their_paths() {
        let text = r#"resource "acme_wall" "w" {
  count = 2
  mode  = "on"
  rules = [{ port = 80, "name" = "x" }, var.rule]
  gates = { north = { open = true }, (var.name) = { open = false } }
  dynamic "slot" {
    for_each = local.slots
    content { size = slot.value }
  }
  lifecycle { ignore_changes = [mode, rules[0].port] }
}"#;
        let expected = [
            "1 managed acme_wall.w  writes count,gates,mode,rules,slot",
            "2 managed acme_wall.w count sets",
            "3 managed acme_wall.w mode sets on",
            "4 managed acme_wall.w rules sets",
            "4 managed acme_wall.w rules writes name,port",
            "4 managed acme_wall.w rules.port sets",
            "4 managed acme_wall.w rules.name sets x",
            "5 managed acme_wall.w gates sets",
            "5 managed acme_wall.w gates writes open",
            "5 managed acme_wall.w gates.open sets true",
            "5 managed acme_wall.w gates writes open",
            "5 managed acme_wall.w gates.open sets false",
            "6 managed acme_wall.w slot sets",
            "6 managed acme_wall.w slot writes size",
            "8 managed acme_wall.w slot.size sets",
            "10 managed acme_wall.w mode ignores",
            "10 managed acme_wall.w rules.port ignores",
        ];
        let found: Vec<String> = found(text)
            .into_iter()
            .filter(|line| line.contains("acme_wall"))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn expressions_are_found_wherever_they_are() {
        let text = r#"output "o" {
  value = [for w in acme_wall.w[*] : "${acme_wall.w[0].rules[1].port}-${data.acme_zone.z.id}"]
}
locals { sum = provider::acme::sum(ephemeral.acme_pass.p.value, other::thing()) }
moved {
  from = acme_wall.old
  to   = acme_wall.w
}
list "acme_wall" "all" {
  provider = acme
  config { mode = "on" }
}
provider "acme" { region = "eu" }
check "c" {
  data "acme_zone" "y" { name = acme_wall.w.id }
}"#;
        let expected = [
            "2 managed acme_wall.w  reads",
            "2 managed acme_wall.w rules.port reads by number",
            "2 data data.acme_zone.z id reads",
            "4 function provider::acme::sum  calls",
            "4 ephemeral ephemeral.acme_pass.p value reads",
            "11 list list.acme_wall.all  writes mode",
            "11 list list.acme_wall.all mode sets on",
            "13 provider provider.acme  writes region",
            "13 provider provider.acme region sets eu",
            "15 data data.acme_zone.y  writes name",
            "15 data data.acme_zone.y name sets",
            "15 managed acme_wall.w id reads",
        ];
        assert_eq!(found(text), expected);
    }
}
