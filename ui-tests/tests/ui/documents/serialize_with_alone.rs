use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(serialize_with = "write")]
    a: u8,
}

fn write<S: serde::Serializer>(value: &u8, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(*value)
}

fn main() {}
