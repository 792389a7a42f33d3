use upstate::Document;

#[derive(Document)]
struct Window {
    width: Option<u32>,
}

#[derive(Document)]
#[document(type_name = "app", version = 0, prior)]
struct AppV0 {
    id: u8,
    #[attribute(flatten)]
    window: Window,
}

/// The field is flattened, is not stored, is a member of a flattened field with a mistake in its name.
#[derive(Document)]
#[document(type_name = "app", version = 1)]
#[upgrade_from(0, model = AppV0, set(window = null), set(cache = 3), set(widht = null))]
struct App {
    id: u8,
    #[attribute(flatten)]
    window: Window,
    #[attribute(skip)]
    cache: u8,
}

fn main() {}
