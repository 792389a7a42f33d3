use upstate::Object;

#[derive(Object)]
struct Rule {
    count: u32,
    #[attribute(required, computed)]
    name: String,
    #[attribute(colour)]
    tint: String,
}

fn main() {}
