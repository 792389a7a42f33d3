//! What a command of Terraform printed.

use std::process::{Command, Output};

use serde_json::Value;

/// What a command printed.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
    what: String,
}

impl Ran {
    /// Runs a command, called `terraform` and `arguments` in messages.
    pub fn of(command: &mut Command, arguments: &[&str]) -> Self {
        Self::ended(&command.output().unwrap(), arguments)
    }

    /// What a command that has ended printed.
    pub fn ended(output: &Output, arguments: &[&str]) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            what: format!("terraform {}", arguments.join(" ")),
        }
    }

    /// Fails the test if the command failed.
    #[track_caller]
    pub fn succeeds(&self) -> &Self {
        assert_eq!(
            self.code, 0,
            "{} failed:\n{}\n{}",
            self.what, self.out, self.err
        );
        self
    }

    /// Fails the test unless the command failed.
    #[track_caller]
    pub fn fails(&self) -> &Self {
        assert_eq!(
            self.code, 1,
            "{} did not fail:\n{}\n{}",
            self.what, self.out, self.err
        );
        self
    }

    /// Fails the test unless the command failed and printed `text`, whatever lines and frames
    /// Terraform broke it into.
    #[track_caller]
    pub fn fails_with(&self, text: &str) -> &Self {
        self.fails();
        let printed = format!("{}\n{}", self.out, self.err);
        let words = printed
            .split(|c: char| c.is_whitespace() || matches!(c, '│' | '╷' | '╵'))
            .filter(|word| !word.is_empty());
        let flat = words.collect::<Vec<_>>().join(" ");
        assert!(
            flat.contains(text),
            "{} did not say {text:?}:\n{printed}",
            self.what
        );
        self
    }

    fn events(&self) -> Vec<Value> {
        self.out
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// The document that the command printed.
    #[track_caller]
    pub fn json(&self) -> Value {
        self.succeeds();
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{}: {error}\n{}", self.what, self.out))
    }

    /// The diagnostics, without Terraform's warning that the provider is not installed as usual.
    pub fn diagnostics(&self) -> Vec<Value> {
        let whole: Option<Value> = serde_json::from_str(&self.out).ok();
        let all = match whole
            .as_ref()
            .and_then(|document| document["diagnostics"].as_array())
        {
            Some(diagnostics) => diagnostics.clone(),
            None => self
                .events()
                .into_iter()
                .filter(|event| event["type"] == "diagnostic")
                .map(|event| event["diagnostic"].clone())
                .collect(),
        };
        let overrides = "Provider development overrides are in effect";
        all.into_iter()
            .filter(|diagnostic| diagnostic["summary"] != overrides)
            .collect()
    }

    /// The only error.
    #[track_caller]
    pub fn error(&self) -> Value {
        self.fails();
        let errors: Vec<Value> = self
            .diagnostics()
            .into_iter()
            .filter(|diagnostic| diagnostic["severity"] == "error")
            .collect();
        assert_eq!(errors.len(), 1, "{}:\n{}", self.what, self.out);
        errors[0].clone()
    }

    /// How many resources a plan adds, changes and removes; the last such line of the output.
    #[track_caller]
    pub fn changes(&self) -> (u64, u64, u64) {
        self.succeeds();
        let mut summaries = self
            .events()
            .into_iter()
            .filter(|event| event["type"] == "change_summary");
        let changes = summaries.next_back().unwrap()["changes"].clone();
        let count = |name: &str| changes[name].as_u64().unwrap();
        (count("add"), count("change"), count("remove"))
    }
}
