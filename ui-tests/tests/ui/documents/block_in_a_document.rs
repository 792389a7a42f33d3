use upstate::Document;

#[derive(Document)]
struct Settings {
    #[block]
    rules: Vec<Rule>,
}

#[derive(Document)]
struct Rule {
    port: u16,
}

fn main() {}
