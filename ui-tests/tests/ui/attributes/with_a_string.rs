use upstate::Resource;

#[derive(Resource)]
#[resource(version = 0)]
struct Thing {
    #[attribute(with = "hex")]
    size: Vec<u8>,
}

fn main() {}

mod hex {
    pub(super) fn read(stored: String) -> Result<Vec<u8>, String> {
        Ok(stored.into_bytes())
    }

    pub(super) fn write(size: &Vec<u8>) -> String {
        format!("{size:?}")
    }
}
