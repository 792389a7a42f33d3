use upstate::StringEnum;

#[derive(StringEnum)]
struct Kind {
    name: String,
}

fn main() {}
