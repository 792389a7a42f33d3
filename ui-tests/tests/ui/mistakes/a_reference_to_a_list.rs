use upstate::Resource;

#[derive(Resource)]
struct Thing {
    tags: &'static [String],
    callback: Box<dyn Fn()>,
    after: fn(i64),
}

fn main() {}
