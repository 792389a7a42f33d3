//! `snowflake_row_access_policy`: a map became a list of objects, beside a rename and a new id.

use std::collections::BTreeMap;

use upstate::{Diagnostic, Object, Resource};

use super::qualified_name;

/// A rule for who sees which row.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "snowflake_row_access_policy", version = 1)]
#[upgrade_from(0, model = RowAccessPolicyV0)]
pub struct RowAccessPolicy {
    #[attribute(computed)]
    pub id: String,
    pub argument: Vec<Argument>,
    pub body: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Argument {
    pub name: String,
    #[attribute(name = "type")]
    pub data_type: String,
}

/// The rule while its arguments were a map from name to type.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "snowflake_row_access_policy", version = 0)]
pub struct RowAccessPolicyV0 {
    #[attribute(computed)]
    pub id: String,
    pub name: String,
    pub row_access_expression: String,
    pub signature: BTreeMap<String, String>,
}

impl TryFrom<RowAccessPolicyV0> for RowAccessPolicy {
    type Error = Diagnostic;

    fn try_from(prior: RowAccessPolicyV0) -> Result<Self, Self::Error> {
        let arguments = prior.signature.into_iter();
        Ok(Self {
            id: qualified_name(&prior.id, 3)?,
            argument: arguments
                .map(|(name, data_type)| Argument {
                    name: name.to_uppercase(),
                    data_type,
                })
                .collect(),
            body: prior.row_access_expression,
            name: prior.name,
        })
    }
}
