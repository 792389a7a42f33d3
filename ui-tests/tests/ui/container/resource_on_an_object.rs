use upstate::Object;

#[derive(Object)]
#[resource(version = 1)]
struct Rule {
    name: String,
}

fn main() {}
