use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing<T> {
    id: T,
}

fn main() {
    let _ = upstate::upgrade_json::<Thing<String>>(0, "{}");
}
