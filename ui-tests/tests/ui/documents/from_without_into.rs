use upstate::Document;

#[derive(Document)]
#[serde(from = "u8")]
struct Level(u16);

impl From<u8> for Level {
    fn from(value: u8) -> Self {
        Self(value.into())
    }
}

fn main() {}
