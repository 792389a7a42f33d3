use upstate::Union;

#[derive(Union)]
enum Level {
    Low(u8),
    #[serde(rename = "Low")]
    High(u8),
}

fn main() {}
