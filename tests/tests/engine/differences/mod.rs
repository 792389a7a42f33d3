//! Prior versions written as differences: what they are, and that they are and do the same as a
//! history written with structs.

#[macro_use]
mod same;
mod blocks;
mod made;
mod members;
mod nested;
mod pinned;
mod real;
mod shapes;
mod ways;
mod whole;

use upstate::schema::Schema;
use upstate::{Resource, upgrade_json};

#[derive(Debug, PartialEq, Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(1 => 2, rename(title => name), default(retries = 3), convert(port: Option<String>, empty = null))]
#[upgrade_from(0 => 1, drop(legacy: Option<String>, "the API no longer has it"))]
struct Server {
    #[attribute(computed)]
    id: String,
    name: String,
    retries: i64,
    port: Option<u16>,
}

#[test]
fn a_chain_of_differences_reads_what_each_version_stored() {
    let server = |id: &str| Server {
        id: id.into(),
        name: "web".into(),
        retries: 3,
        port: Some(80),
    };
    let one: Server = upgrade_json(
        1,
        r#"{"id": "a", "title": "web", "retries": null, "port": "80"}"#,
    )
    .unwrap();
    assert_eq!(one, server("a"));
    let zero: Server = upgrade_json(
        0,
        r#"{"id": "a", "title": "web", "port": "80", "legacy": "x"}"#,
    )
    .unwrap();
    assert_eq!(zero, server("a"));
    let history = Server::HISTORY;
    let one = history.steps()[0].prior().unwrap();
    assert_eq!(
        (one.version(), one.steps().len(), one.is_prior()),
        (1, 1, true)
    );
    assert_eq!(one.rust_name(), "Server (version 1)");
    let names = |schema: &'static Schema| {
        schema
            .block()
            .attributes()
            .iter()
            .map(upstate::schema::Attribute::name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(one.schema()), ["id", "port", "retries", "title"]);
    assert_eq!(
        names(one.steps()[0].prior().unwrap().schema()),
        ["id", "legacy", "port", "retries", "title"]
    );
}
