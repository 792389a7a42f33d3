use upstate::Document;

#[derive(Document)]
struct WindowV0 {
    width: String,
    title: String,
}

#[derive(Document)]
struct Window {
    width: u32,
    height: u32,
}

#[derive(Document)]
#[document(type_name = "app", version = 0, prior)]
struct AppV0 {
    id: u8,
    #[attribute(flatten)]
    window: WindowV0,
}

#[derive(Document)]
#[document(type_name = "app", version = 1)]
#[upgrade_from(0, model = AppV0, carry)]
struct App {
    id: u8,
    #[attribute(flatten)]
    window: Window,
}

fn main() {}
