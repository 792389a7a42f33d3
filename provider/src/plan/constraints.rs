//! Constraints between attributes of a configuration, as the model declares them.

use upstate::schema::{GroupKind, Nesting, Schema};
use upstate::{AttributePath, Diagnostics, Value};

use super::checks;
use super::nested::{Members, elements, member};
use crate::diagnostics;

/// True if a member of a constraint is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Yes,
    No,
    /// It may turn out to be: its value is not known yet.
    Maybe,
}

/// The declared constraints and checks that `config` breaks, whatever becomes of the values that
/// are not known yet.
///
/// Members of one nested object are looked at object by object. Values are never shown.
pub(crate) fn broken(schema: &Schema, config: &Value) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    for (kind, paths) in schema.constraints() {
        let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
        let constraint = Constraint {
            kind,
            paths: &paths,
            shared: shared(&paths),
        };
        constraint.check(
            Members::Block(schema.block()),
            config,
            &AttributePath::new(),
            0,
            &mut diagnostics,
        );
    }
    diagnostics.append(checks::failed(schema.block(), config));
    diagnostics
}

fn shared(paths: &[&[&str]]) -> usize {
    let Some((first, rest)) = paths.split_first() else {
        return 0;
    };
    let longest = paths
        .iter()
        .map(|path| path.len())
        .min()
        .unwrap_or(0)
        .saturating_sub(1);
    first
        .iter()
        .take(longest)
        .enumerate()
        .take_while(|(index, name)| rest.iter().all(|path| path.get(*index) == Some(*name)))
        .count()
}

struct Constraint<'c> {
    kind: GroupKind,
    paths: &'c [&'c [&'c str]],
    /// The number of objects in all of them together.
    shared: usize,
}

impl Constraint<'_> {
    /// Looks at each of the objects that hold all members; `object` is `depth` names on the way
    /// there.
    fn check(
        &self,
        of: Members<'_>,
        object: &Value,
        at: &AttributePath,
        depth: usize,
        diagnostics: &mut Diagnostics,
    ) {
        if !matches!(object, Value::Map(_)) {
            // What is not there breaks nothing, and what is not known may not.
            return;
        }
        let Some(name) = self
            .paths
            .first()
            .and_then(|path| path.get(depth))
            .filter(|_| depth < self.shared)
        else {
            return self.judge(of, object, at, diagnostics);
        };
        let Some((_, nesting, inner)) = of.nested().find(|(nested, ..)| nested == name) else {
            return;
        };
        for (step, element) in elements(nesting, member(object, name)) {
            let at = at.clone().attribute((*name).to_owned());
            let at = step.into_iter().fold(at, AttributePath::step);
            self.check(inner, element, &at, depth + 1, diagnostics);
        }
    }

    fn judge(
        &self,
        of: Members<'_>,
        object: &Value,
        at: &AttributePath,
        diagnostics: &mut Diagnostics,
    ) {
        if self.kind.is_sum() {
            return self.add_up(of, object, at, diagnostics);
        }
        let members: Vec<(&[&str], Set)> = self
            .paths
            .iter()
            .filter_map(|path| path.get(self.shared..))
            .map(|path| (path, set(of, object, path)))
            .collect();
        let with = |state: Set| {
            members
                .iter()
                .filter(move |(_, is)| *is == state)
                .map(|(path, _)| path.join("."))
        };
        let (yes, no): (Vec<String>, Vec<String>) =
            (with(Set::Yes).collect(), with(Set::No).collect());
        let all = members
            .iter()
            .map(|(path, _)| path.join("."))
            .collect::<Vec<_>>()
            .join(", ");
        let none_is_set = no.len() == members.len();
        let (summary, detail, remedy, place) = match self.kind {
            GroupKind::ConflictsWith if yes.len() > 1 => (
                "Invalid Attribute Combination",
                format!(
                    "At most one of {all} can be set; {} are.",
                    yes.join(" and ")
                ),
                "Remove all but one.",
                yes.last(),
            ),
            GroupKind::ExactlyOneOf if yes.len() > 1 => (
                "Invalid Attribute Combination",
                format!(
                    "Exactly one of {all} must be set; {} are.",
                    yes.join(" and ")
                ),
                "Remove all but one.",
                yes.last(),
            ),
            GroupKind::ExactlyOneOf if none_is_set => (
                "Missing Attribute Configuration",
                format!("Exactly one of {all} must be set; none is."),
                "Set one.",
                None,
            ),
            GroupKind::AtLeastOneOf if none_is_set => (
                "Missing Attribute Configuration",
                format!("At least one of {all} must be set; none is."),
                "Set one.",
                None,
            ),
            GroupKind::RequiredWith if !yes.is_empty() && !no.is_empty() => {
                let detail = format!(
                    "If one of {all} is set, all must be; {} is set and {} is not.",
                    yes.join(" and "),
                    no.join(" and ")
                );
                (
                    "Invalid Attribute Combination",
                    detail,
                    "Set all, or none.",
                    yes.first(),
                )
            }
            GroupKind::ConflictsWith
            | GroupKind::ExactlyOneOf
            | GroupKind::AtLeastOneOf
            | GroupKind::RequiredWith
            | GroupKind::AtLeastSumOf
            | GroupKind::AtMostSumOf
            | GroupKind::EqualToSumOf => return,
        };
        let at = place.map_or_else(|| at.clone(), |path| place_of(of, path, at));
        diagnostics.push(diagnostics::combination(summary, detail, remedy, at));
    }

    /// Compares the first member with the sum of the others. As in the framework, one that is null
    /// adds nothing, and one that is not known yet leaves the comparison for later.
    fn add_up(
        &self,
        of: Members<'_>,
        object: &Value,
        at: &AttributePath,
        diagnostics: &mut Diagnostics,
    ) {
        let inside: Vec<&[&str]> = self
            .paths
            .iter()
            .filter_map(|path| path.get(self.shared..))
            .collect();
        let Some((first, others)) = inside.split_first() else {
            return;
        };
        let mut summands = Vec::new();
        for path in others {
            amounts(of, object, path, at, &mut summands);
        }
        let all: Option<Vec<i128>> = summands.iter().map(|(_, value)| whole(value)).collect();
        // Sixty-four bits times all that a message can hold never overflow.
        let Some(sum) = all.map(|all| all.into_iter().fold(0, i128::saturating_add)) else {
            return;
        };
        let mut compared = Vec::new();
        amounts(of, object, first, at, &mut compared);
        for (at, value) in compared {
            let Some(amount) = whole(value) else { continue };
            let words = match self.kind {
                GroupKind::AtLeastSumOf if amount < sum => "must be at least",
                GroupKind::AtMostSumOf if amount > sum => "must be at most",
                GroupKind::EqualToSumOf if amount != sum => "must be",
                GroupKind::AtLeastSumOf
                | GroupKind::AtMostSumOf
                | GroupKind::EqualToSumOf
                | GroupKind::ConflictsWith
                | GroupKind::ExactlyOneOf
                | GroupKind::AtLeastOneOf
                | GroupKind::RequiredWith => continue,
            };
            let others: Vec<String> = others.iter().map(|path| path.join(".")).collect();
            diagnostics.push(diagnostics::unaccepted(
                at,
                &format!("{words} {}", others.join(" + ")),
            ));
        }
    }
}

/// A whole number, if it is known.
fn whole(value: &Value) -> Option<i128> {
    let Value::Number(number) = value else {
        return None;
    };
    number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from))
}

/// The values at a path inside of an object, each with its place; in a collection, those of all its
/// elements. Null is left out.
fn amounts<'v>(
    of: Members<'_>,
    object: &'v Value,
    path: &[&str],
    at: &AttributePath,
    found: &mut Vec<(AttributePath, &'v Value)>,
) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    let (value, at) = (
        member(object, name),
        at.clone().attribute((*name).to_owned()),
    );
    match (value, of.nested().find(|(nested, ..)| nested == name)) {
        (Value::Null, _) => {}
        (Value::Unknown, _) | (_, None) => found.push((at, value)),
        (_, Some((_, nesting, inner))) => {
            for (step, element) in elements(nesting, value) {
                let at = step.into_iter().fold(at.clone(), AttributePath::step);
                if matches!(element, Value::Unknown) {
                    found.push((at, element));
                } else {
                    amounts(inner, element, rest, &at, found);
                }
            }
        }
    }
}

/// The place of a member, as far as it is one place: not inside of the elements of a collection.
fn place_of(mut of: Members<'_>, path: &str, at: &AttributePath) -> AttributePath {
    let mut at = at.clone();
    for name in path.split('.') {
        at = at.attribute(name.to_owned());
        match of.nested().find(|(nested, ..)| *nested == name) {
            Some((_, Nesting::Single, inner)) => of = inner,
            _ => break,
        }
    }
    at
}

/// True if anything is at a path inside of an object; in a collection, in any of its elements.
fn set(of: Members<'_>, object: &Value, path: &[&str]) -> Set {
    let Some((name, rest)) = path.split_first() else {
        return Set::Yes;
    };
    let value = match object {
        Value::Unknown => return Set::Maybe,
        Value::Map(_) => member(object, name),
        _ => return Set::No,
    };
    let nested = of.nested().find(|(nested, ..)| nested == name);
    let is_block = matches!(of, Members::Block(block) if block.blocks().iter().any(|block| block.name() == *name));
    match (value, nested) {
        (Value::Unknown, _) => Set::Maybe,
        (Value::Null, _) => Set::No,
        (Value::Dynamic(dynamic), _) if rest.is_empty() => match dynamic.1 {
            Value::Null => Set::No,
            Value::Unknown => Set::Maybe,
            _ => Set::Yes,
        },
        // No block at all is an empty collection, never null.
        (Value::List(blocks), _) if rest.is_empty() && is_block && blocks.is_empty() => Set::No,
        (Value::Map(blocks), Some((_, Nesting::Map, _)))
            if rest.is_empty() && is_block && blocks.is_empty() =>
        {
            Set::No
        }
        _ if rest.is_empty() => Set::Yes,
        (_, Some((_, nesting, inner))) => {
            let states: Vec<Set> = elements(nesting, value)
                .into_iter()
                .map(|(_, element)| set(inner, element, rest))
                .collect();
            let first = [Set::Yes, Set::Maybe]
                .into_iter()
                .find(|state| states.contains(state));
            first.unwrap_or(Set::No)
        }
        (_, None) => Set::No,
    }
}

#[cfg(test)]
mod tests {
    use upstate::{Object, Resource};

    use super::*;
    use crate::plan::tests::{read, shown};

    #[derive(Resource)]
    #[resource(type_name = "test_lock", version = 0)]
    #[resource(conflicts_with(pin, secret), exactly_one_of(zone, place.region), required_with(user, secret))]
    #[resource(at_least_one_of(pin, secret, key), conflicts_with(rule.port, rule.ports), conflicts_with(zone, rule.port))]
    struct Lock {
        pin: Option<String>,
        #[attribute(sensitive)]
        secret: Option<String>,
        #[attribute(name = "owner")]
        user: Option<String>,
        zone: Option<String>,
        place: Option<Place>,
        #[block]
        key: Vec<Place>,
        #[block]
        rule: Vec<Rule>,
    }

    #[derive(Object)]
    struct Place {
        region: Option<String>,
    }

    #[derive(Object)]
    struct Rule {
        port: Option<u16>,
        ports: Option<Vec<u16>>,
    }

    #[derive(Resource)]
    #[resource(type_name = "test_pool", version = 0, at_least_sum_of(total, used, lost), at_most_sum_of(low, used, tank.level))]
    #[resource(equal_to_sum_of((tank.all, tank.level, tank.rest), (even, total)))]
    struct Pool {
        total: i64,
        #[attribute(default = 9)]
        used: i64,
        lost: Option<u64>,
        low: Option<i64>,
        #[attribute(sensitive)]
        even: Option<i32>,
        tank: Option<Vec<Tank>>,
    }

    #[derive(Object)]
    struct Tank {
        level: Option<u64>,
        rest: Option<u64>,
        all: Option<u64>,
    }

    /// The diagnostics of a configuration.
    fn problems(config: &str) -> Vec<String> {
        refused(Lock::schema(), config)
    }

    fn refused(schema: &Schema, config: &str) -> Vec<String> {
        shown(&broken(schema, &read(schema.block(), config)))
    }

    const FINE: &str = r#""place": {"region": "eu"}"#;

    #[test]
    fn what_may_stand_together_is_accepted() {
        assert_eq!(problems(&format!(r#"{{"pin": "1", {FINE}}}"#)), [""; 0]);
        assert_eq!(
            problems(&format!(r#"{{"secret": "x", "owner": "u", {FINE}}}"#)),
            [""; 0]
        );
        assert_eq!(
            problems(&format!(
                r#"{{"key": [{{}}], {FINE}, "rule": [{{"port": 1}}, {{"ports": [1]}}]}}"#
            )),
            [""; 0]
        );
    }

    #[test]
    fn each_constraint_names_its_rule_and_shows_no_value() {
        let found = problems(&format!(
            r#"{{"pin": "1234", "secret": "hunter2", "owner": "u", {FINE}}}"#
        ));
        assert_eq!(
            found,
            [
                "secret: At most one of pin, secret can be set; pin and secret are. Remove all but one."
            ]
        );
        let found = problems(r#"{"pin": "1", "zone": "a", "place": {"region": "eu"}}"#);
        assert_eq!(
            found,
            [
                "place.region: Exactly one of zone, place.region must be set; zone and place.region are. Remove all but one."
            ]
        );
        assert_eq!(
            problems(r#"{"pin": "1"}"#),
            [": Exactly one of zone, place.region must be set; none is. Set one."]
        );
        assert_eq!(
            problems(&format!(r#"{{"key": [], {FINE}}}"#)),
            [": At least one of pin, secret, key must be set; none is. Set one."]
        );
        let found = problems(&format!(r#"{{"pin": "1", "owner": "u", {FINE}}}"#));
        assert_eq!(
            found,
            [
                "owner: If one of owner, secret is set, all must be; owner is set and secret is not. Set all, or none."
            ]
        );
    }

    #[test]
    fn members_of_one_object_are_looked_at_object_by_object() {
        let found = problems(&format!(
            r#"{{"pin": "1", {FINE}, "rule": [{{"port": 1}}, {{"port": 2, "ports": []}}]}}"#
        ));
        assert_eq!(
            found,
            [
                "rule[1].ports: At most one of port, ports can be set; port and ports are. Remove all but one."
            ]
        );
        // If a member is outside of the objects, any of them counts, and the place ends at the
        // collection.
        let found = problems(r#"{"pin": "1", "zone": "a", "rule": [{}, {"port": 2}]}"#);
        assert_eq!(
            found,
            [
                "rule: At most one of zone, rule.port can be set; zone and rule.port are. Remove all but one."
            ]
        );
    }

    #[test]
    fn what_is_not_known_yet_breaks_nothing() {
        assert_eq!(
            problems(
                r#"{"pin": "?", "secret": "?", "owner": "?", "zone": "?", "place": {"region": "?"}}"#
            ),
            [""; 0]
        );
        assert_eq!(
            problems(r#"{"pin": "1", "zone": "?", "place": null}"#),
            [""; 0]
        );
        // Two that are known are too many whatever a third will be.
        let found = problems(r#"{"pin": "1", "secret": "x", "owner": "?", "zone": "?"}"#);
        assert_eq!(
            found,
            [
                "secret: At most one of pin, secret can be set; pin and secret are. Remove all but one."
            ]
        );
    }

    fn pool(config: &str) -> Vec<String> {
        refused(Pool::schema(), config)
    }

    #[test]
    fn a_number_is_compared_with_the_sum_of_others() {
        assert_eq!(pool(r#"{"total": 10, "used": 6, "lost": 4}"#), [""; 0]);
        assert_eq!(
            pool(r#"{"total": 9, "used": 6, "lost": 4}"#),
            ["total: total must be at least used + lost."]
        );
        assert_eq!(
            pool(r#"{"total": 9, "low": 7, "used": 6}"#),
            ["low: low must be at most used + tank.level."]
        );
        assert_eq!(pool(r#"{"total": 9, "even": 9}"#), [""; 0]);
        assert_eq!(
            pool(r#"{"total": 9, "even": 8}"#),
            ["even: even must be total."]
        );
        // Two of the largest numbers are more than 64 bits hold.
        let found = pool(
            r#"{"total": 9223372036854775807, "used": 9223372036854775807, "lost": 18446744073709551615}"#,
        );
        assert_eq!(found, ["total: total must be at least used + lost."]);
    }

    #[test]
    fn what_is_null_adds_nothing_and_what_is_not_known_yet_is_not_compared() {
        assert_eq!(pool(r#"{"total": 10, "lost": 4}"#), [""; 0]);
        // A default is not in the configuration, as in the framework.
        assert_eq!(pool(r#"{"total": 5, "used": null}"#), [""; 0]);
        assert_eq!(
            pool(r#"{"total": -1}"#),
            ["total: total must be at least used + lost."]
        );
        assert_eq!(pool(r#"{"total": 1, "used": -99, "lost": 9}"#), [""; 0]);
        assert_eq!(pool(r#"{"total": -99, "used": 5, "lost": 9}"#), [""; 0]);
        assert_eq!(
            pool(r#"{"total": 1, "low": 9, "tank": [{"level": -99}, {"level": 1}]}"#),
            [""; 0]
        );
    }

    #[test]
    fn all_elements_add_up_unless_the_sum_is_inside_of_one() {
        let tanks = r#""tank": [{"level": 3, "all": 3}, {"level": 2, "rest": 2, "all": 5}]"#;
        assert_eq!(
            pool(&format!(r#"{{"total": 1, "low": 5, {tanks}}}"#)),
            ["tank[1].all: tank[1].all must be level + rest."]
        );
        let found = pool(&format!(r#"{{"total": 1, "low": 6, {tanks}}}"#));
        assert_eq!(
            found,
            [
                "low: low must be at most used + tank.level.",
                "tank[1].all: tank[1].all must be level + rest."
            ]
        );
    }
}
