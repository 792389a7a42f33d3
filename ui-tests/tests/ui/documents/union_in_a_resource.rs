use upstate::Union;

#[derive(Union)]
enum Kind {
    Low(u8),
    High { x: u8 },
}

#[derive(upstate::Resource)]
#[resource(version = 0)]
struct Thing {
    kind: Kind,
}

fn main() {}
