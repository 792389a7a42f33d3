use upstate::Union;

#[derive(Union)]
#[serde(tag = "type")]
enum Level {
    #[serde(other)]
    Unknown,
    Low,
}

fn main() {}
