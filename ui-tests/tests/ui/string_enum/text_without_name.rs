use upstate::StringEnum;

#[derive(StringEnum)]
enum Kind {
    #[value("s")]
    Small,
}

fn main() {}
