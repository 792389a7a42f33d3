//! Schemas that types have themselves, those of k8s-openapi and all that derive `JsonSchema`: the
//! field's schema is what kube-derive would write.

use serde_json::{Map, Value, json};

/// A type with a schema of its own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not write its own schema",
    label = "no `JsonSchema`",
    note = "`#[kube(schema)]` needs the feature `schema` of upstate-kube, and a type with `schemars::JsonSchema`; those of k8s-openapi have it",
    note = "without `schema`, the field may hold any JSON"
)]
pub trait OwnSchema {
    /// The schema as JSON.
    fn own_schema() -> String;
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> OwnSchema for T {
    fn own_schema() -> String {
        use kube_core::schema::{OptionalEnum, OptionalIntOrString, StructuralSchemaRewriter};
        use schemars::generate::SchemaSettings;
        use schemars::transform::AddNullable;

        let settings = SchemaSettings::openapi3().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        // In the order of kube-derive, because each finds what the one before it wrote.
        let settings = settings
            .with_transform(AddNullable::default())
            .with_transform(StructuralSchemaRewriter)
            .with_transform(OptionalEnum)
            .with_transform(OptionalIntOrString);
        let mut schema = settings.into_generator().into_root_schema_for::<T>();
        // The field has a name, so that its type needs none; kube-derive has none there either.
        schema.remove("title");
        schema.as_value().to_string()
    }
}

const ANY: &str = "the type takes any JSON, and its schema does not say so to Kubernetes; without `schema`, the field may hold any JSON";

/// Says why Kubernetes would refuse a schema, with the path of the place.
pub(crate) fn refused(schema: &Value, path: &str) -> Option<(String, &'static str)> {
    let refuse = |why| Some((path.to_owned(), why));
    let Some(schema) = schema.as_object() else {
        return refuse(ANY);
    };
    if schema.contains_key("$ref") {
        return refuse(
            "the type is inside of itself, and a structural schema cannot refer to one; without `schema`, the field may hold any JSON",
        );
    }
    let is = |keyword: &str| schema.get(keyword) == Some(&Value::Bool(true));
    let is_any = is("x-kubernetes-preserve-unknown-fields") || is("x-kubernetes-int-or-string");
    match schema.get("type") {
        Some(Value::String(_)) => {}
        None if is_any => {}
        Some(_) => {
            return refuse(
                "the type has values of several kinds; without `schema`, the field may hold any JSON",
            );
        }
        None => return refuse(ANY),
    }
    let members = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    let elements = [("items", "[]"), ("additionalProperties", "{}")]
        .into_iter()
        .filter_map(|(keyword, step)| {
            let below = schema.get(keyword).filter(|below| !below.is_boolean())?;
            Some((format!("{path}{step}"), below))
        });
    members
        .map(|(name, below)| (format!("{path}.{name}"), below))
        .chain(elements)
        .find_map(|(path, below)| refused(below, &path))
}

/// A value of a schema with what it requires; `second` is another one, if there is one. If it
/// `differs`, that is so for an object that requires no member, too.
pub(crate) fn sample(schema: &Value, second: bool, differs: bool) -> Value {
    let keyword = |name: &str| schema.get(name);
    if let Some(values) = keyword("enum").and_then(Value::as_array) {
        return values
            .get(usize::from(second))
            .or_else(|| values.first())
            .cloned()
            .unwrap_or_default();
    }
    let number = keyword("minimum")
        .and_then(Value::as_i64)
        .unwrap_or(0)
        .max(0)
        + i64::from(second);
    match keyword("type").and_then(Value::as_str) {
        Some("integer" | "number") => json!(number),
        Some("boolean") => json!(second),
        Some("array") => match keyword("items").filter(|_| second) {
            Some(items) => json!([sample(items, false, differs)]),
            None => json!([]),
        },
        Some("object") => {
            let required = keyword("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            let member = |name: &str| {
                Some((
                    name.to_owned(),
                    sample(schema.get("properties")?.get(name)?, second, differs),
                ))
            };
            let mut made: Map<String, Value> = required.filter_map(member).collect();
            if second && differs && made.is_empty() {
                let others = keyword("additionalProperties").filter(|others| others.is_object());
                let any = others.map(|others| ("k".to_owned(), sample(others, second, differs)));
                let first = || member(keyword("properties")?.as_object()?.keys().next()?);
                made.extend(any.or_else(first));
            }
            Value::Object(made)
        }
        // A string also where any JSON is taken, or a number.
        Some(_) | None => json!(if second { "2" } else { "1" }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::sample;

    #[test]
    fn an_object_that_requires_no_member_has_another_sample() {
        let claim = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
        let needs =
            json!({"type": "object", "properties": {"claims": {"type": "array", "items": claim}}});
        let limits = json!({"type": "object", "additionalProperties": {"type": "integer"}});
        let samples = |schema: &Value| {
            [(false, true), (true, false), (true, true)]
                .map(|(second, differs)| sample(schema, second, differs))
        };
        assert_eq!(
            samples(&needs),
            [json!({}), json!({}), json!({"claims": [{"name": "1"}]})]
        );
        assert_eq!(samples(&limits), [json!({}), json!({}), json!({"k": 1})]);
        assert_eq!(
            samples(&claim),
            [
                json!({"name": "1"}),
                json!({"name": "2"}),
                json!({"name": "2"})
            ]
        );
    }
}
