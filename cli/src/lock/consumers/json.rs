//! The places of a configuration in Terraform's JSON syntax that use something of a provider.
//!
//! A configuration has the same uses in either syntax. In JSON a block looks like an attribute of
//! objects, several blocks like a list, and each string is a template.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use hcl_edit::expr::Expression;
use hcl_edit::parser::{parse_expr, parse_template};
use hcl_edit::visit::Visit as _;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use upstate_compat::Kind;

use super::configuration::{IsMap, Manner, Owner, Reader, Use, inside, sorted};

/// The deepest nesting that is read: a configuration has a few levels, and each takes a part of the
/// stack.
const MAX_DEPTH: usize = 64;

/// The reason that a file is not a configuration, and the byte where that is.
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Finds all uses, in the order of the file.
pub(super) fn uses(text: &str, is_map: &IsMap<'_>) -> Result<Vec<Use>, Fault> {
    let root: &RawValue = serde_json::from_str(text).map_err(|error| {
        let line_start = text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum::<usize>();
        // The column counts bytes, from 1.
        Fault {
            at: line_start + error.column().saturating_sub(1),
            message: plain(&error),
        }
    })?;
    let mut file = File {
        text,
        reader: Reader::new(is_map),
    };
    file.blocks(root, 0)?;
    Ok(sorted(file.reader))
}

/// The message of an error of the JSON parser without its place, which is that in a part of the
/// file.
fn plain(error: &serde_json::Error) -> String {
    error
        .to_string()
        .split(" at line ")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// A member of an object: its decoded name, the bytes of the name, its value.
struct Member<'t> {
    name: String,
    span: Range<usize>,
    value: &'t RawValue,
}

/// A value with its parts still as written.
enum Form<'t> {
    Object(Vec<Member<'t>>),
    Array(Vec<&'t RawValue>),
    String(String),
    Bool(bool),
    /// Null or a number.
    Other,
}

struct File<'t, 'm> {
    text: &'t str,
    reader: Reader<'m>,
}

impl<'t> File<'t, '_> {
    /// The bytes of a value, which is a slice of the text.
    fn span(&self, value: &RawValue) -> Range<usize> {
        let start = value
            .get()
            .as_ptr()
            .addr()
            .saturating_sub(self.text.as_ptr().addr());
        start..start + value.get().len()
    }

    fn fault(&self, value: &RawValue, message: impl Into<String>) -> Fault {
        Fault {
            at: self.span(value).start,
            message: message.into(),
        }
    }

    fn decoded<T: Deserialize<'t>>(&self, value: &'t RawValue) -> Result<T, Fault> {
        serde_json::from_str(value.get()).map_err(|error| self.fault(value, plain(&error)))
    }

    fn form(&self, value: &'t RawValue, depth: usize) -> Result<Form<'t>, Fault> {
        if depth > MAX_DEPTH {
            return Err(self.fault(
                value,
                format!("more than {MAX_DEPTH} values inside one another"),
            ));
        }
        Ok(match value.get().as_bytes().first() {
            Some(b'{') => {
                let Members(members) = self.decoded(value)?;
                let member = |(name, value)| {
                    Ok(Member {
                        name: self.decoded(name)?,
                        span: self.span(name),
                        value,
                    })
                };
                Form::Object(
                    members
                        .into_iter()
                        .map(member)
                        .collect::<Result<_, Fault>>()?,
                )
            }
            Some(b'[') => Form::Array(self.decoded(value)?),
            Some(b'"') => Form::String(self.decoded(value)?),
            Some(b't') => Form::Bool(true),
            Some(b'f') => Form::Bool(false),
            Some(_) | None => Form::Other,
        })
    }

    /// The members of an object, or of all objects of an array, without comments.
    fn members(&self, value: &'t RawValue, depth: usize) -> Result<Vec<Member<'t>>, Fault> {
        let mut members = match self.form(value, depth)? {
            Form::Object(members) => members,
            Form::Array(elements) => {
                let mut all = Vec::new();
                for element in elements {
                    all.extend(self.members(element, depth + 1)?);
                }
                all
            }
            Form::String(_) | Form::Bool(_) | Form::Other => Vec::new(),
        };
        members.retain(|member| member.name != "//");
        Ok(members)
    }

    /// The bodies of blocks: one, or an array of them; each with the bytes to show for it.
    fn bodies(
        &self,
        member: &Member<'t>,
        depth: usize,
    ) -> Result<Vec<(Range<usize>, &'t RawValue)>, Fault> {
        Ok(match self.form(member.value, depth)? {
            Form::Array(elements) => elements
                .into_iter()
                .map(|element| (self.span(element), element))
                .collect(),
            Form::Object(_) | Form::String(_) | Form::Bool(_) | Form::Other => {
                vec![(member.span.clone(), member.value)]
            }
        })
    }

    /// Reads the blocks of a file, or of a block that has blocks of the same kinds.
    fn blocks(&mut self, value: &'t RawValue, depth: usize) -> Result<(), Fault> {
        for block in self.members(value, depth)? {
            let kind = match block.name.as_str() {
                // These say where an object went: they mend what a removal breaks.
                "moved" | "removed" => continue,
                "resource" => Kind::Managed,
                "data" => Kind::Data,
                "ephemeral" => Kind::Ephemeral,
                "list" => Kind::List,
                "action" => Kind::Action,
                "provider" => Kind::Provider,
                "provider_meta" => Kind::ProviderMeta,
                "terraform" => {
                    self.blocks(block.value, depth + 1)?;
                    continue;
                }
                "check" => {
                    for named in self.members(block.value, depth + 1)? {
                        self.blocks(named.value, depth + 2)?;
                    }
                    continue;
                }
                "variable" | "output" => {
                    for named in self.members(block.value, depth + 1)? {
                        // Terraform takes the other members literally, so that they may hold what
                        // is not a template.
                        let evaluated = |member: &Member<'_>| {
                            matches!(
                                &*member.name,
                                "value" | "validation" | "precondition" | "depends_on"
                            )
                        };
                        for member in self
                            .members(named.value, depth + 2)?
                            .iter()
                            .filter(|member| evaluated(member))
                        {
                            self.expressions_of(member, depth + 3)?;
                        }
                    }
                    continue;
                }
                _ => {
                    self.expressions(block.value, depth + 1)?;
                    continue;
                }
            };
            for named in self.members(block.value, depth + 1)? {
                if matches!(kind, Kind::Provider | Kind::ProviderMeta) {
                    let address = format!("{}.{}", block.name, named.name);
                    self.objects(
                        &Owner {
                            kind,
                            name: &named.name,
                            address,
                        },
                        &named,
                        depth + 2,
                    )?;
                    continue;
                }
                for own in self.members(named.value, depth + 2)? {
                    let before = if kind == Kind::Managed {
                        String::new()
                    } else {
                        format!("{}.", block.name)
                    };
                    let address = format!("{before}{}.{}", named.name, own.name);
                    self.objects(
                        &Owner {
                            kind,
                            name: &named.name,
                            address,
                        },
                        &own,
                        depth + 3,
                    )?;
                }
            }
        }
        Ok(())
    }

    fn objects(
        &mut self,
        owner: &Owner<'_>,
        member: &Member<'t>,
        depth: usize,
    ) -> Result<(), Fault> {
        for (span, body) in self.bodies(member, depth)? {
            if !matches!(owner.kind, Kind::List | Kind::Action) {
                self.body(owner, &[], body, span, depth + 1)?;
                continue;
            }
            // Their attributes are in a block of their own, which may be left out.
            let mut configs = self.members(body, depth + 1)?;
            configs.retain(|member| member.name == "config");
            if configs.is_empty() {
                self.reader
                    .push(owner, &[], Manner::Writes(BTreeSet::new()), Some(span));
            }
            for config in configs {
                for (span, body) in self.bodies(&config, depth + 2)? {
                    self.body(owner, &[], body, span, depth + 3)?;
                }
            }
        }
        self.expressions(member.value, depth)
    }

    fn body(
        &mut self,
        owner: &Owner<'_>,
        path: &[String],
        body: &'t RawValue,
        span: Range<usize>,
        depth: usize,
    ) -> Result<(), Fault> {
        let (mut names, mut all_known) = (BTreeSet::new(), true);
        for member in self.members(body, depth)? {
            match member.name.as_str() {
                "lifecycle" if path.is_empty() => self.ignored(owner, member.value, depth + 1)?,
                "dynamic" => {
                    for label in self.members(member.value, depth + 1)? {
                        let path = inside(path, &label.name);
                        self.reader.push(
                            owner,
                            &path,
                            Manner::Sets(None),
                            Some(label.span.clone()),
                        );
                        for block in self
                            .members(label.value, depth + 2)?
                            .iter()
                            .filter(|member| member.name == "content")
                        {
                            for (_, content) in self.bodies(block, depth + 3)? {
                                self.body(owner, &path, content, label.span.clone(), depth + 4)?;
                            }
                        }
                        names.insert(label.name);
                    }
                }
                // A key that an expression makes may be any.
                name if is_template(name) => all_known = false,
                name => {
                    let path = inside(path, name);
                    let literal = match self.form(member.value, depth + 1)? {
                        Form::String(text) if !is_template(&text) => Some(text),
                        Form::Bool(value) => Some(value.to_string()),
                        Form::String(_) | Form::Object(_) | Form::Array(_) | Form::Other => None,
                    };
                    self.reader.push(
                        owner,
                        &path,
                        Manner::Sets(literal),
                        Some(member.span.clone()),
                    );
                    self.value(owner, &path, member.value, member.span, depth + 1)?;
                    names.insert(member.name);
                }
            }
        }
        if all_known {
            self.reader
                .push(owner, path, Manner::Writes(names), Some(span));
        }
        Ok(())
    }

    /// Reads the objects that a value is made of.
    fn value(
        &mut self,
        owner: &Owner<'_>,
        path: &[String],
        value: &'t RawValue,
        span: Range<usize>,
        depth: usize,
    ) -> Result<(), Fault> {
        match self.form(value, depth)? {
            Form::Object(members) if self.reader.is_map(owner, path) => {
                for member in members {
                    if let Form::Object(_) = self.form(member.value, depth + 1)? {
                        self.body(owner, path, member.value, member.span, depth + 1)?;
                    }
                }
                Ok(())
            }
            Form::Object(_) => self.body(owner, path, value, span, depth),
            Form::Array(elements) => elements.into_iter().try_for_each(|element| {
                self.value(owner, path, element, self.span(element), depth + 1)
            }),
            Form::String(_) | Form::Bool(_) | Form::Other => Ok(()),
        }
    }

    /// Reads `ignore_changes`, whose strings are not templates but the names themselves.
    fn ignored(
        &mut self,
        owner: &Owner<'_>,
        lifecycle: &'t RawValue,
        depth: usize,
    ) -> Result<(), Fault> {
        for member in self
            .members(lifecycle, depth)?
            .iter()
            .filter(|member| member.name == "ignore_changes")
        {
            let Form::Array(names) = self.form(member.value, depth + 1)? else {
                continue;
            };
            for name in names {
                if let Form::String(text) = self.form(name, depth + 2)?
                    && let Ok(name_of) = parse_expr(&text)
                {
                    self.reader.ignores(owner, &name_of, Some(self.span(name)));
                }
            }
        }
        Ok(())
    }

    /// Finds the uses in all templates of a value.
    fn expressions(&mut self, value: &'t RawValue, depth: usize) -> Result<(), Fault> {
        match self.form(value, depth)? {
            Form::Object(members) => {
                for member in members.iter().filter(|member| member.name != "//") {
                    self.template(&member.name, &member.span)?;
                    self.expressions_of(member, depth + 1)?;
                }
                Ok(())
            }
            Form::Array(elements) => elements
                .into_iter()
                .try_for_each(|element| self.expressions(element, depth + 1)),
            Form::String(text) => self.template(&text, &self.span(value)),
            Form::Bool(_) | Form::Other => Ok(()),
        }
    }

    fn expressions_of(&mut self, member: &Member<'t>, depth: usize) -> Result<(), Fault> {
        if matches!(&*member.name, "depends_on" | "replace_triggered_by" | "to") {
            self.references(member.value, depth)?;
        }
        self.expressions(member.value, depth)
    }

    /// Reads strings that are expressions as they stand, in the members where Terraform takes them
    /// so. An attribute of the same name may have any strings.
    fn references(&mut self, value: &'t RawValue, depth: usize) -> Result<(), Fault> {
        match self.form(value, depth)? {
            Form::Array(elements) => elements
                .into_iter()
                .try_for_each(|element| self.references(element, depth + 1)),
            Form::String(text) => {
                if let Ok(expression @ Expression::Traversal(_)) = parse_expr(&text) {
                    let span = self.span(value);
                    self.at(&span, |reader| reader.visit_expr(&expression));
                }
                Ok(())
            }
            Form::Object(_) | Form::Bool(_) | Form::Other => Ok(()),
        }
    }

    fn template(&mut self, text: &str, span: &Range<usize>) -> Result<(), Fault> {
        if !is_template(text) {
            return Ok(());
        }
        let template = parse_template(text).map_err(|error| Fault {
            at: span.start,
            message: error.message().to_owned(),
        })?;
        self.at(span, |reader| reader.visit_template(&template));
        Ok(())
    }

    /// Finds uses in a part of the file that was parsed alone: they get the place of that part.
    fn at(&mut self, span: &Range<usize>, find: impl FnOnce(&mut Reader<'_>)) {
        let before = self.reader.found.len();
        find(&mut self.reader);
        self.reader
            .found
            .iter_mut()
            .skip(before)
            .for_each(|found| found.span = span.clone());
    }
}

fn is_template(text: &str) -> bool {
    text.contains("${") || text.contains("%{")
}

/// The members of an object as they are written, with those of the same name.
struct Members<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Of)
    }
}

#[cfg(test)]
mod tests {
    use super::uses;
    use crate::lock::consumers::configuration::tests::shown;

    /// Each use as `line kind name address path manner`.
    fn found(text: &str) -> Vec<String> {
        let is_map = |_: upstate_compat::Kind, name: &str, path: &str| {
            name == "acme_wall" && path == "gates"
        };
        let Ok(found) = uses(text, &is_map) else {
            panic!("it is a configuration")
        };
        found.into_iter().map(|used| shown(text, used)).collect()
    }

    #[test]
    fn attributes_blocks_and_objects_in_values_have_their_paths() {
        let text = r#"{"//": "a comment", "resource": {"acme_wall": {"w": {
  "//": "another",
  "count": 2,
  "mode": "on",
  "rules": [{"port": 80, "name": "x"},
            "${var.rule}"],
  "gates": {"north": {"open": true}, "${var.name}": {"open": false}},
  "dynamic": {"slot": {
    "for_each": "${acme_list.l.slots}",
    "content": {"size": "${slot.value}"}}},
  "lifecycle": {"ignore_changes": ["mode", "rules[0].port"]}
}}}}"#;
        let expected = [
            "1 managed acme_wall.w  writes count,gates,mode,rules,slot",
            "3 managed acme_wall.w count sets",
            "4 managed acme_wall.w mode sets on",
            "5 managed acme_wall.w rules sets",
            "5 managed acme_wall.w rules writes name,port",
            "5 managed acme_wall.w rules.port sets",
            "5 managed acme_wall.w rules.name sets x",
            "6 managed var.rule  reads",
            "7 managed acme_wall.w gates sets",
            "7 managed acme_wall.w gates writes open",
            "7 managed acme_wall.w gates.open sets true",
            "7 managed var.name  reads",
            "7 managed acme_wall.w gates writes open",
            "7 managed acme_wall.w gates.open sets false",
            "8 managed acme_wall.w slot sets",
            "8 managed acme_wall.w slot writes size",
            "9 managed acme_list.l slots reads",
            "10 managed acme_wall.w slot.size sets",
            "10 managed slot.value  reads",
            "11 managed acme_wall.w mode ignores",
            "11 managed acme_wall.w rules.port ignores",
        ];
        assert_eq!(found(text), expected);
    }

    #[test]
    fn expressions_are_found_wherever_they_are() {
        let text = r#"{
"output": {"o": {"description": "an invalid ${",
  "value": "${[for w in acme_wall.w[*] : \"${acme_wall.w[0].rules[1].port}-${data.acme_zone.z.id}\"]}"}},
"locals": {"sum": "${provider::acme::sum(ephemeral.acme_pass.p.value, other::thing())}"},
"moved": [{"from": "acme_wall.old", "to": "acme_wall.w"}],
"import": {"to": "acme_wall.i", "id": "7"},
"list": {"acme_wall": {"all": {"provider": "acme",
  "config": {"mode": "on"}}, "none": {}}},
"provider": {"acme": [{"region": "eu"}, {"region": "us"}]},
"terraform": [{"provider_meta": {"acme": {"name": "m"}}}],
"check": {"c": {
  "data": {"acme_zone": {"y": {"name": "${acme_wall.w.id}", "depends_on": ["acme_wall.x"]}}}}}
}"#;
        let expected = [
            "3 managed acme_wall.w  reads",
            "3 data data.acme_zone.z id reads",
            "3 managed acme_wall.w rules.port reads by number",
            "4 function provider::acme::sum  calls",
            "4 ephemeral ephemeral.acme_pass.p value reads",
            "6 managed acme_wall.i  reads",
            "8 list list.acme_wall.all  writes mode",
            "8 list list.acme_wall.all mode sets on",
            "8 list list.acme_wall.none  writes",
            "9 provider provider.acme  writes region",
            "9 provider provider.acme region sets eu",
            "9 provider provider.acme  writes region",
            "9 provider provider.acme region sets us",
            "10 provider_meta provider_meta.acme  writes name",
            "10 provider_meta provider_meta.acme name sets m",
            "12 data data.acme_zone.y  writes depends_on,name",
            "12 data data.acme_zone.y name sets",
            "12 managed acme_wall.w id reads",
            "12 data data.acme_zone.y depends_on sets",
            "12 managed acme_wall.x  reads",
        ];
        let mut found = found(text);
        found.sort_by_key(|line| {
            line.split(' ')
                .next()
                .and_then(|line| line.parse::<usize>().ok())
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_fault_has_the_place_where_it_is() {
        let deep = format!(
            "{{\"locals\": {{\n\"x\": {}1{}}}}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        for (text, line, message) in [
            ("{\n\"resource\": {,}}", 2, "key must be a string"),
            ("{\"locals\": {\n\"a\": \"${x.\"}}", 2, ""),
            (&*deep, 2, "more than 64 values inside one another"),
            (
                "{\"locals\": {\n\"a\": \"\\ud800\"}}",
                2,
                "unexpected end of hex escape",
            ),
        ] {
            let fault = uses(text, &|_, _, _| false).err().unwrap();
            assert_eq!(
                text[..fault.at].matches('\n').count() + 1,
                line,
                "{}",
                fault.message
            );
            assert!(fault.message.contains(message), "{}", fault.message);
        }
    }
}
