use upstate::Resource;

#[derive(Resource)]
#[resorce(version = 1)]
struct Thing {
    #[atribute(computed)]
    id: String,
}

fn main() {}
