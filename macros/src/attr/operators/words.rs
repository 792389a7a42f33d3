//! The operators' names: how each is written and read, its rows in the guide and in the derive's page, and the message about one
//! that does not exist.

use super::read::Reader;
use super::reading::Reading;

/// An operator that authors write.
pub(crate) struct Word {
    pub(crate) name: &'static str,
    /// Its shortest useful form.
    pub(crate) form: &'static str,
    /// True if it acts on a field's value, so that it can be done to each element.
    pub(super) acts: bool,
    /// True if values go from prior fields into later ones, so that it may say why one that was sensitive need not be.
    pub(super) moves: bool,
    /// Reads what is in its parentheses.
    pub(super) read: fn(&mut Reader<'_>, Reading<'_>),
    /// What the tables of operators say; nothing if it is in another's row.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test writes the tables"))]
    pub(super) rows: &'static [Row],
}

/// A row of the tables of operators.
#[cfg_attr(not(test), expect(dead_code, reason = "a test writes the tables"))]
pub(super) struct Row {
    pub(super) forms: &'static [&'static str],
    pub(super) says: &'static str,
    /// A real upgrade that needs it.
    pub(super) real: &'static str,
}

impl std::fmt::Debug for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All of them, in the order in which messages list them.
pub(crate) static WORDS: [Word; 25] = [
    Word {
        name: "rename",
        form: "rename(old => new)",
        acts: false,
        moves: true,
        read: |reader, reading| reader.rename(reading),
        rows: &[Row {
            forms: &["rename(old => new)"],
            says: "the value of the prior field `old`. If both structs have `new`: `existing = keep` (the value of `new` wins unless it is null), `existing = replace` (the value of `old` wins), `existing = refuse` (they must not differ); a value that loses is reported as dropped",
            real: "`newrelic_workflow` 0 → 1",
        }],
    },
    Word {
        name: "copy",
        form: "copy(prior => current)",
        acts: false,
        moves: true,
        read: |reader, reading| reader.copy(reading),
        rows: &[Row {
            forms: &["copy(old => new)"],
            says: "the value of the prior field `old`, which also stays in use under its own name",
            real: "`google_project` 0 → 1: `id => project_id`",
        }],
    },
    Word {
        name: "drop",
        form: r#"drop(field, "why")"#,
        acts: false,
        moves: false,
        read: |reader, reading| reader.drop(reading),
        rows: &[Row {
            forms: &[r#"drop(a, b, "why")"#],
            says: "the values of these fields are dropped; plans and the upgrade guide give the reason. `back = \"\"` is the value that a downgrade writes",
            real: "`google_compute_instance_template` 0 → 1",
        }],
    },
    Word {
        name: "default",
        form: "default(field = value)",
        acts: true,
        moves: true,
        read: |reader, reading| reader.default(reading),
        rows: &[Row {
            forms: &["default(x = 3)"],
            says: r#"this value in place of null; `when = (null, "", 0, empty)` lists the values that it replaces"#,
            real: "`github_actions_organization_secret` 0 → 1",
        }],
    },
    Word {
        name: "set",
        form: "set(field = value)",
        acts: false,
        moves: false,
        read: |reader, reading| reader.set(reading),
        rows: &[Row {
            forms: &["set(x = true)"],
            says: "always this value",
            real: "`google_compute_instance` 2 → 3: `create_timeout`",
        }],
    },
    Word {
        name: "null_if",
        form: r#"null_if(field, "")"#,
        acts: true,
        moves: true,
        read: |reader, reading| reader.null_if(reading),
        rows: &[Row {
            forms: &[r#"null_if(x, "", 0)"#],
            says: "null in place of these values; `empty` means null, the empty string and empty collections",
            real: "`google_storage_notification` 0 → 1",
        }],
    },
    Word {
        name: "convert",
        form: "convert(field)",
        acts: true,
        moves: true,
        read: |reader, reading| reader.convert(reading),
        rows: &[
            Row {
                forms: &["convert(x)"],
                says: "the same scalar in the field's type, an object as a map, a list as a set; `empty = null`, `empty = zero` or `empty = refuse` says what the empty string becomes",
                real: "`linode_nodebalancer_config` 0 → 1",
            },
            Row {
                forms: &["convert(x, json)"],
                says: "a string of JSON, parsed into the field's type; or, if the field is a string, the value written as JSON",
                real: "`elasticstack_kibana_security_detection_rule` 0 → 1",
            },
            Row {
                forms: &["convert(x, seconds)", "convert(x, milliseconds)"],
                says: "a duration such as `\"1h30m\"` as a number, or, if the field is a string, a number as a duration in Go's form; also `d` and `w`, for days and weeks. Each number has its unit (`\"5400\"` is refused). Refused is also what is not a whole number, and more than 64 bits of nanoseconds, as in Go: 292 years",
                real: "`signalfx_detector` 0 → 1: `time_range`",
            },
            Row {
                forms: &["convert(x, length)"],
                says: "how many bytes a string has",
                real: "`random_password` 0 → 3: `length`",
            },
            Row {
                forms: &["convert(x, trimmed)"],
                says: "a string without the white space around it",
                real: "`aws_key_pair` 0 → 1: `public_key`",
            },
            Row {
                forms: &["convert(x, with = path)"],
                says: "`fn(A) -> Result<B, E>`: `A` accepts every value of the prior field; if `A` is not an `Option`, null stays null and the function is not called; `B` fits the field; with `, context` it also takes `&UpgradeContext<'_>`; with `, async` it is an `async fn` of both; `back = path` is `fn(B) -> Result<A, E>` for downgrades",
                real: "Snowflake's data types",
            },
            Row {
                forms: &["convert(a, b => x, with = path)"],
                says: "what the `fn(A, B) -> Result<X, E>` makes of the values of two to six prior fields. Where one is null whose parameter is not an `Option`: a state whose field is required is refused; of an optional one the result is null, and the other values are reported as dropped. Options as above; `back = path` is `fn(X) -> Result<(A, B), E>`",
                real: "`cloudflare_zero_trust_list` 0 → 500: `items`",
            },
        ],
    },
    Word {
        name: "fill",
        form: "fill(prior => field, with = path)",
        acts: false,
        moves: true,
        read: |reader, reading| reader.made_of_others(reading),
        rows: &[Row {
            forms: &["fill(prior => x, with = path, async)"],
            says: "what the `async fn(A, &UpgradeContext<'_>) -> Result<B, E>` answers about the value of `prior`, which stays; a function that does not await leaves out `async`, or says `context`; `fill(a, b => x, …)` asks about several fields",
            real: "`github_release` 0 → 1: `repository_id`",
        }],
    },
    Word {
        name: "values",
        form: r#"values(field, "old" => "new")"#,
        acts: true,
        moves: true,
        read: |reader, reading| reader.values(reading),
        rows: &[Row {
            forms: &[r#"values(x, "a" => "b", _ => keep)"#],
            says: "a table of old and new values; others are kept, become a value (`_ => null`) or are refused (`_ => refuse`, the default)",
            real: "`aws_elastic_beanstalk_environment` 0 → 1",
        }],
    },
    Word {
        name: "reformat",
        form: r#"reformat(field, "{project}/{name}" => "projects/{project}/things/{name}")"#,
        acts: true,
        moves: true,
        read: |reader, reading| reader.reformat(reading),
        rows: &[
            Row {
                forms: &[r#"reformat(x, "{a}/{b}" => "as/{a}/bs/{b}")"#],
                says: "a string that matches the pattern gets the form of the template. Several pairs are tried in the order written; `_ => …` as for `values`; `ignore_case` lets letters match in either case",
                real: "`google_kms_crypto_key` 0 → 1",
            },
            Row {
                forms: &[r#"reformat(x, "/as/{a}", ignore_case)"#],
                says: "a pattern without `=>` only corrects upper and lower case in its fixed parts",
                real: "most ids of `azurerm`",
            },
            Row {
                forms: &[r#"reformat(x = "{a}/{b:lower}")"#],
                says: "a string made from prior fields; null if one of them is null",
                real: "`google_container_node_pool` 0 → 1",
            },
        ],
    },
    Word {
        name: "split",
        form: r#"split(field, ",")"#,
        acts: true,
        moves: true,
        read: |reader, reading| reader.split(reading),
        rows: &[
            Row {
                forms: &[r#"split(old, "{a}_{b}")"#],
                says: "the fields `a` and `b`, from the string in the prior field `old`",
                real: "`azurerm_storage_account` 0 → 1",
            },
            Row {
                forms: &["split(old, url(scheme, host, port | 443, path))"],
                says: "the fields `scheme`, `host`, `port` and `path`, from the URL in `old`, by the rules of browsers; also `username`, `password`, `query` and `fragment`. `host => server` is a part whose field has another name, `path => _` one that is not kept. It takes the feature `url`",
                real: "endpoints of API clients",
            },
            Row {
                forms: &[r#"split(x, ",")"#, r#"join(x, ",")"#],
                says: "a list from a string, a string from a list. An element that holds the separator is refused",
                real: "`azurerm_cosmosdb_account`",
            },
        ],
    },
    Word {
        name: "join",
        form: r#"join(field, ",")"#,
        acts: true,
        moves: true,
        read: |reader, reading| reader.join(reading),
        rows: &[],
    },
    Word {
        name: "merge",
        form: "merge(a, b => field)",
        acts: false,
        moves: true,
        read: |reader, reading| reader.merge(reading),
        rows: &[Row {
            forms: &["merge(a, b => x)", "merge(x)"],
            says: "the elements or entries of several prior fields in this order, null if all of them are; `merge(x)` takes all entries of a list of maps. Two entries with one key must be equal",
            real: "`google_compute_instance` 0 → 1: `metadata`",
        }],
    },
    Word {
        name: "unwrap",
        form: "unwrap(field)",
        acts: true,
        moves: true,
        read: |reader, reading| reader.unwrap(reading),
        rows: &[
            Row {
                forms: &["unwrap(x)", "wrap(x)"],
                says: "the only element of a list or set, and back. `unwrap` refuses several elements unless `many = first`. It makes null of an empty list, an object of nulls with `empty = object`, and refuses it, and null, with `empty = refuse`; else null stays null. `wrap` makes an empty list of null; with `empty = null` it stays null",
                real: "`elasticstack_elasticsearch_transform` 0 → 1",
            },
            Row {
                forms: &["unwrap(x, member = m)", "wrap(x, as = m)"],
                says: "this member of an object, whose other members must be null, and back: an object with the value as this member",
                real: "`cloudflare_api_token` 1 → 500",
            },
        ],
    },
    Word { name: "wrap", form: "wrap(field)", acts: true, moves: true, read: |reader, reading| reader.wrap(reading), rows: &[] },
    Word {
        name: "rekey",
        form: "rekey(field, by = member)",
        acts: false,
        moves: true,
        read: |reader, reading| reader.rekey(reading),
        rows: &[Row {
            forms: &["rekey(x, by = m)"],
            says: r#"a list of objects as a map by a member, or back; with `key = "k", value = "v"`, the objects have just these two members"#,
            real: "`launchdarkly_project` 0 → 1, `docker_network` 0 → 1",
        }],
    },
    Word {
        name: "nest",
        form: "nest(a, b => object)",
        acts: false,
        moves: true,
        read: |reader, reading| reader.nest(reading),
        rows: &[Row {
            forms: &["nest(a, b => x)", "unnest(x => a, b)"],
            says: "the prior fields `a` and `b` as members of the object `x`, and back. Where all are null, so is `x`, or it is an object of nulls if it is required",
            real: "`aws_instance` 1 → 2: `cpu_options`",
        }],
    },
    Word {
        name: "unnest",
        form: "unnest(object => a, b)",
        acts: false,
        moves: true,
        read: |reader, reading| reader.unnest(reading),
        rows: &[],
    },
    Word {
        name: "filter",
        form: r#"filter(field, "")"#,
        acts: false,
        moves: true,
        read: |reader, reading| reader.filter(reading),
        rows: &[
            Row {
                forms: &[r#"filter(x, "", null)"#],
                says: "elements or entries with these values are left out",
                real: "`databricks_cluster_policy` 0 → 1",
            },
            Row {
                forms: &[r#"filter(x, key = "aws:{_..}")"#],
                says: r#"entries of a map are left out, and reported as dropped, if their key fits the pattern or is this string; `key = ("a", "b")` takes several"#,
                real: "`google_dataproc_cluster` 0 → 1: `labels`",
            },
        ],
    },
    Word {
        name: "each",
        form: "each(convert(field))",
        acts: false,
        moves: false,
        read: |reader, reading| reader.each(reading),
        rows: &[Row {
            forms: &["each(convert(x))"],
            says: "an operator for each element of a collection: ACTING",
            real: "id lists of `azurerm`",
        }],
    },
    Word {
        name: "within",
        form: "within(object, rename(old => new))",
        acts: false,
        moves: false,
        read: |reader, reading| reader.within(reading),
        rows: &[Row {
            forms: &["within(object, op, …)"],
            says: "the operators act inside of the field, and leave its name out",
            real: "`cloudflare_load_balancer` 1 → 500",
        }],
    },
    Word {
        name: "only_if",
        form: "only_if(has(field), set(other = value))",
        acts: false,
        moves: false,
        read: |reader, reading| reader.only_if(reading),
        rows: &[Row {
            forms: &["only_if(condition, …)"],
            says: "operators for some prior states only; `only_if(not(condition), …)` next to it has those for the others",
            real: "`github_repository_collaborators` 1 → 2",
        }],
    },
    Word {
        name: "warn",
        form: r#"warn("text")"#,
        acts: false,
        moves: false,
        read: |reader, reading| reader.notice(reading),
        rows: &[
            Row {
                forms: &[r#"warn("…")"#, r#"warn(x, "…")"#],
                says: "a warning, about a prior field if one is named",
                real: "`elasticstack_kibana_slo` 0 → 2",
            },
            Row {
                forms: &[r#"only_if(…, refuse("…"))"#],
                says: "the state is refused, with this message",
                real: "`elasticstack_kibana_slo` 0 → 2",
            },
        ],
    },
    Word {
        name: "refuse",
        form: r#"only_if(has(field), refuse("what to do"))"#,
        acts: false,
        moves: false,
        read: |reader, reading| reader.notice(reading),
        rows: &[],
    },
    Word {
        name: "carry",
        form: "carry",
        acts: false,
        moves: true,
        read: |reader, reading| reader.carry(reading),
        rows: &[
            Row {
                forms: &["carry"],
                says: "no operator: every field has the same name and a type that fits",
                real: "lists that were sets: 14 of 691 upgraders",
            },
            Row {
                forms: &["carry"],
                says: "without a `model`: the earlier version had the shape of today, `#[upgrade_from(1..=9 => 10, carry)]`",
                real: "`cloudflare_*` 1 → 500",
            },
            Row {
                forms: &["carry(x: BTreeSet<String>)"],
                says: "without a `model`: the earlier version stored `x` in this type, which the field's own takes as it is",
                real: "`cloudflare_turnstile_widget` 1 → 500",
            },
        ],
    },
];

/// What authors of other tools would write, and what it is called here.
const SYNONYMS: [(&str, &str); 24] = [
    ("move", "rename"),
    ("renamed", "rename"),
    ("map", "values"),
    ("map_value", "values"),
    ("enum", "values"),
    ("remove", "drop"),
    ("delete", "drop"),
    ("ignore", "drop"),
    ("dropped", "drop"),
    ("unused", "drop"),
    ("format", "reformat"),
    ("compose", "reformat"),
    ("parse", "split"),
    ("explode", "split"),
    ("cast", "convert"),
    ("retype", "convert"),
    ("json", "convert"),
    ("lookup", "fill"),
    ("fetch", "fill"),
    ("first", "unwrap"),
    ("flatten", "unnest"),
    ("group", "nest"),
    ("concat", "merge"),
    ("when", "only_if"),
];

/// What authors would call operators for the states on which a condition does not hold.
pub(super) const OTHERWISE: [&str; 3] = ["otherwise", "else", "unless"];

/// How similar two words must be for one to be a misspelling of the other; the threshold of rustc's own tools.
const ALIKE: f64 = 0.8;

pub(crate) fn find(name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.name == name)
}

/// True if `name` is an operator that takes parentheses.
pub(crate) fn is_operator(name: &str) -> bool {
    name != "carry" && takes_parentheses(name)
}

/// True if what is in the parentheses behind this word is for an operator.
pub(crate) fn takes_parentheses(name: &str) -> bool {
    find(name).is_some()
}

/// The operator that `name` may be meant to be.
pub(crate) fn nearest(name: &str) -> Option<&'static Word> {
    if let Some((_, meant)) = SYNONYMS.iter().find(|(other, _)| *other == name) {
        return find(meant);
    }
    WORDS
        .iter()
        .map(|word| (strsim::jaro_winkler(name, word.name), word))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, word)| word)
}

/// The operators that act on a field's value, for a sentence.
pub(super) fn acting() -> String {
    let quoted: Vec<String> = WORDS.iter().filter(|word| word.acts).map(|word| format!("`{}`", word.name)).collect();
    quoted.join(", ")
}

/// All operators that take parentheses, for a sentence.
pub(crate) fn listed() -> String {
    let quoted: Vec<String> = WORDS.iter().filter(|word| word.name != "carry").map(|word| format!("`{}`", word.name)).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_or_foreign_word_gets_the_nearest_one() {
        for (word, meant) in
            [("renmae", "rename"), ("move", "rename"), ("remove", "drop"), ("defualt", "default"), ("nullif", "null_if")]
        {
            assert_eq!(nearest(word).unwrap().name, meant, "{word}");
        }
        assert!(nearest("zone").is_none());
    }

    #[test]
    fn every_synonym_leads_to_an_operator() {
        for (other, meant) in SYNONYMS {
            assert!(find(other).is_none() && find(meant).is_some(), "{other}");
        }
    }
}
