use upstate::Resource;

enum Size {
    Small,
    Of(i64),
}

#[derive(Resource)]
struct Thing {
    size: Size,
}

fn main() {}
