use upstate::StringEnum;

#[derive(StringEnum)]
#[serde(rename_all = "snake_case")]
enum Tier {
    #[serde(rename = "basic")]
    Basic,
}

fn main() {}
