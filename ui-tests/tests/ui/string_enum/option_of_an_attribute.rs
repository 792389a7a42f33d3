use upstate::StringEnum;

#[derive(StringEnum)]
enum Kind {
    #[value(deprecated = "use Medium")]
    Small,
}

fn main() {}
