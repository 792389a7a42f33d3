use upstate::Object;

#[derive(Object)]
enum Rule {
    One,
    Two,
}

fn main() {}
