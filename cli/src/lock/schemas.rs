//! The published forms of what is printed for programs.

/// The JSON Schema called `name`: nothing if there is none.
pub(crate) fn published(name: &str) -> Option<&'static str> {
    match name {
        "findings" => Some(include_str!("findings.schema.json")),
        "guide" => Some(include_str!("guide.schema.json")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use upstate_compat::Kind;

    use super::*;

    /// Every list of kinds in a schema.
    fn kinds<'v>(schema: &'v Value, found: &mut Vec<Vec<&'v str>>) {
        match schema {
            Value::Object(members) => {
                for (name, member) in members {
                    if let (true, Some(Value::Array(names))) = (name == "kind", member.get("enum"))
                    {
                        found.push(names.iter().filter_map(Value::as_str).collect());
                    }
                    kinds(member, found);
                }
            }
            Value::Array(elements) => elements.iter().for_each(|element| kinds(element, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn the_schemas_know_each_kind() {
        let all = [
            Kind::Managed,
            Kind::Document,
            Kind::Provider,
            Kind::ProviderMeta,
            Kind::Data,
            Kind::Ephemeral,
            Kind::List,
            Kind::Action,
            Kind::Function,
        ];
        for name in ["findings", "guide"] {
            let schema: Value = serde_json::from_str(published(name).unwrap()).unwrap();
            let mut found = Vec::new();
            kinds(&schema, &mut found);
            assert!(!found.is_empty());
            for kinds in found {
                assert_eq!(kinds, all.map(Kind::name), "{name}");
            }
        }
    }
}
