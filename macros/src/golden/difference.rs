/// A server, whose history is written as differences.
#[derive(Resource)]
#[resource(type_name = "example_server", version = 2)]
#[upgrade_from(1 => 2, rename(title => name), default(retries = 3), rename(rule.port: String => rule.number), convert(rule.number, empty = null))]
#[upgrade_from(0 => 1, drop(legacy: Option<String>, "the API no longer has it"))]
pub struct Server {
    pub id: String,
    pub name: String,
    pub retries: i64,
    pub rule: Vec<Rule>,
}
