use upstate::Document;

#[derive(Document)]
struct First {
    second: Vec<Second>,
}

#[derive(Document)]
struct Second {
    first: Vec<First>,
}

fn main() {}
