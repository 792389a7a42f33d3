use upstate::Document;

#[derive(Document)]
#[document(version = 1)]
#[upgrade_from(0 => 1, add(size = 3), added(zone), move(title => name), removed(legacy), alter(port: Option<String>), cast(a as u8))]
struct Settings {
    zone: Option<String>,
    name: String,
    port: Option<u16>,
    size: u8,
    a: u8,
}

fn main() {}
