use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(with = hex)]
    size: Vec<u8>,
}

mod hex {
    pub fn read(stored: String) -> Result<String, String> {
        Ok(stored)
    }

    pub fn write(value: &Vec<u8>) -> String {
        String::from_utf8_lossy(value).into_owned()
    }
}

fn main() {}
