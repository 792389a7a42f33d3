use upstate::StringEnum;

#[derive(StringEnum)]
#[resource(version = 1)]
enum Kind {
    Small,
}

fn main() {}
