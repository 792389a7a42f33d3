use upstate::Union;

#[derive(Union)]
#[serde(untagged)]
enum Level {
    Low(u8),
    #[serde(other)]
    Unknown,
}

fn main() {}
