//! Policies of every version, from the same parameters.

use serde_json::{Value, json};

use crate::workloads::Document;
use crate::workloads::generate::{Generator, joined};

const RULES: usize = 110;

/// One rule of each version.
fn rule(generator: &mut Generator, index: usize) -> [Value; 3] {
    let common = json!({
        "action": if generator.flag() { "allow" } else { "deny" },
        "conditions": [{
            "key": generator.word(), "negate": generator.flag(), "operator": "in", "values": [generator.word()],
        }],
        "disabled": generator.flag(),
        "log_config": { "enabled": generator.flag(), "sample_rate": 0.5 },
        "matches": {
            "expression": null,
            "layer4": "tcp",
            "ports": [generator.below(65_536)],
            "ranges": [format!("10.{}.0.0/16", generator.below(255))],
        },
        "name": format!("rule-{index}"),
    });
    let description = generator.sentence();
    let priority = 1000 + index;
    let (group, tag) = (generator.word(), generator.word());
    let source = format!("{group}|{tag}");
    let legacy_id = generator.hex(6);
    let v0 = json!({ "desc": description, "legacy_id": legacy_id, "priority": priority.to_string(), "source": source });
    let v1 = json!({ "description": description, "legacy_id": legacy_id, "priority": priority, "source": source });
    let v2 = json!({ "description": description, "priority": priority, "source_group": group, "source_tag": tag });
    [v0, v1, v2].map(|changed| joined(&common, changed))
}

pub(super) fn document(generator: &mut Generator) -> Document {
    let common = json!({
        "description": generator.sentence(),
        "fingerprint": generator.hex(12),
        "id": format!("projects/acme-production/policies/{}", generator.hex(8)),
        "name": generator.word(),
        "network": "projects/acme-production/global/networks/default",
        "self_link": format!("https://www.example.com/policies/{}", generator.hex(8)),
    });
    let mut rules = [Vec::new(), Vec::new(), Vec::new()];
    for index in 0..RULES {
        for (rules, rule) in rules.iter_mut().zip(rule(generator, index)) {
            rules.push(rule);
        }
    }
    Document(rules.map(|rules| joined(&common, json!({ "rules": rules }))))
}
