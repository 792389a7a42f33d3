use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(deserialize_with = "read")]
    a: u8,
}

fn read<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    serde::Deserialize::deserialize(deserializer)
}

fn main() {}
