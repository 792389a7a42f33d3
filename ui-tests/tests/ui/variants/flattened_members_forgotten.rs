use upstate::{Document, Union};

#[derive(Document)]
struct WindowV0 {
    width: String,
    gone: u8,
}

#[derive(Document)]
struct Window {
    width: String,
    height: u8,
}

#[derive(Union)]
enum ThemeV0 {
    Old {
        #[attribute(flatten)]
        window: WindowV0,
    },
    Plain,
}

#[derive(Union)]
enum Theme {
    New {
        #[attribute(flatten)]
        window: Window,
    },
    Plain,
}

#[derive(Document)]
#[document(type_name = "app", version = 0, prior)]
struct AppV0 {
    theme: ThemeV0,
}

#[derive(Document)]
#[document(type_name = "app", version = 1)]
#[upgrade_from(0, model = AppV0, variants(theme, "Old" => "New"))]
struct App {
    theme: Theme,
}

/// Dropped, and new.
#[derive(Document)]
#[document(type_name = "other", version = 0, prior)]
struct OtherV0 {
    theme: ThemeV0,
}

#[derive(Document)]
#[document(type_name = "other", version = 1)]
#[upgrade_from(0, model = OtherV0, variants(theme, "Old" => "New"), drop(theme.New.gone: u8, "nobody read it"))]
struct Other {
    theme: Theme,
}

fn main() {}
