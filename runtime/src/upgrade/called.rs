//! The answers of authors' functions, so that none runs again for a value when an upgrade is tried
//! another way.

use std::collections::VecDeque;

use crate::diagnostics::Diagnostics;
use crate::schema::Type;
use crate::value::Value;

/// The calls of one upgrade.
#[derive(Default)]
pub(super) struct Called {
    /// Those of earlier attempts that this one has not come to, in their order.
    earlier: VecDeque<Call>,
    /// Those of this attempt.
    now: VecDeque<Call>,
}

struct Call {
    /// The address of the function.
    function: usize,
    value: Value,
    ty: Option<Type>,
    answer: Result<Value, Diagnostics>,
}

impl Called {
    /// The answer of an earlier attempt. Each is given once, because an upgrade may have equal
    /// values that a function answers differently.
    pub(super) fn recall(
        &mut self,
        function: usize,
        value: &Value,
        ty: Option<&Type>,
    ) -> Option<Result<Value, Diagnostics>> {
        let is_it = |call: &Call| {
            call.function == function && call.value == *value && call.ty.as_ref() == ty
        };
        let call = self.earlier.remove(self.earlier.iter().position(is_it)?)?;
        let answer = call.answer.clone();
        self.now.push_back(call);
        Some(answer)
    }

    /// Notes a call.
    pub(super) fn note(
        &mut self,
        function: usize,
        value: Value,
        ty: Option<Type>,
        answer: Result<Value, Diagnostics>,
    ) {
        self.now.push_back(Call {
            function,
            value,
            ty,
            answer,
        });
    }

    /// Begins another attempt.
    pub(super) fn start_over(&mut self) {
        self.now.append(&mut self.earlier);
        std::mem::swap(&mut self.now, &mut self.earlier);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use crate::codec::Encoding;
    use crate::{Document, Registry, Resource, UpgradeContext, UpgradeRequest};

    thread_local! {
        static CALLS: Cell<usize> = const { Cell::new(0) };
    }

    /// The number of calls since the last time.
    fn calls() -> usize {
        CALLS.take()
    }

    fn number(text: String) -> Result<i64, String> {
        CALLS.set(CALLS.get() + 1);
        assert!(text != "panic", "as the value wishes");
        text.parse().map_err(|_| text)
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_called", version = 2)]
    #[upgrade_from(1 => 2, rename(label => title))]
    #[upgrade_from(0 => 1, convert(amount: String, with = number))]
    struct Counted {
        amount: i64,
        title: Option<String>,
        when: Option<bool>,
    }

    #[test]
    fn a_function_runs_once_for_a_state_that_the_plan_leaves_to_the_interpreter() {
        let registry = Registry::new().with::<Counted>();
        let prepared = registry.prepare("example_called", 0).unwrap();
        for (json, succeeds) in [
            (r#"{"amount":"5","label":"x","when":true}"#, true),
            // A name that the schema does not define, names that are not in order, and both.
            (r#"{"amount":"5","label":"x","other":1,"when":true}"#, true),
            (r#"{"when":true,"label":"x","amount":"5"}"#, true),
            (r#"{"when":true,"other":1,"label":"x","amount":"5"}"#, true),
            // A value that does not fit, behind the one that the function takes, and a value that
            // it refuses.
            (r#"{"amount":"5","label":"x","when":"often"}"#, false),
            (r#"{"amount":"many","label":"x","when":true}"#, false),
            (r#"{"amount":"panic","label":"x","when":true}"#, false),
        ] {
            for encoding in [Encoding::Json, Encoding::Msgpack] {
                let request = UpgradeRequest::json("example_called", 0, json.as_bytes())
                    .with_encoding(encoding);
                let response = registry.upgrade(&request);
                assert_eq!(
                    (response.state().is_some(), calls()),
                    (succeeds, 1),
                    "{json}"
                );
                let mut out = Vec::new();
                let appended = prepared.upgrade_into(json, encoding, &mut out);
                assert_eq!(
                    (appended.is_ok(), calls()),
                    (succeeds, 1),
                    "{json}, prepared"
                );
                assert_eq!(
                    Some(out.as_slice()).filter(|out| !out.is_empty()),
                    response.state(),
                    "{json}"
                );
                if let Err(errors) = appended {
                    assert_eq!(
                        errors.to_string(),
                        response.into_result().unwrap_err().to_string()
                    );
                }
            }
        }
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_called_each", version = 1)]
    #[upgrade_from(0 => 1, each(convert(counts: Vec<String>, with = number)))]
    struct Each {
        counts: Vec<i64>,
        name: String,
    }

    #[test]
    fn each_of_several_equal_values_is_one_call() {
        let registry = Registry::new().with::<Each>();
        let json = r#"{"name":"x","counts":["1","1","2"],"other":1}"#;
        let response = registry.upgrade(&UpgradeRequest::json(
            "example_called_each",
            0,
            json.as_bytes(),
        ));
        assert_eq!(
            response.state(),
            Some(br#"{"counts":[1,1,2],"name":"x"}"#.as_slice())
        );
        assert_eq!(calls(), 3);
    }

    async fn doubled(number: i64, _: &UpgradeContext<'_>) -> Result<i64, String> {
        CALLS.set(CALLS.get() + 1);
        Ok(std::future::ready(number * 2).await)
    }

    #[derive(Debug, Resource)]
    #[resource(type_name = "example_called_late", version = 1)]
    #[upgrade_from(0 => 1, convert(amount: String, with = number), convert(later: i64, with = doubled, async))]
    struct Late {
        amount: i64,
        later: i64,
    }

    #[test]
    fn a_function_does_not_run_again_when_another_one_was_awaited() {
        let registry = Registry::new().with::<Late>();
        let request =
            UpgradeRequest::json("example_called_late", 0, br#"{"amount":"1","later":2}"#);
        let mut upgrade = pin!(registry.upgrade_async(&request));
        let Poll::Ready(response) = upgrade
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
        else {
            panic!("nothing is awaited that is not there")
        };
        assert_eq!(
            response.state(),
            Some(br#"{"amount":1,"later":4}"#.as_slice())
        );
        assert_eq!(calls(), 2);
    }

    #[derive(Debug, Document)]
    #[document(type_name = "app.called", version = 1)]
    #[upgrade_from(0 => 1, convert(amount: String, with = number))]
    struct Settings {
        amount: i64,
        level: u8,
    }

    #[test]
    fn a_function_runs_once_for_a_document_that_does_not_fit() {
        for (json, succeeds) in [
            (r#"{"amount":"5","level":1}"#, true),
            (r#"{"amount":"5","level":1,"other":1}"#, true),
            (r#"{"amount":"5","level":300}"#, false),
        ] {
            assert_eq!(
                (crate::upgrade_json::<Settings>(0, json).is_ok(), calls()),
                (succeeds, 1),
                "{json}"
            );
        }
    }
}
