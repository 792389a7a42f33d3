use upstate::Union;

#[derive(Union)]
enum Level {
    Low(u8),
    #[serde(other)]
    Unknown(u8),
}

fn main() {}
