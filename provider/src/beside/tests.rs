//! The program's place, and conversions of what it serves.

use std::path::Path;

use super::schema::{self, lowered, raised};
use super::*;
use crate::proto::schema::{v5, v6};

#[test]
fn a_program_is_looked_for_beside_the_providers_own() {
    let own = Path::new("/plugins/terraform-provider-acme_v2.0.0");
    let suffix = EXE_SUFFIX;
    let file = |program: &str| Beside::new(program).file(own);
    assert_eq!(
        file("acme-go"),
        Path::new(&format!("/plugins/acme-go{suffix}"))
    );
    assert_eq!(
        file("old/acme-go"),
        Path::new(&format!("/plugins/old/acme-go{suffix}"))
    );
    assert_eq!(
        file("/opt/acme-go"),
        Path::new(&format!("/opt/acme-go{suffix}"))
    );
}

fn described() -> v5::GetProviderSchemaResponse {
    let attribute = v5::Attribute {
        name: "tags".to_owned(),
        r#type: br#"["map","string"]"#.to_vec(),
        optional: true,
        sensitive: true,
        write_only: true,
        deprecation_message: "old".to_owned(),
        ..v5::Attribute::default()
    };
    let door = v5::Block {
        attributes: vec![attribute.clone()],
        ..v5::Block::default()
    };
    let nested = v5::NestedBlock {
        type_name: "door".to_owned(),
        block: Some(door),
        nesting: 3,
        min_items: 1,
        max_items: 2,
    };
    let block = v5::Block {
        attributes: vec![attribute],
        block_types: vec![nested],
        ..v5::Block::default()
    };
    let schema = v5::Schema {
        version: 3,
        block: Some(block),
    };
    let named = |schema: &v5::Schema| [("a_b".to_owned(), schema.clone())].into();
    v5::GetProviderSchemaResponse {
        provider: Some(schema.clone()),
        resource_schemas: named(&schema),
        data_source_schemas: named(&schema),
        ephemeral_resource_schemas: named(&schema),
        list_resource_schemas: named(&schema),
        action_schemas: [(
            "a_b".to_owned(),
            v5::ActionSchema {
                schema: Some(schema.clone()),
            },
        )]
        .into(),
        provider_meta: Some(schema),
        ..v5::GetProviderSchemaResponse::default()
    }
}

#[test]
fn schemas_of_protocol_5_are_all_there_in_6_and_again_in_5() {
    let raised = raised::response(described()).unwrap();
    assert_eq!(lowered::response(raised).unwrap(), described());
}

#[test]
fn a_nested_attribute_is_named_which_protocol_5_cannot_have() {
    let mut raised = raised::response(described()).unwrap();
    let block = raised
        .resource_schemas
        .get_mut("a_b")
        .and_then(|it| it.block.as_mut())
        .unwrap();
    block.block_types[0].block.as_mut().unwrap().attributes[0].nested_type =
        Some(v6::Object::default());
    assert_eq!(lowered::response(raised).unwrap_err(), "a_b.door.tags");
}

#[test]
fn a_block_is_read_for_its_values_and_what_the_protocol_does_not_have_is_refused() {
    let described = raised::response(described()).unwrap();
    let message = described.provider.unwrap().block.unwrap();
    let block = schema::block(&message).unwrap();
    assert_eq!(
        block.implied_type().to_string(),
        r#"["object",{"door":["set",["object",{"tags":["map","string"]}]],"tags":["map","string"]}]"#
    );
    assert!(block.has_secret());
    let mut odd = message.clone();
    odd.block_types[0].nesting = 9;
    assert_eq!(
        schema::block(&odd).unwrap_err(),
        "\"door\" is nested in a way that the protocol does not have: 9"
    );
    let mut odd = message;
    odd.attributes[0].r#type = b"[".to_vec();
    assert!(
        schema::block(&odd)
            .unwrap_err()
            .starts_with("the type of \"tags\" can't be read: ")
    );
}
