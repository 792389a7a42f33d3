use upstate::Resource;

#[derive(upstate::Object)]
struct Rule {
    port: u16,
}

#[derive(Resource)]
#[resource(version = 0, id_format = "{rule}")]
struct Thing {
    id: String,
    #[block]
    rule: Vec<Rule>,
}

fn main() {}
