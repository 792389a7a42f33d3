use upstate::StringEnum;

#[derive(StringEnum)]
enum Kind {
    #[attribute(name = "s")]
    Small,
}

fn main() {}
