use upstate::StringEnum;

#[derive(StringEnum)]
enum Size {
    Small,
    #[value(other)]
    Unknown(String),
}

fn main() {}
