use upstate::Union;

#[derive(Union)]
enum Level {
    Low,
    #[serde(skip_serializing)]
    High(u8),
}

fn main() {}
