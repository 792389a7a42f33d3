use upstate::StringEnum;

#[derive(StringEnum)]
enum Kind {
    ExtraLarge,
    #[value(name = "extra_large")]
    Xl,
}

fn main() {}
