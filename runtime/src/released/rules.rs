//! The proof that a rule which a model lets through exists, and can be let through.

use upstate_words::rules::{NAMES, can_be_waived};

use crate::message::{Message, distance, iterate};

/// Refuses, at compile time, to let through findings of a rule that there is not, or of one that
/// cannot be waived.
#[doc(hidden)]
#[track_caller]
pub const fn check_rule(id: &str) {
    let mut nearest = (usize::MAX, "");
    iterate!(name in NAMES => {
        let distance = distance(name, id);
        if distance == 0 {
            if can_be_waived(id) {
                return;
            }
            Message::refuse(
                "`{}` cannot be let through\nhelp: it reports that stored state is lost; fix its findings instead",
                &[id],
            );
        }
        if distance < nearest.0 {
            nearest = (distance, *name);
        }
    });
    let message = Message::new().format("there is no rule `{}`\nhelp: ", &[id]);
    let message = if nearest.0 * 2 <= id.len() {
        message.format("did you mean `{}`?", &[nearest.1])
    } else {
        message.text("the subcommand `rules` lists them, and `upstate_compat::RULES`")
    };
    message.panic();
}
