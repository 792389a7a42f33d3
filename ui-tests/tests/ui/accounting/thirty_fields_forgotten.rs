use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = InstanceV0, carry)]
struct Instance {
    id: String,
    attribute_number_01: Option<String>,
    attribute_number_02: i64,
    attribute_number_03: Option<String>,
    attribute_number_04: i64,
    attribute_number_05: Option<String>,
    attribute_number_06: i64,
    attribute_number_07: Option<String>,
    attribute_number_08: i64,
    attribute_number_09: Option<String>,
    attribute_number_10: i64,
    attribute_number_11: Option<String>,
    attribute_number_12: i64,
    attribute_number_13: Option<String>,
    attribute_number_14: i64,
    attribute_number_15: Option<String>,
    attribute_number_16: i64,
    attribute_number_17: Option<String>,
    attribute_number_18: i64,
    attribute_number_19: Option<String>,
    attribute_number_20: i64,
    attribute_number_21: Option<String>,
    attribute_number_22: i64,
    attribute_number_23: Option<String>,
    attribute_number_24: i64,
    attribute_number_25: Option<String>,
    attribute_number_26: i64,
    attribute_number_27: Option<String>,
    attribute_number_28: i64,
    attribute_number_29: Option<String>,
    attribute_number_30: i64,
}

#[derive(Resource)]
#[resource(version = 0)]
struct InstanceV0 {
    id: String,
    earlier_number_01: String,
    earlier_number_02: String,
    earlier_number_03: String,
    earlier_number_04: String,
    earlier_number_05: String,
}

fn main() {}
