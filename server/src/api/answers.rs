//! The bodies of answers of the service's own routes, as JSON Schema: a test of the API compares
//! each of its answers with them.

use serde_json::{Map, Value, json};

/// The name and the schema of each kind of resource, and the routes that answer with it: method,
/// path, and true for a list.
type Kind = (
    &'static str,
    fn() -> Value,
    &'static [(&'static str, &'static str, bool)],
);

const KINDS: &[Kind] = &[
    (
        "Job",
        job,
        &[
            (
                "get",
                "/api/v2/upstate/organizations/{organization}/jobs",
                true,
            ),
            (
                "post",
                "/api/v2/upstate/organizations/{organization}/jobs",
                false,
            ),
            ("get", "/api/v2/upstate/jobs/{job_id}", false),
            ("post", "/api/v2/upstate/jobs/{job_id}/actions/stop", false),
            (
                "post",
                "/api/v2/upstate/jobs/{job_id}/actions/resume",
                false,
            ),
            ("post", "/api/v2/upstate/jobs/{job_id}/actions/undo", false),
        ],
    ),
    (
        "Plan",
        plan,
        &[
            (
                "post",
                "/api/v2/upstate/organizations/{organization}/plans",
                false,
            ),
            ("get", "/api/v2/upstate/plans/{plan_id}", false),
        ],
    ),
    (
        "JobReport",
        job_report,
        &[("get", "/api/v2/upstate/jobs/{job_id}/report", false)],
    ),
    (
        "JobPace",
        job_pace,
        &[("get", "/api/v2/upstate/jobs/{job_id}/pace", false)],
    ),
    (
        "JobWorkspace",
        job_workspace,
        &[("get", "/api/v2/upstate/jobs/{job_id}/workspaces", true)],
    ),
    (
        "Inventory",
        inventory,
        &[(
            "get",
            "/api/v2/upstate/organizations/{organization}/inventory",
            false,
        )],
    ),
    (
        "WorkspaceInventory",
        workspace_inventory,
        &[(
            "get",
            "/api/v2/upstate/workspaces/{workspace_id}/inventory",
            false,
        )],
    ),
    (
        "WorkspaceTypes",
        workspace_types,
        &[(
            "get",
            "/api/v2/upstate/organizations/{organization}/workspaces",
            true,
        )],
    ),
    (
        "Day",
        day,
        &[
            (
                "get",
                "/api/v2/upstate/organizations/{organization}/day",
                false,
            ),
            (
                "get",
                "/api/v2/upstate/organizations/{organization}/days",
                false,
            ),
        ],
    ),
    (
        "Drift",
        drift,
        &[(
            "get",
            "/api/v2/upstate/organizations/{organization}/drift",
            true,
        )],
    ),
    (
        "WorkspacePlan",
        workspace_plan,
        &[(
            "get",
            "/api/v2/upstate/organizations/{organization}/plan",
            true,
        )],
    ),
    (
        "Hit",
        hit,
        &[(
            "get",
            "/api/v2/upstate/organizations/{organization}/search",
            true,
        )],
    ),
    (
        "Release",
        release,
        &[("get", "/api/v2/upstate/releases", true)],
    ),
    (
        "TypeRoute",
        type_route,
        &[("get", "/api/v2/upstate/types/{type_name}/route", false)],
    ),
    (
        "InstanceUpgrade",
        instance_upgrade,
        &[(
            "get",
            "/api/v2/upstate/state-versions/{state_version_id}/plan",
            true,
        )],
    ),
    (
        "UpgradeReport",
        upgrade_report,
        &[(
            "get",
            "/api/v2/upstate/state-versions/{state_version_id}/report",
            false,
        )],
    ),
    (
        "Difference",
        difference,
        &[(
            "get",
            "/api/v2/upstate/state-versions/{state_version_id}/comparison",
            true,
        )],
    ),
    (
        "Trust",
        trust,
        &[
            (
                "get",
                "/api/v2/upstate/organizations/{organization}/trusts",
                true,
            ),
            (
                "post",
                "/api/v2/upstate/organizations/{organization}/trusts",
                false,
            ),
            ("get", "/api/v2/upstate/trusts/{trust_id}", false),
        ],
    ),
];

/// The schema of the document that a route answers with, if it is one of the service's own.
pub(super) fn answer(method: &str, path: &str) -> Option<Value> {
    let (name, _, is_list) = KINDS.iter().find_map(|(name, schema, routes)| {
        let found = routes
            .iter()
            .find(|(of, at, _)| *of == method && *at == path)?;
        Some((name, schema, found.2))
    })?;
    let one = json!({ "$ref": format!("#/components/schemas/{name}") });
    let data = if is_list {
        json!({ "type": "array", "items": one })
    } else {
        one
    };
    Some(object(
        &["data"],
        &[
            ("data", data),
            ("links", json!({ "type": "object" })),
            ("meta", json!({ "type": "object" })),
        ],
    ))
}

/// The schemas of the resources.
pub(super) fn schemas() -> Map<String, Value> {
    KINDS
        .iter()
        .map(|(name, schema, _)| ((*name).to_owned(), schema()))
        .collect()
}

fn object(required: &[&str], properties: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

/// An object that always has all of these.
fn whole(properties: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    object(&names, properties)
}

fn string() -> Value {
    json!({ "type": "string" })
}

fn text_or_null() -> Value {
    json!({ "type": ["string", "null"] })
}

fn flag_or_null() -> Value {
    json!({ "type": ["boolean", "null"] })
}

fn number() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn number_or_null() -> Value {
    json!({ "type": ["integer", "null"], "minimum": 0 })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn time_or_null() -> Value {
    json!({ "type": ["string", "null"], "format": "date-time" })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn one_of(names: &[&str]) -> Value {
    json!({ "enum": names })
}

/// A resource with attributes that are always there, and perhaps more members.
fn resource(type_name: &str, attributes: &[(&str, Value)], others: &[(&str, Value)]) -> Value {
    resource_with(type_name, &whole(attributes), others)
}

fn resource_with(type_name: &str, attributes: &Value, others: &[(&str, Value)]) -> Value {
    let mut members = vec![
        ("id", string()),
        ("type", json!({ "const": type_name })),
        ("attributes", attributes.clone()),
    ];
    members.extend(others.iter().map(|(name, schema)| (*name, schema.clone())));
    whole(&members)
}

/// The relationships to a workspace and to its state version, if it has one.
fn relationships() -> (&'static str, Value) {
    let to = |type_name: &str| whole(&[("id", string()), ("type", json!({ "const": type_name }))]);
    let workspace = whole(&[("data", to("workspaces"))]);
    let version = json!({ "anyOf": [
        { "type": "null" },
        whole(&[("data", json!({ "anyOf": [{ "type": "null" }, to("state-versions")] }))]),
    ] });
    (
        "relationships",
        whole(&[("workspace", workspace), ("state-version", version)]),
    )
}

fn links() -> (&'static str, Value) {
    (
        "links",
        json!({ "type": "object", "additionalProperties": { "type": "string" } }),
    )
}

const STATUSES: [&str; 5] = ["current", "needs_upgrade", "no_way", "unknown_type", "data"];

/// Workspaces by outcome. What was done with those that changed has the word of the job.
fn outcomes(others: &[(&str, Value)]) -> Value {
    let mut all = vec![
        ("total", number()),
        ("waiting", number()),
        ("current", number()),
        ("failed", number()),
    ];
    all.extend(others.iter().map(|(name, schema)| (*name, schema.clone())));
    let required: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let words = ["upgraded", "downgraded", "rolled-back"];
    let any_word: Vec<(&str, Value)> = words.iter().map(|word| (*word, number())).collect();
    let mut schema = object(&required, &[all, any_word].concat());
    if let Some(members) = schema.as_object_mut() {
        let one: Vec<Value> = words
            .iter()
            .map(|word| json!({ "required": [word] }))
            .collect();
        members.insert("oneOf".to_owned(), one.into());
    }
    schema
}

/// The members that a job and a plan have.
fn begun() -> Vec<(&'static str, Value)> {
    vec![
        ("status", one_of(&["running", "stopped", "done"])),
        ("to-release", text_or_null()),
        ("allow-loss", flag_or_null()),
        ("strict", flag_or_null()),
        ("requested-by", string()),
        ("created-at", time()),
        ("finished-at", time_or_null()),
    ]
}

fn job() -> Value {
    let mut attributes = begun();
    attributes.extend([
        ("action", one_of(&["upgrade", "downgrade", "undo", "plan"])),
        ("undoes", text_or_null()),
        ("plan", text_or_null()),
        (
            "concurrency",
            json!({ "type": "integer", "minimum": 1, "maximum": 32 }),
        ),
        ("on-failure", one_of(&["stop", "continue"])),
        ("max-failures", number_or_null()),
        ("worked-on-at", time_or_null()),
        ("expected-end-at", time_or_null()),
        ("workspaces", outcomes(&[])),
    ]);
    resource("upstate-jobs", &attributes, &[links()])
}

/// Instances of a type that come to another version.
fn moved(others: &[(&str, Value)]) -> Value {
    let mut members = vec![
        ("type", string()),
        ("from", number()),
        ("instances", number()),
    ];
    members.extend(others.iter().map(|(name, schema)| (*name, schema.clone())));
    whole(&members)
}

fn losses(others: &[(&str, Value)]) -> Value {
    let mut all = vec![("path", string()), ("reason", string())];
    all.extend(others.iter().map(|(name, schema)| (*name, schema.clone())));
    list(&moved(&all))
}

fn warnings(others: &[(&str, Value)]) -> Value {
    let mut all = vec![("path", string()), ("message", string())];
    all.extend(others.iter().map(|(name, schema)| (*name, schema.clone())));
    list(&moved(&all))
}

fn causes(others: &[(&str, Value)]) -> Value {
    let mut all = vec![
        ("to", number()),
        ("path", string()),
        ("summary", string()),
        ("message", string()),
    ];
    all.extend(others.iter().map(|(name, schema)| (*name, schema.clone())));
    list(&moved(&all))
}

/// The sums of a plan or of a job's report.
fn sums() -> Vec<(&'static str, Value)> {
    let workspaces = [("workspaces", number())];
    vec![
        (
            "types",
            list(&moved(&[("to", number()), ("workspaces", number())])),
        ),
        ("losses", losses(&workspaces)),
        ("warnings", warnings(&workspaces)),
        ("omitted", number()),
    ]
}

fn named_workspaces() -> Value {
    list(&whole(&[("id", string()), ("name", string())]))
}

/// The workspaces that a plan was asked for.
fn selection() -> Value {
    let workspaces = json!({ "type": ["array", "null"], "items": string() });
    let selection = whole(&[
        ("workspaces", workspaces),
        ("names", text_or_null()),
        ("tags", list(&string())),
    ]);
    json!({ "anyOf": [{ "type": "null" }, selection] })
}

fn plan() -> Value {
    let planned = [
        "with-losses",
        "with-warnings",
        "with-neither",
        "unchanged-since",
        "locked",
    ]
    .map(|name| (name, number()));
    let mut attributes = begun();
    attributes.extend(sums());
    attributes.extend([
        ("action", one_of(&["upgrade", "downgrade"])),
        ("workspaces", outcomes(&planned)),
        (
            "values",
            whole(&[("moved", number()), ("converted", number())]),
        ),
        ("selection", selection()),
        (
            "waves",
            list(&whole(&[("names", string()), ("workspaces", number())])),
        ),
        (
            "causes",
            causes(&[
                ("workspaces", number()),
                ("first-workspaces", named_workspaces()),
            ]),
        ),
    ]);
    resource("upstate-plans", &attributes, &[links()])
}

fn job_report() -> Value {
    let mut attributes = sums();
    let workspaces = [
        ("without-losses", number()),
        ("with-losses", number()),
        ("with-warnings", number_or_null()),
        ("with-neither", number_or_null()),
    ];
    attributes.push(("workspaces", whole(&workspaces)));
    let failure = [
        ("cause", string()),
        ("detail", string()),
        ("workspaces", number()),
        ("first-workspaces", named_workspaces()),
    ];
    attributes.push(("failures", list(&whole(&failure))));
    attributes.push(("failures-omitted", number()));
    resource("upstate-job-reports", &attributes, &[links()])
}

fn job_pace() -> Value {
    let counts = list(&number());
    let attributes = [
        ("since", time()),
        ("until", time()),
        ("step-milliseconds", number()),
        ("ended", counts.clone()),
        ("failed", counts),
    ];
    resource("upstate-job-paces", &attributes, &[])
}

fn job_workspace() -> Value {
    let planned = whole(&[
        ("name", string()),
        ("types", list(&json!({ "type": "object" }))),
        ("losses", losses(&[])),
        ("losses-omitted", number()),
        ("warnings", warnings(&[])),
        ("warnings-omitted", number()),
        ("causes", causes(&[])),
    ]);
    let attributes = [
        (
            "status",
            one_of(&[
                "waiting",
                "upgraded",
                "downgraded",
                "rolled-back",
                "current",
                "failed",
            ]),
        ),
        ("detail", string()),
        ("planned", json!({ "anyOf": [{ "type": "null" }, planned] })),
    ];
    resource("upstate-job-workspaces", &attributes, &[relationships()])
}

fn counted(others: &[(&str, Value)]) -> Value {
    let mut all = vec![
        ("mode", one_of(&["managed", "data"])),
        ("type", string()),
        ("version", number()),
        ("instances", number()),
        ("current", number_or_null()),
        ("status", one_of(&STATUSES)),
    ];
    all.extend(others.iter().map(|(name, schema)| (*name, schema.clone())));
    list(&whole(&all))
}

fn inventory() -> Value {
    let attributes = [
        ("workspaces", number()),
        ("workspaces-without-state", number()),
        ("workspaces-unreadable", number()),
        ("workspaces-behind", number()),
        ("workspaces-stuck", number()),
        ("types", counted(&[("workspaces", number())])),
    ];
    resource("upstate-inventories", &attributes, &[])
}

/// The types of a state.
fn stored() -> Value {
    counted(&[("flat", number()), ("providers", list(&string()))])
}

/// The newest outcome of a job or a plan for the current version of a workspace.
fn last_outcome() -> Value {
    let outcome = whole(&[
        ("job", string()),
        ("action", one_of(&["upgrade", "downgrade", "undo", "plan"])),
        ("to-release", text_or_null()),
        (
            "status",
            one_of(&["waiting", "upgraded", "current", "failed"]),
        ),
        ("detail", string()),
        ("at", time()),
    ]);
    json!({ "anyOf": [{ "type": "null" }, outcome] })
}

fn workspace_inventory() -> Value {
    let attributes = [
        ("serial", json!({ "type": "integer" })),
        ("last-outcome", last_outcome()),
        ("needs-upgrade", number()),
        ("cannot-upgrade", number()),
        ("types", stored()),
    ];
    resource(
        "upstate-inventories",
        &attributes,
        &[("relationships", json!({ "type": "object" }))],
    )
}

fn workspace_types() -> Value {
    let attributes = [
        ("name", string()),
        ("locked", json!({ "type": "boolean" })),
        ("unreadable", text_or_null()),
        ("last-outcome", last_outcome()),
        ("statuses", list(&one_of(&STATUSES))),
        ("types", stored()),
    ];
    resource("upstate-workspaces", &attributes, &[relationships()])
}

fn day() -> Value {
    let counts = list(&number());
    let events =
        ["applied", "upgraded", "failed", "undone", "locked"].map(|event| (event, counts.clone()));
    let attributes = [
        ("since", time()),
        ("complete-since", time()),
        ("step-seconds", number()),
        ("events", whole(&events)),
    ];
    resource("upstate-days", &attributes, &[])
}

fn drift() -> Value {
    let attributes = [
        ("type", string()),
        ("from", number()),
        ("to", number_or_null()),
        ("path", string()),
        ("rule", string()),
        ("level", string()),
        ("axes", list(&string())),
        ("message", string()),
        ("note", text_or_null()),
        ("instances", number()),
        ("workspaces", number()),
        ("instances-with-value", number_or_null()),
        ("workspaces-with-value", number_or_null()),
    ];
    resource("upstate-drifts", &attributes, &[])
}

/// The instances of a state by type and outcome.
fn rows() -> Value {
    let outcome = one_of(&["upgraded", "downgraded", "failed"]);
    list(&moved(&[("to", number_or_null()), ("outcome", outcome)]))
}

fn workspace_plan() -> Value {
    let totals = object(
        &[
            "instances",
            "failed",
            "current",
            "unknown_type",
            "data_sources",
        ],
        &[
            "instances",
            "upgraded",
            "downgraded",
            "failed",
            "current",
            "unknown_type",
            "data_sources",
        ]
        .map(|name| (name, number())),
    );
    let attributes = [
        ("name", string()),
        ("locked", json!({ "type": "boolean" })),
        (
            "outcome",
            one_of(&["upgraded", "downgraded", "failed", "current"]),
        ),
        ("failure", text_or_null()),
        ("totals", json!({ "anyOf": [{ "type": "null" }, totals] })),
        ("types", rows()),
        ("losses", losses(&[])),
        ("losses-omitted", number()),
    ];
    resource("upstate-workspace-plans", &attributes, &[relationships()])
}

fn hit() -> Value {
    let attributes = [
        ("workspace", string()),
        ("address", string()),
        ("type", string()),
        ("version", number()),
        ("paths", list(&string())),
        ("values", list(&string())),
    ];
    resource("upstate-instances", &attributes, &[relationships()])
}

fn release() -> Value {
    let versions = json!({ "type": "object", "additionalProperties": number() });
    resource(
        "upstate-releases",
        &[("versions", versions.clone()), ("identities", versions)],
        &[],
    )
}

/// The lanes have the form of `explain --format json`.
fn type_route() -> Value {
    resource_with("upstate-type-routes", &json!({ "type": "object" }), &[])
}

fn change() -> Value {
    let any = json!({});
    object(
        &["path", "action"],
        &[
            ("path", string()),
            ("action", one_of(&["add", "remove", "change"])),
            ("before", any.clone()),
            ("after", any),
            ("before_sensitive", json!({ "type": "boolean" })),
            ("after_sensitive", json!({ "type": "boolean" })),
        ],
    )
}

fn diagnostic() -> Value {
    let text = [
        "code", "summary", "detail", "path", "expected", "found", "remedy", "authors",
    ]
    .map(|name| (name, string()));
    let mut all = vec![("severity", one_of(&["error", "warning"]))];
    all.extend(text);
    object(&["severity", "summary", "detail"], &all)
}

/// An instance in the form of the report of `plan --format json`.
fn instance_upgrade() -> Value {
    let dropped = whole(&[("path", string()), ("reason", string())]);
    let known = json!({
        "type": "object",
        "required": ["type", "from", "to", "changes", "dropped", "diagnostics"],
        "properties": {
            "type": string(), "from": number(), "to": number(),
            "changes": list(&change()), "dropped": list(&dropped), "diagnostics": list(&diagnostic()),
        },
    });
    resource_with("upstate-instance-upgrades", &known, &[])
}

fn upgrade_report() -> Value {
    let attributes = object(
        &[
            "instances",
            "current",
            "unknown_type",
            "data_sources",
            "types",
            "notes",
            "notes_omitted",
        ],
        &[
            ("to_release", string()),
            ("instances", number()),
            ("upgraded", number()),
            ("downgraded", number()),
            ("current", number()),
            ("unknown_type", number()),
            ("data_sources", number()),
            ("types", rows()),
            (
                "notes",
                list(&json!({ "type": "object", "required": ["address"] })),
            ),
            ("notes_omitted", number()),
        ],
    );
    resource_with(
        "upstate-upgrade-reports",
        &attributes,
        &[("relationships", json!({ "type": "object" }))],
    )
}

fn difference() -> Value {
    let any = json!({});
    let attributes = object(
        &["address", "action"],
        &[
            ("address", string()),
            ("type", string()),
            ("action", one_of(&["added", "removed", "changed"])),
            ("from", number()),
            ("to", number()),
            ("changes", list(&json!({ "type": "object" }))),
            ("before", any.clone()),
            ("after", any),
            ("sensitive", json!({ "type": "boolean" })),
        ],
    );
    let of = |type_name: &str| resource_with(type_name, &attributes, &[]);
    json!({ "oneOf": [of("upstate-instance-differences"), of("upstate-output-differences")] })
}

fn trust() -> Value {
    let attributes = [
        ("name", string()),
        ("issuer", string()),
        ("audience", string()),
        (
            "claims",
            json!({ "type": "object", "additionalProperties": string() }),
        ),
        ("access", string()),
        ("grants", string()),
        ("created-at", time()),
    ];
    resource(
        "upstate-trusts",
        &attributes,
        &[("relationships", json!({ "type": "object" })), links()],
    )
}
