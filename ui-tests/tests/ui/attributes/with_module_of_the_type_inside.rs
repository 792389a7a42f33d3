use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(with = digits)]
    size: Option<u8>,
}

mod digits {
    pub fn read(stored: String) -> Result<u8, std::num::ParseIntError> {
        stored.parse()
    }

    pub fn write(value: &u8) -> String {
        value.to_string()
    }
}

fn main() {}
