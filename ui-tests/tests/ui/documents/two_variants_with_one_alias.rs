use upstate::Union;

#[derive(Union)]
enum Level {
    #[serde(alias = "old")]
    Low(u8),
    #[serde(alias = "old")]
    High(u8),
}

fn main() {}
