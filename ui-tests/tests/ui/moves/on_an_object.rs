use upstate::Object;

#[derive(Object)]
#[move_from(type_name = "other", model = Other)]
struct Rule {
    port: u16,
}

fn main() {}
