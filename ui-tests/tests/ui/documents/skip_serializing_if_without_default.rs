use upstate::Document;

#[derive(Document)]
struct Settings {
    #[serde(skip_serializing_if = "zero")]
    a: u8,
}

fn zero(value: &u8) -> bool {
    *value == 0
}

fn main() {}
