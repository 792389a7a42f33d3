use upstate::StringEnum;

#[derive(StringEnum)]
enum Kind {
    Small,
    Other(String),
    Sized { gb: u32 },
}

fn main() {}
