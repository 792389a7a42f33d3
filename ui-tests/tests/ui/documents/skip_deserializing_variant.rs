use upstate::Union;

#[derive(Union)]
enum Level {
    Low,
    #[serde(skip_deserializing)]
    High(u8),
}

fn main() {}
