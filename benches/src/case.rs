//! One thing to measure: inputs, the work, and the proof that the work is done right.

use std::cell::RefCell;
use std::hint::black_box;

use serde::Serialize;
use serde_json::Value;

type Work = dyn Fn(&str);
type Answer = dyn Fn(&str) -> Value;

/// Work to be timed over prepared inputs.
pub struct Case {
    pub name: &'static str,
    inputs: Vec<String>,
    work: Box<Work>,
    answer: Box<Answer>,
}

impl Case {
    /// Work that answers with JSON.
    pub fn json(
        name: &'static str,
        inputs: Vec<Vec<u8>>,
        upgrade: impl Fn(&[u8]) -> Vec<u8> + Clone + 'static,
    ) -> Self {
        let work = upgrade.clone();
        Self {
            name,
            inputs: texts(inputs),
            work: Box::new(move |input| drop(black_box(work(input.as_bytes())))),
            answer: Box::new(move |input| {
                serde_json::from_slice(&upgrade(input.as_bytes())).expect("the answer is JSON")
            }),
        }
    }

    /// Work that appends JSON to a buffer, which is used again.
    pub fn appending(
        name: &'static str,
        inputs: Vec<Vec<u8>>,
        upgrade: impl Fn(&str, &mut Vec<u8>) + Clone + 'static,
    ) -> Self {
        let (work, out) = (upgrade.clone(), RefCell::new(Vec::with_capacity(1 << 16)));
        let answer = move |input: &str| {
            let mut out = Vec::new();
            upgrade(input, &mut out);
            serde_json::from_slice(&out).expect("the answer is JSON")
        };
        let work = move |input: &str| {
            let mut out = out.borrow_mut();
            out.clear();
            work(input, &mut out);
            black_box(&*out);
        };
        Self {
            name,
            inputs: texts(inputs),
            work: Box::new(work),
            answer: Box::new(answer),
        }
    }

    /// Work that answers with MessagePack.
    pub fn msgpack(
        name: &'static str,
        inputs: Vec<Vec<u8>>,
        upgrade: impl Fn(&[u8]) -> Vec<u8> + Clone + 'static,
    ) -> Self {
        let work = upgrade.clone();
        Self {
            name,
            inputs: texts(inputs),
            work: Box::new(move |input| drop(black_box(work(input.as_bytes())))),
            answer: Box::new(move |input| {
                rmp_serde::from_slice(&upgrade(input.as_bytes()))
                    .expect("the answer is MessagePack")
            }),
        }
    }

    /// Work that answers with text of another syntax, which `read` makes JSON.
    pub fn text(
        name: &'static str,
        inputs: Vec<Vec<u8>>,
        upgrade: impl Fn(&[u8]) -> Vec<u8> + Clone + 'static,
        read: fn(&[u8]) -> Value,
    ) -> Self {
        let work = upgrade.clone();
        Self {
            name,
            inputs: texts(inputs),
            work: Box::new(move |input| drop(black_box(work(input.as_bytes())))),
            answer: Box::new(move |input| read(&upgrade(input.as_bytes()))),
        }
    }

    /// Work that answers with a model.
    pub fn model<T: Serialize + 'static>(
        name: &'static str,
        inputs: Vec<Vec<u8>>,
        decode: fn(&[u8]) -> T,
    ) -> Self {
        Self {
            name,
            inputs: texts(inputs),
            work: Box::new(move |input| drop(black_box(decode(input.as_bytes())))),
            answer: Box::new(move |input| {
                serde_json::to_value(decode(input.as_bytes())).expect("a model is JSON")
            }),
        }
    }

    /// How many inputs there are; runs should be a multiple of it.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The inputs' mean length.
    pub fn mean_bytes(&self) -> usize {
        self.inputs.iter().map(String::len).sum::<usize>() / self.inputs.len()
    }

    /// Does the work `times` times, over all inputs in turn.
    pub fn run(&self, times: usize) {
        for input in self.inputs.iter().cycle().take(times) {
            (self.work)(black_box(input));
        }
    }

    /// Does the work once over all inputs. The binary `counts` tells the profiler the names of this
    /// function and the next one, before each of which it writes what it has counted.
    #[inline(never)]
    pub fn counted(&self) {
        self.run(self.inputs.len());
        self.counted_end();
    }

    #[inline(never)]
    fn counted_end(&self) {
        black_box(self);
    }

    /// Compares every answer with what is expected.
    ///
    /// # Panics
    /// If one is wrong: there is no point in timing it.
    pub fn check(&self, workload: &str, expected: &[Value]) {
        assert_eq!(self.inputs.len(), expected.len());
        for (input, expected) in self.inputs.iter().zip(expected) {
            let answer = (self.answer)(input);
            assert!(
                same(&answer, expected),
                "{workload}, {}: wrong answer\n got {answer}\nwant {expected}",
                self.name
            );
        }
    }
}

fn texts(inputs: Vec<Vec<u8>>) -> Vec<String> {
    inputs
        .into_iter()
        .map(|input| String::from_utf8(input).expect("documents are text"))
        .collect()
}

/// Whether two documents say the same; `1` and `1.0` do.
pub fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| same(left, right)))
        }
        (left, right) => left == right,
    }
}
