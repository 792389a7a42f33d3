use upstate::Resource;

#[resource(version = 0)]
struct Thing {
    #[attribute(computed)]
    id: String,
}

fn of<T: Resource>() {}

fn call() {
    of::<Thing>();
}

fn main() {}
