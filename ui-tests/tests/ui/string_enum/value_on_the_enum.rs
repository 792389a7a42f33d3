use upstate::StringEnum;

#[derive(StringEnum)]
#[value(name = "s")]
enum Kind {
    Small,
}

fn main() {}
