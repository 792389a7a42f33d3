//! The lock of the examples holds every version that is written as a difference to what was released.

#[test]
fn every_difference_is_what_was_released() {
    upstate::testing::assert_history_is_pinned(&upstate_examples::registry());
}
