//! The deprecated parts that a configuration uses. Terraform acts on no announcement of that in a
//! schema: the provider says it.

use upstate::__internal::{About, Fact, stated};
use upstate::path::PathStep;
use upstate::schema::Schema;
use upstate::{AttributePath, Diagnostics, Value};

use super::nested::{Members, each_object, elements, member};
use crate::diagnostics;

/// A warning for everything deprecated that `config` sets to a value which is known: what is not
/// known yet may turn out to be null.
pub(crate) fn deprecated(schema: &Schema, config: &Value) -> Diagnostics {
    let mut warnings = Diagnostics::new();
    if let Some(message) = schema.deprecated() {
        warnings.push(diagnostics::deprecated(
            "Deprecated",
            deprecation_text(message, schema.block().facts()),
            None,
        ));
    }
    each_object(
        Members::Block(schema.block()),
        config,
        &mut |of, object, at| {
            members(of, object, at, &mut warnings);
        },
    );
    warnings
}

fn members(of: Members<'_>, object: &Value, at: &AttributePath, warnings: &mut Diagnostics) {
    let mut warn = |summary: &str, name: &str, message: &str, facts: &[Fact]| {
        let warning = diagnostics::deprecated(
            summary,
            deprecation_text(message, facts),
            Some(at.clone().attribute(name.to_owned())),
        );
        // All elements of a set have one path.
        let in_set = at
            .steps()
            .iter()
            .any(|step| matches!(step, PathStep::Element(_)));
        if !in_set || !warnings.iter().any(|other| *other == warning) {
            warnings.push(warning);
        }
    };
    for attribute in of.attributes() {
        if let Some(message) = attribute.deprecated()
            && !matches!(
                member(object, attribute.name()),
                Value::Null | Value::Unknown
            )
        {
            warn(
                "Attribute Deprecated",
                attribute.name(),
                message,
                attribute.facts(),
            );
        }
    }
    if let Members::Block(block) = of {
        for nested in block.blocks() {
            if let Some(message) = nested.block().deprecated()
                && !elements(nested.nesting(), member(object, nested.name())).is_empty()
            {
                warn(
                    "Block Deprecated",
                    nested.name(),
                    message,
                    nested.block().facts(),
                );
            }
        }
    }
}

/// The message of a deprecation, with what takes the place of the deprecated and when it goes,
/// unless the message has that.
pub(crate) fn deprecation_text(message: &str, facts: &[Fact]) -> String {
    let mut text = message.trim().to_owned();
    if !text.is_empty() && !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    let named: Vec<&str> = stated(facts, About::ReplacedBy).collect();
    let names_all = named.iter().all(|name| has_word(message, name));
    if !names_all && let Some((last, first)) = named.split_last() {
        let all = if first.is_empty() {
            (*last).to_owned()
        } else {
            format!("{} and {last}", first.join(", "))
        };
        add(&mut text, &format!("Use {all} instead."));
    }
    if let Some(why) = stated(facts, About::NoReplacement)
        .next()
        .filter(|why| !message.contains(*why))
    {
        add(
            &mut text,
            &format!("Nothing takes its place: {}.", why.trim_end_matches('.')),
        );
    }
    if let Some(release) = stated(facts, About::RemoveIn)
        .next()
        .filter(|release| !has_word(message, release))
    {
        add(&mut text, &format!("It will be removed in {release}."));
    }
    text
}

fn add(text: &mut String, sentence: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(sentence);
}

/// True if a sentence has this name, and not as a part of another.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use upstate::{Diagnostic, Object, Resource};

    use super::*;
    use crate::plan::tests::read;

    #[derive(Resource)]
    #[resource(
        type_name = "test_lamp",
        deprecated("Buy a lantern.", replaced_by = "test_lantern", remove_in = "3.0.0")
    )]
    struct Lamp {
        #[attribute(deprecated("The API ignores it", no_replacement = "nobody used it"))]
        wattage: Option<i64>,
        #[attribute(
            deprecated(
                "Use `colors` instead, from 4.0.0 on.",
                replaced_by = "colors",
                remove_in = "4.0.0"
            ),
            default = "red"
        )]
        color: Option<String>,
        colors: Option<Vec<String>>,
        bulbs: Option<Vec<Bulb>>,
        #[attribute(set)]
        spares: Option<Vec<Bulb>>,
        #[block(deprecated("No shade.", replaced_by("bulbs", "colors")))]
        shade: Vec<Shade>,
    }

    #[derive(PartialEq, PartialOrd, Eq, Ord, Object)]
    struct Bulb {
        kind: Option<String>,
        #[attribute(deprecated = "One size fits all.")]
        size: Option<i64>,
    }

    #[derive(Object)]
    struct Shade {
        #[attribute(deprecated = "It is round.")]
        form: Option<String>,
    }

    fn warned(config: &str) -> Vec<String> {
        let schema = Lamp::schema();
        let text = |it: &Diagnostic| {
            let path = it.path().map(ToString::to_string).unwrap_or_default();
            format!("{} ({path}): {}", it.summary(), it.detail())
        };
        deprecated(schema, &read(schema.block(), config))
            .iter()
            .map(text)
            .collect()
    }

    const TYPE: &str =
        "Deprecated (): Buy a lantern. Use test_lantern instead. It will be removed in 3.0.0.";

    #[test]
    fn the_type_is_always_warned_about_and_the_rest_where_it_is_set() {
        assert_eq!(warned("{}"), [TYPE]);
        assert_eq!(
            warned(r#"{"color": "?", "bulbs": [{"kind": "a"}], "shade": []}"#),
            [TYPE],
            "not known, or not set"
        );
        assert_eq!(
            warned(r#"{"wattage": 40, "color": "blue"}"#),
            [
                TYPE,
                "Attribute Deprecated (color): Use `colors` instead, from 4.0.0 on.",
                "Attribute Deprecated (wattage): The API ignores it. Nothing takes its place: nobody used it.",
            ]
        );
    }

    #[test]
    fn what_is_nested_is_warned_about_at_its_place_and_in_a_set_once() {
        assert_eq!(
            warned(
                r#"{"bulbs": [{"kind": "a"}, {"size": 3}], "spares": [{"size": 1}, {"size": 2}], "shade": [{"form": "square"}, {}]}"#
            ),
            [
                TYPE,
                "Block Deprecated (shade): No shade. Use bulbs and colors instead.",
                "Attribute Deprecated (bulbs[1].size): One size fits all.",
                "Attribute Deprecated (spares[…].size): One size fits all.",
                "Attribute Deprecated (shade[0].form): It is round.",
            ]
        );
    }
}
