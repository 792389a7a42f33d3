use upstate::Document;

#[derive(Document, Clone)]
#[serde(from = "u8", into = "String")]
struct Level(u16);

impl From<u8> for Level {
    fn from(value: u8) -> Self {
        Self(value.into())
    }
}

impl From<Level> for String {
    fn from(level: Level) -> Self {
        level.0.to_string()
    }
}

fn main() {}
