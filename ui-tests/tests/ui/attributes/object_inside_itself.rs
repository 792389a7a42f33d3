use upstate::Object;

#[derive(Object)]
struct Rule {
    children: Vec<Rule>,
}

fn main() {}
