use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1, reformat(id, "{a}:{b|}:{c|}:{d|}:{e|}:{f|}" => "{a}{b}{c}{d}{e}{f}"))]
struct Thing {
    id: String,
}

fn main() {}
