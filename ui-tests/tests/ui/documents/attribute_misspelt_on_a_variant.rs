use upstate::Union;

#[derive(Union)]
enum Level {
    #[serde(renam = "x")]
    Low(u8),
}

fn main() {}
