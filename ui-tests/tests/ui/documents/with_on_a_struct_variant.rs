use upstate::Union;

#[derive(Union)]
enum Theme {
    #[serde(with = "hexadecimal")]
    Plain,
    #[serde(with = "hexadecimal")]
    Custom { accent: u32 },
    #[serde(with = "hexadecimal")]
    Mixed(u32, u32),
    #[serde(with = "hexadecimal")]
    Named(u32),
}

mod hexadecimal {}

fn main() {}
