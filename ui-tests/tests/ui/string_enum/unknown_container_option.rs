use upstate::StringEnum;

#[derive(StringEnum)]
#[string_enum(rename_all = "kebab-case")]
enum Kind {
    Small,
}

fn main() {}
