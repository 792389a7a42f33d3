use upstate::StringEnum;

#[derive(StringEnum)]
enum Mode {
    #[value(alias = "on")]
    Open,
    Shut,
}

fn main() {}
