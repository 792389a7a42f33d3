//! The facts that models declare for rules alone, as in snapshots.

use serde_json::{Map, Value as Json, json};
use upstate::__internal::custom_resource::{self, Deprecated};
use upstate::__internal::{About, Fact, parts, stated};
use upstate::schema::{Attribute, Block, Check, NestedBlock, Schema, Shape, Shared};
use upstate_words::lock::step;

use super::api::{ApiVersionSnapshot, CustomResourceSnapshot};
use super::finding::Waiver;
use super::snapshot::{
    AttributeSnapshot, Behaviour, BlockSnapshot, Deprecation, Group, Names, ResourceSnapshot,
};

pub(super) fn deprecation(message: Option<&str>, facts: &[Fact]) -> Option<Deprecation> {
    let one = |about| stated(facts, about).next().map(str::to_owned);
    Some(Deprecation {
        message: message?.to_owned(),
        replaced_by: names(facts, About::ReplacedBy),
        no_replacement: one(About::NoReplacement),
        since: one(About::DeprecatedSince),
        removal: one(About::RemoveIn),
        ..Deprecation::default()
    })
}

fn names(facts: &[Fact], about: About) -> Names {
    Names(stated(facts, about).map(str::to_owned).collect())
}

pub(super) fn attribute(attribute: &Attribute, snapshot: AttributeSnapshot) -> AttributeSnapshot {
    let facts = attribute.facts();
    let all = |about| stated(facts, about).map(str::to_owned);
    let keys: Vec<String> = all(About::ListMapKey).collect();
    let list_type = list_type(all(About::ListType).next(), &keys);
    let checks = attribute.checks().flat_map(validators).chain(list_type);
    let validators = snapshot.validators.into_iter().chain(checks).collect();
    AttributeSnapshot {
        validators,
        deprecated: deprecation(attribute.deprecated(), facts),
        renamed_from: names(facts, About::RenamedFrom),
        format: all(About::Format).next(),
        accepts: all(About::Accepts).collect(),
        diff_suppress: all(About::ReadAs)
            .next()
            .map_or(Json::Null, |name| json!(name)),
        api_default: attribute
            .api_default_json()
            .and_then(|json| serde_json::from_str(&json).ok()),
        ..snapshot
    }
}

/// A check by its name, in the form that rules compare; those of elements and keys one by one.
fn validators(check: &Check) -> Vec<(String, Json)> {
    let limits = |min: u64, max: u64| {
        interval([
            ("min", (min > 0).then(|| json!(min))),
            ("max", (max < u64::MAX).then(|| json!(max))),
        ])
    };
    let inner = |word: &str, checks: &[Check]| -> Vec<(String, Json)> {
        checks
            .iter()
            .flat_map(validators)
            .map(|(name, value)| (format!("{word} {name}"), value))
            .collect()
    };
    let (name, value) = match check {
        Check::Length { min, max } => ("length", limits(*min, *max)),
        Check::Bytes { min, max } => ("bytes", limits(*min, *max)),
        Check::Each(checks) => return inner("each", checks),
        Check::Keys(checks) => return inner("keys", checks),
        Check::NoneOf(values) => {
            let values: Vec<Json> = values
                .iter()
                .filter_map(|json| serde_json::from_str(json).ok())
                .collect();
            // Not a bare list, because of one that grows the rules say that it accepts more.
            ("none_of", json!({"values": values}))
        }
        Check::Range { min, max } => {
            let limit = |text: &Option<Shared<str>>| serde_json::from_str(text.as_deref()?).ok();
            (
                "range",
                interval([("min", limit(min)), ("max", limit(max))]),
            )
        }
        Check::Pattern { pattern, .. } => ("pattern", json!(&**pattern)),
        Check::OneOf(values) => {
            let values: Vec<Json> = values
                .iter()
                .filter_map(|json| serde_json::from_str(json).ok())
                .collect();
            ("one_of", json!(values))
        }
        Check::Function { name, .. } => ("validate", json!(&**name)),
    };
    vec![(name.to_owned(), value)]
}

fn interval(limits: [(&str, Option<Json>); 2]) -> Json {
    limits
        .into_iter()
        .filter_map(|(name, limit)| Some((name.to_owned(), limit?)))
        .collect::<Map<_, _>>()
        .into()
}

pub(super) fn block(nested: &NestedBlock, snapshot: BlockSnapshot) -> BlockSnapshot {
    let (block, facts) = (nested.block(), nested.block().facts());
    BlockSnapshot {
        validators: nested.checks().flat_map(validators).collect(),
        deprecated: deprecation(block.deprecated(), facts),
        renamed_from: names(facts, About::RenamedFrom),
        ..snapshot
    }
}

pub(super) fn resource(schema: &Schema, mut snapshot: ResourceSnapshot) -> ResourceSnapshot {
    let facts = schema.block().facts();
    let one = |about| stated(facts, about).next().map(str::to_owned);
    let id_format = one(About::IdFormat);
    for name in id_format.iter().flat_map(|format| parts(format)) {
        if let Some(attribute) = snapshot.attributes.get_mut(name) {
            attribute.id_component = true;
        }
    }
    let group = |(kind, paths): (_, Vec<Vec<&str>>)| Group {
        kind,
        paths: paths.iter().map(|path| path.join(".")).collect(),
    };
    ResourceSnapshot {
        groups: schema.constraints().into_iter().map(group).collect(),
        id_format,
        import_formats: stated(facts, About::ImportFormat)
            .map(str::to_owned)
            .collect(),
        read: one(About::Read),
        tier: one(About::Tier),
        destroy: one(About::Destroy),
        behaviours: behaviours(facts),
        custom_resource: facts.iter().find_map(custom_resource),
        deprecated: deprecation(schema.deprecated(), facts),
        ..snapshot
    }
}

fn custom_resource(fact: &Fact) -> Option<CustomResourceSnapshot> {
    let Fact::CustomResource(facts) = fact else {
        return None;
    };
    let subresources = [("status", facts.status), ("scale", facts.scale.is_some())];
    let version = |version: &custom_resource::Version| {
        let deprecated = match version.deprecated {
            Deprecated::No => None,
            Deprecated::Yes => Some(String::new()),
            Deprecated::Warning(text) => Some(text.to_owned()),
        };
        let snapshot = ApiVersionSnapshot {
            number: version.number,
            served: version.served,
            storage: version.storage,
            deprecated,
            since: None,
        };
        (version.name.to_owned(), snapshot)
    };
    Some(CustomResourceSnapshot {
        group: facts.group.to_owned(),
        kind: facts.kind.to_owned(),
        plural: facts.plural.to_owned(),
        scope: facts.scope.name().to_owned(),
        subresources: subresources
            .iter()
            .filter(|(_, is_there)| *is_there)
            .map(|(name, _)| (*name).to_owned())
            .collect(),
        versions: facts.versions.iter().map(version).collect(),
    })
}

/// The way in which server-side apply merges a list, as a check: clients that write equal elements,
/// or elements with equal keys, are refused.
fn list_type(word: Option<String>, keys: &[String]) -> Option<(String, Json)> {
    let word = word.filter(|word| word != "atomic")?;
    let value = if keys.is_empty() {
        json!(word)
    } else {
        json!(format!("{word} by {}", keys.join(", ")))
    };
    Some(("list type".to_owned(), value))
}

fn behaviours(facts: &[Fact]) -> Vec<Behaviour> {
    let behaviour = |fact: &Fact| match fact {
        Fact::Behaviour { text, since, flag } => Some(Behaviour {
            text: text.to_string(),
            since: since.to_string(),
            flag: (!flag.is_empty()).then(|| flag.to_string()),
        }),
        // The others are listed, because a new one that no snapshot holds would be lost from locks.
        Fact::Stated(..)
        | Fact::ApiDefault(_)
        | Fact::Group(..)
        | Fact::Check(_)
        | Fact::OwnSchema { .. }
        | Fact::ReplacesIf { .. }
        | Fact::Allowed { .. }
        | Fact::CustomResource(_) => None,
    };
    facts.iter().filter_map(behaviour).collect()
}

/// The findings that a model lets through, in the form of the settings.
pub(super) fn waivers(name: &str, schema: &Schema) -> Vec<Waiver> {
    let mut waivers = Vec::new();
    let block = schema.block();
    add(&mut waivers, block.facts(), name);
    inside(&mut waivers, block, name);
    waivers
}

fn inside(waivers: &mut Vec<Waiver>, block: &Block, at: &str) {
    attributes(waivers, block.attributes(), at);
    for nested in block.blocks() {
        let at = step(at, nested.name());
        add(waivers, nested.block().facts(), &at);
        inside(waivers, nested.block(), &at);
    }
}

fn attributes(waivers: &mut Vec<Waiver>, attributes: &[Attribute], at: &str) {
    for attribute in attributes {
        let at = step(at, attribute.name());
        add(waivers, attribute.facts(), &at);
        if let Shape::Nested(nested) = attribute.shape() {
            self::attributes(waivers, nested.attributes(), &at);
        }
    }
}

fn add(waivers: &mut Vec<Waiver>, facts: &[Fact], at: &str) {
    for fact in facts {
        let Fact::Allowed {
            rule,
            path,
            reason,
            until,
        } = fact
        else {
            continue;
        };
        // There, and inside of it, as a lint is allowed; what is gone has no place of its own and
        // is named.
        let path = if path.is_empty() {
            format!("{at}.*")
        } else {
            format!("{at}.{path}")
        };
        waivers.push(Waiver {
            rule: Some(rule.to_string()),
            path: Some(path),
            fingerprint: None,
            reason: Some(reason.to_string()),
            until: Some(until.to_string()),
        });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use upstate::Object;
    use upstate::schema::Schema;

    use super::*;

    #[derive(Object)]
    struct Ship {
        #[attribute(each(length = 1..=3, one_of("a")), keys(pattern = "^x", pattern_message = "must begin with x"))]
        cargo: Option<BTreeMap<String, String>>,
    }

    #[test]
    fn checks_of_elements_and_keys_are_compared_one_by_one() {
        let attribute = &Schema::of::<Ship>().block().attributes()[0];
        let found: BTreeMap<String, Json> = attribute.checks().flat_map(validators).collect();
        let expected = json!({"each length": {"min": 1, "max": 3}, "each one_of": ["a"], "keys pattern": "^x"});
        assert_eq!(json!(found), expected);
    }

    #[derive(Object)]
    struct Harbor {
        #[block(validate = free, each(validate = afloat), keys(length = ..=8))]
        berth: BTreeMap<String, Ship>,
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the derive calls it")]
    fn free(_: &BTreeMap<String, Ship>) -> Result<(), String> {
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "as the derive calls it")]
    fn afloat(_: &Ship) -> Result<(), String> {
        Ok(())
    }

    #[test]
    fn checks_of_blocks_are_remembered_as_those_of_attributes() {
        let blocks = BlockSnapshot::from(&Schema::of::<Harbor>().block().blocks()[0]);
        let expected =
            json!({"validate": "free", "each validate": "afloat", "keys length": {"max": 8}});
        assert_eq!(json!(blocks.validators), expected);
    }
}
