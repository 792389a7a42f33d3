use upstate::StringEnum;

#[derive(StringEnum)]
enum Kind {
    #[value(nam = "s")]
    Small,
}

fn main() {}
