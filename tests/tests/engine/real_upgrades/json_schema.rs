//! The JSON Schema of each version describes the real states of that version, and what upgrades
//! make of them.

use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::Value;
use upstate::ResourceDefinition;
use upstate_compat::json_schema;

use super::cases::cases;
use super::{definition, upgrade};

fn validator(definition: &ResourceDefinition, version: u64) -> Option<(Value, Validator)> {
    let schema = json_schema(definition, version)?;
    jsonschema::draft202012::meta::validate(&schema)
        .unwrap_or_else(|error| panic!("the schema is none: {error}"));
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    Some((schema, validator))
}

fn problems(validator: &Validator, state: &Value) -> Vec<String> {
    validator
        .iter_errors(state)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

#[test]
fn every_upgraded_state_fits_the_schema_of_its_version() {
    let mut failures = Vec::new();
    let (mut checked, mut refused) = (0, 0);
    for case in cases() {
        let definition = definition(&case);
        let Some(state) = upgrade(&case).state else {
            continue;
        };
        let state: Value = serde_json::from_slice(&state).unwrap();
        let (schema, validator) = validator(&definition, case.to_version).unwrap();
        failures.extend(
            problems(&validator, &state)
                .into_iter()
                .map(|problem| format!("{}: {problem}", case.id)),
        );
        checked += 1;
        // And a state that lacks what is never null does not.
        for name in schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            let mut without = state.clone();
            without.as_object_mut().unwrap().remove(name);
            assert!(!validator.is_valid(&without), "{} without {name}", case.id);
            refused += 1;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(checked > 150 && refused > 150, "{checked} {refused}");
}

/// Cases whose states hold something that upstate converts while it reads: a bool or a number as a
/// string, one object in place of a list of one.
const CONVERTED: [&str; 7] = [
    "aws_autoscaling_group_v0_v1",
    "aws_autoscaling_group_v0_v1_present",
    "cloudflare_api_token_v0_v500_conditional_token",
    "cloudflare_zero_trust_access_application_v0_v500_saas_oidc",
    "github_repository_collaborators_v1_v2_match",
    "github_repository_collaborators_v1_v2_nomatch",
    "github_repository_collaborators_v1_v2_org",
];

#[test]
fn real_states_of_prior_versions_fit_the_schemas_of_those() {
    let mut failures = Vec::new();
    let (mut checked, mut converted) = (0, BTreeSet::new());
    for case in cases() {
        // The others are taken by functions of any stored state.
        let Some((_, validator)) = validator(&definition(&case), case.from_version) else {
            continue;
        };
        checked += 1;
        let found = problems(&validator, &case.before);
        if !found.is_empty() && CONVERTED.contains(&case.id.as_str()) {
            let are_conversions = found.iter().all(|problem| {
                problem.contains("\" is not of types") || problem.contains("} is not of types")
            });
            assert!(are_conversions, "{}: {found:?}", case.id);
            converted.insert(case.id);
        } else {
            failures.extend(
                found
                    .into_iter()
                    .map(|problem| format!("{}: {problem}", case.id)),
            );
        }
    }
    assert!(
        failures.is_empty(),
        "of {checked}:\n{}",
        failures.join("\n")
    );
    assert_eq!(converted, CONVERTED.map(str::to_owned).into());
    assert!(checked >= 190, "{checked}");
}
