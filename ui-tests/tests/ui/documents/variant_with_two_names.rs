use upstate::Union;

#[derive(Union)]
enum Level {
    #[serde(rename(serialize = "w", deserialize = "r"))]
    Low(u8),
}

fn main() {}
