use upstate::Resource;

#[derive(Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = ThingV0, carry)]
struct Thing {
    a_field_that_was_a_number_of_the_order_01: u8,
    a_field_that_was_a_number_of_the_order_02: u8,
    a_field_that_was_a_number_of_the_order_03: u8,
    a_field_that_was_a_number_of_the_order_04: u8,
    a_field_that_was_a_number_of_the_order_05: u8,
    a_field_that_was_a_number_of_the_order_06: u8,
    a_field_that_was_a_number_of_the_order_07: u8,
    a_field_that_was_a_number_of_the_order_08: u8,
    a_field_that_was_a_number_of_the_order_09: u8,
    a_field_that_was_a_number_of_the_order_10: u8,
    a_field_that_was_a_number_of_the_order_11: u8,
    a_field_that_was_a_number_of_the_order_12: u8,
    a_field_that_was_a_number_of_the_order_13: u8,
    a_field_that_was_a_number_of_the_order_14: u8,
    a_field_that_was_a_number_of_the_order_15: u8,
    a_field_that_was_a_number_of_the_order_16: u8,
    a_field_that_was_a_number_of_the_order_17: u8,
    a_field_that_was_a_number_of_the_order_18: u8,
    a_field_that_was_a_number_of_the_order_19: u8,
    a_field_that_was_a_number_of_the_order_20: u8,
    a_field_that_was_a_number_of_the_order_21: u8,
    a_field_that_was_a_number_of_the_order_22: u8,
    a_field_that_was_a_number_of_the_order_23: u8,
    a_field_that_was_a_number_of_the_order_24: u8,
    a_field_that_was_a_number_of_the_order_25: u8,
    a_field_that_was_a_number_of_the_order_26: u8,
    a_field_that_was_a_number_of_the_order_27: u8,
    a_field_that_was_a_number_of_the_order_28: u8,
    a_field_that_was_a_number_of_the_order_29: u8,
    a_field_that_was_a_number_of_the_order_30: u8,
}

#[derive(Resource)]
#[resource(version = 0)]
struct ThingV0 {
    a_field_that_was_a_number_of_the_order_01: i64,
    a_field_that_was_a_number_of_the_order_02: i64,
    a_field_that_was_a_number_of_the_order_03: i64,
    a_field_that_was_a_number_of_the_order_04: i64,
    a_field_that_was_a_number_of_the_order_05: i64,
    a_field_that_was_a_number_of_the_order_06: i64,
    a_field_that_was_a_number_of_the_order_07: i64,
    a_field_that_was_a_number_of_the_order_08: i64,
    a_field_that_was_a_number_of_the_order_09: i64,
    a_field_that_was_a_number_of_the_order_10: i64,
    a_field_that_was_a_number_of_the_order_11: i64,
    a_field_that_was_a_number_of_the_order_12: i64,
    a_field_that_was_a_number_of_the_order_13: i64,
    a_field_that_was_a_number_of_the_order_14: i64,
    a_field_that_was_a_number_of_the_order_15: i64,
    a_field_that_was_a_number_of_the_order_16: i64,
    a_field_that_was_a_number_of_the_order_17: i64,
    a_field_that_was_a_number_of_the_order_18: i64,
    a_field_that_was_a_number_of_the_order_19: i64,
    a_field_that_was_a_number_of_the_order_20: i64,
    a_field_that_was_a_number_of_the_order_21: i64,
    a_field_that_was_a_number_of_the_order_22: i64,
    a_field_that_was_a_number_of_the_order_23: i64,
    a_field_that_was_a_number_of_the_order_24: i64,
    a_field_that_was_a_number_of_the_order_25: i64,
    a_field_that_was_a_number_of_the_order_26: i64,
    a_field_that_was_a_number_of_the_order_27: i64,
    a_field_that_was_a_number_of_the_order_28: i64,
    a_field_that_was_a_number_of_the_order_29: i64,
    a_field_that_was_a_number_of_the_order_30: i64,
}

fn main() {}
