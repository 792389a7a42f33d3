use upstate::Union;

#[derive(Union)]
enum Level {
    Low(u8),
    #[serde(other)]
    Unknown,
    #[serde(other)]
    Strange,
}

fn main() {}
