//! The `OpenAPI` document of what is served.

use std::collections::BTreeSet;

use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};

use super::answers;
use super::document::MEDIA_TYPE;
use super::routes::{Needs, ROUTES, Route};

/// The document: a path for each route, with who may use it.
pub fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        for &method in methods(route) {
            let path = paths.entry(route.path).or_insert_with(|| json!({}));
            if let Some(members) = path.as_object_mut() {
                members.insert(method.to_owned(), operation(route, method));
            }
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "upstate State Versions service",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Terraform state with locks, history and rollback.",
            "license": { "name": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "signature": { "type": "apiKey", "in": "query", "name": "signature" },
            },
            "schemas": schemas(),
        },
    })
}

pub(super) async fn show() -> Response {
    (
        [(header::CONTENT_TYPE, "application/json")],
        document().to_string(),
    )
        .into_response()
}

/// The methods of a route that `OpenAPI` has a name for; LOCK and UNLOCK have none.
fn methods(route: &Route) -> &'static [&'static str] {
    match (route.method, route.path.ends_with("/lock")) {
        ("GET", _) => &["get"],
        ("POST", _) => &["post"],
        ("PUT", _) => &["put"],
        ("PATCH", _) => &["patch"],
        ("DELETE", _) => &["delete"],
        (_, true) => &["post", "delete"],
        (_, false) => &["get", "post"],
    }
}

/// The parameters in braces.
fn parameters(path: &str) -> Vec<Value> {
    let names = path
        .split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name);
    let mut all: Vec<Value> = names
        .map(|name| {
            let schema = match name {
                "content" => json!({ "type": "string", "enum": ["state", "json-state"] }),
                _ => json!({ "type": "string" }),
            };
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
        .collect();
    let query = |name: &str, required: bool, schema: Value| json!({ "name": name, "in": "query", "required": required, "schema": schema });
    if path == "/api/v2/state-versions" {
        all.push(query(
            "filter[organization][name]",
            true,
            json!({ "type": "string" }),
        ));
        all.push(query(
            "filter[workspace][name]",
            true,
            json!({ "type": "string" }),
        ));
        all.push(query("filter[status]", false, json!({ "type": "string" })));
    }
    for (of, name, schema) in FILTERS {
        if *of == path {
            all.push(query(
                name,
                false,
                json!({ "type": "string", "description": schema }),
            ));
        }
    }
    if PAGED.contains(&path) {
        all.push(query(
            "page[number]",
            false,
            json!({ "type": "integer", "minimum": 1, "default": 1 }),
        ));
        all.push(query(
            "page[size]",
            false,
            json!({ "type": "integer", "minimum": 1, "maximum": 100, "default": 20 }),
        ));
    }
    if INCLUDING.contains(&path) {
        let known = "created_by, run, run.created_by, run.configuration_version, outputs; separated by commas";
        all.push(query(
            "include",
            false,
            json!({ "type": "string", "description": known }),
        ));
    }
    all
}

const BESIDE_WORKSPACES: &str = "organization, project, locked_by; separated by commas";

const BESIDE_A_WORKSPACE: &str = "organization, project, locked_by, outputs; separated by commas";

/// Query parameters of our own routes, and what they are.
const FILTERS: &[(&str, &str, &str)] = &[
    (
        "/api/v2/team-projects",
        "filter[project][id]",
        "the id of the project; required",
    ),
    (
        "/api/v2/team-workspaces",
        "filter[workspace][id]",
        "the id of the workspace; required",
    ),
    (
        "/api/v2/organizations/{organization}/projects",
        "filter[names]",
        "names of projects, separated by commas",
    ),
    (
        "/api/v2/organizations/{organization}/projects",
        "q",
        "a part of a name",
    ),
    (
        "/api/v2/organizations/{organization}/teams",
        "filter[names]",
        "names of teams, separated by commas",
    ),
    (
        "/api/v2/organizations/{organization}/teams",
        "q",
        "a part of a name",
    ),
    (
        "/api/v2/organizations/{organization}/teams",
        "include",
        "users",
    ),
    ("/api/v2/teams/{team_id}", "include", "users"),
    (
        "/api/v2/organizations/{organization}/team-tokens",
        "q",
        "a part of the name of a team",
    ),
    ("/api/v2/organizations", "q", "a part of a name"),
    (
        "/api/v2/organizations/{organization}",
        "include",
        "default-project",
    ),
    (
        "/api/v2/organizations/{organization}/workspaces",
        "include",
        BESIDE_WORKSPACES,
    ),
    (
        "/api/v2/organizations/{organization}/workspaces/{workspace}",
        "include",
        BESIDE_A_WORKSPACE,
    ),
    (
        "/api/v2/workspaces/{workspace_id}",
        "include",
        BESIDE_A_WORKSPACE,
    ),
    (
        "/api/v2/organizations/{organization}/workspaces",
        "filter[project][id]",
        "the id of a project",
    ),
    (
        "/api/v2/workspaces/{workspace_id}/relationships/tags",
        "q",
        "a part of a tag",
    ),
    (
        "/api/v2/workspaces/{workspace_id}/relationships/tags",
        "name",
        "as `q`, which go-tfe calls so",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/workspaces",
        "filter[status]",
        "current, needs_upgrade, no_way, unknown_type or data",
    ),
    (
        "/api/v2/organizations/{organization}/audit",
        "filter[action]",
        "an action such as workspace.lock, or all that begin with a word, such as workspace",
    ),
    (
        "/api/v2/organizations/{organization}/audit",
        "filter[actor]",
        "a part of who: a name, or the id of a token or a job",
    ),
    (
        "/api/v2/organizations/{organization}/audit",
        "filter[workspace][id]",
        "the id of a workspace, also of a deleted one",
    ),
    (
        "/api/v2/organizations/{organization}/audit/lines",
        "after",
        "the seq of the last line that the client has; without it, from the first",
    ),
    (
        "/api/v2/organizations/{organization}/audit",
        "filter[jobs]",
        "false: without what jobs did",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/plan",
        "to-release",
        "the release to go back to, instead of an upgrade",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/plan",
        "allow-loss",
        "true: go back although the release cannot hold everything",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/plan",
        "strict",
        "true: go back only where no state of a type could lose anything",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/search",
        "filter[type]",
        "the name of a type that is registered or stored, or a part of type names",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/search",
        "filter[version]",
        "the schema version at which resources are stored",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/search",
        "filter[address]",
        "a part of an address",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/search",
        "filter[value]",
        "a part of a value",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/search",
        "filter[attribute]",
        "the attribute that has the value, or any if none is given",
    ),
    (
        "/api/v2/upstate/organizations/{organization}/search",
        "page[after]",
        "meta.next of the answer before",
    ),
    (
        "/api/v2/upstate/state-versions/{state_version_id}/plan",
        "to-release",
        "the release to go back to, instead of an upgrade",
    ),
    (
        "/api/v2/upstate/state-versions/{state_version_id}/plan",
        "allow-loss",
        "true: go back although the release cannot hold everything",
    ),
    (
        "/api/v2/upstate/state-versions/{state_version_id}/plan",
        "strict",
        "true: go back only where no state of a type could lose anything",
    ),
    (
        "/api/v2/upstate/state-versions/{state_version_id}/plan",
        "filter[outcome]",
        "upgraded, downgraded or failed; or, of those that would change, with-losses, with-warnings or with-neither",
    ),
    (
        "/api/v2/upstate/state-versions/{state_version_id}/plan",
        "filter[type]",
        "a type name",
    ),
    (
        "/api/v2/upstate/state-versions/{state_version_id}/plan",
        "filter[version]",
        "the schema version at which they are stored",
    ),
    (
        "/api/v2/upstate/state-versions/{state_version_id}/comparison",
        "from",
        "the id of the state version before",
    ),
    (
        "/api/v2/upstate/jobs/{job_id}/workspaces",
        "filter[status]",
        "waiting, upgraded (or downgraded), current or failed; separated by commas",
    ),
    (
        "/api/v2/upstate/jobs/{job_id}/workspaces",
        "filter[outcome]",
        "of a plan, those that would change with-losses, with-warnings or with-neither",
    ),
];

const PAGED: [&str; 21] = [
    "/api/v2/organizations/{organization}/team-tokens",
    "/api/v2/organizations/{organization}/teams",
    "/api/v2/workspaces/{workspace_id}/relationships/tags",
    "/api/v2/workspaces/{workspace_id}/relationships/remote-state-consumers",
    "/api/v2/team-projects",
    "/api/v2/team-workspaces",
    "/api/v2/state-versions",
    "/api/v2/state-versions/{state_version_id}/outputs",
    "/api/v2/workspaces/{workspace_id}/current-state-version-outputs",
    "/api/v2/organizations",
    "/api/v2/organizations/{organization}/workspaces",
    "/api/v2/organizations/{organization}/projects",
    "/api/v2/organizations/{organization}/audit",
    "/api/v2/upstate/organizations/{organization}/workspaces",
    "/api/v2/upstate/organizations/{organization}/drift",
    "/api/v2/upstate/organizations/{organization}/plan",
    "/api/v2/upstate/organizations/{organization}/search",
    "/api/v2/upstate/organizations/{organization}/jobs",
    "/api/v2/upstate/state-versions/{state_version_id}/plan",
    "/api/v2/upstate/state-versions/{state_version_id}/comparison",
    "/api/v2/upstate/jobs/{job_id}/workspaces",
];

const INCLUDING: [&str; 3] = [
    "/api/v2/state-versions",
    "/api/v2/state-versions/{state_version_id}",
    "/api/v2/workspaces/{workspace_id}/current-state-version",
];

fn operation(route: &Route, method: &str) -> Value {
    let security = match route.needs {
        Needs::Nothing | Needs::Grant => json!([]),
        // A token that reads states downloads as well.
        Needs::Signature if method == "get" => json!([{ "signature": [] }, { "token": [] }]),
        Needs::Signature => json!([{ "signature": [] }]),
        Needs::Token
        | Needs::Member
        | Needs::ReadState
        | Needs::ReadOutputs
        | Needs::WriteState
        | Needs::ReadAndWriteState
        | Needs::Lock
        | Needs::ForceUnlock
        | Needs::Admin
        | Needs::AdminAndReadState => json!([{ "token": [] }]),
    };
    let mut operation = Map::new();
    let mut add = |name: &str, value: Value| operation.insert(name.to_owned(), value);
    add("operationId", json!(operation_id(route, method)));
    add("summary", json!(route.summary));
    add("security", security);
    add("parameters", json!(parameters(route.path)));
    add("responses", responses(route, method));
    if let Some(permission) = permission(route.needs) {
        add("x-permission", json!(permission));
    }
    if let Some(body) = body(route, method) {
        add("requestBody", body);
    }
    Value::Object(operation)
}

fn operation_id(route: &Route, method: &str) -> String {
    let words = route
        .path
        .split(['/', '.', '-', '_'])
        .filter(|word| !word.is_empty() && *word != "api" && *word != "v2");
    words.fold(method.to_owned(), |id, word| {
        format!("{id}_{}", word.trim_matches(['{', '}']))
    })
}

fn permission(needs: Needs) -> Option<&'static str> {
    match needs {
        Needs::Nothing | Needs::Signature | Needs::Grant | Needs::Token => None,
        Needs::Member => Some("any"),
        Needs::ReadState => Some("read-state"),
        Needs::ReadOutputs => Some("read-outputs"),
        Needs::WriteState => Some("write-state"),
        Needs::ReadAndWriteState => Some("read-state,write-state"),
        Needs::Lock => Some("lock"),
        Needs::ForceUnlock => Some("force-unlock"),
        Needs::Admin => Some("admin"),
        Needs::AdminAndReadState => Some("admin,read-state"),
    }
}

fn responses(route: &Route, method: &str) -> Value {
    let mut statuses = BTreeSet::from([success(route, method)]);
    if route.needs == Needs::Grant {
        statuses.extend([400, 413, 429]);
    } else if route.needs != Needs::Nothing {
        statuses.extend([401, 403, 404, 429]);
    }
    let takes_body = matches!(method, "post" | "patch" | "put");
    if takes_body && !matches!(route.needs, Needs::Nothing | Needs::Grant) {
        statuses.extend([400, 409, 413, 422]);
    }
    if route.path.ends_with("/audit/lines") {
        statuses.insert(400);
    }
    // Other routes leave out what they cannot include.
    let refuses_include =
        INCLUDING.contains(&route.path) || route.path == "/api/v2/teams/{team_id}";
    if method == "get" && (PAGED.contains(&route.path) || refuses_include) {
        statuses.insert(400);
    }
    if route.path.starts_with("/http/") {
        // No state yet; a former name; somebody else's lock.
        statuses.extend([204, 400, 409, 410, 423]);
    }
    if method == "post" && route.path == "/api/v2/organizations/{organization}/workspaces" {
        statuses.insert(410);
    }
    if route.path.ends_with("/state-versions") && method == "post" {
        statuses.insert(412);
    }
    if route.path.starts_with("/api/v2/upstate/") {
        // A state that cannot be read.
        statuses.insert(409);
    }
    if is_new_version(route) {
        // 200 if there was nothing to change, 412 if another version is current.
        statuses.extend([200, 412]);
    }
    statuses.insert(503);
    let mut responses = Map::new();
    for status in statuses {
        let is_error = status >= 400;
        let content = if is_error && route.path.starts_with("/api/") {
            Some(json!({ MEDIA_TYPE: { "schema": { "$ref": "#/components/schemas/Errors" } } }))
        } else if route.needs == Needs::Grant {
            Some(json!({ "application/json": {} }))
        } else if status != 200 && status != 201 {
            None
        } else if route.path.ends_with("/audit/lines") {
            Some(json!({ "application/x-ndjson": {} }))
        } else if route.path.starts_with("/api/") && !route.path.ends_with("download") {
            let document = || json!({ "$ref": "#/components/schemas/Document" });
            Some(
                json!({ MEDIA_TYPE: { "schema": answers::answer(method, route.path).unwrap_or_else(document) } }),
            )
        } else {
            Some(json!({ "application/octet-stream": {} }))
        };
        let mut response = Map::from_iter([("description".to_owned(), json!(describe(status)))]);
        response.extend(content.map(|content| ("content".to_owned(), content)));
        responses.insert(status.to_string(), Value::Object(response));
    }
    Value::Object(responses)
}

/// True if an action makes a state version.
fn is_new_version(route: &Route) -> bool {
    route.path.ends_with("/actions/upgrade") || route.path.ends_with("/actions/downgrade")
}

fn success(route: &Route, method: &str) -> u16 {
    let is_action = route.path.contains("/actions/");
    let is_relationship = route.path.contains("/relationships/");
    match method {
        "delete" if route.path.starts_with("/http/") => 200,
        "delete" => 204,
        "post" if route.path.ends_with("backing_data") || route.path.ends_with("safe-delete") => {
            204
        }
        "post" if is_relationship && !route.path.ends_with("data-retention-policy") => 204,
        "post" if is_new_version(route) || route.path.ends_with("/actions/undo") => 201,
        "post" if is_action || is_relationship || route.path.starts_with("/http/") => 200,
        "post" if route.needs == Needs::Grant => 200,
        "post" => 201,
        "patch" if route.path.ends_with("/remote-state-consumers") => 204,
        "patch" if route.path.ends_with("/state-versions") => 201,
        "get" if route.path == "/api/v2/ping" => 204,
        _ => 200,
    }
}

const fn describe(status: u16) -> &'static str {
    match status {
        200 => "Done",
        201 => "Made",
        204 => "Done; the answer has no body",
        400 => "A parameter or the body cannot be read",
        401 => "No token, or one that is unknown or expired",
        403 => "The token does not allow it, or the signature is wrong or expired",
        404 => "It does not exist, or the token may not see it",
        409 => "It collides with a lock, a serial, a lineage, or other bytes for the same serial",
        410 => "A workspace had this name; it has another one now, or was deleted",
        412 => "If-Match names another state version than the current one",
        413 => "The body is too large",
        423 => "Another client has the lock; the body is that lock's info",
        422 => "The body is readable, and its values are wrong",
        429 => "Too many sign-ins from this address failed",
        503 => "Later it may work",
        _ => "Other",
    }
}

fn body(route: &Route, method: &str) -> Option<Value> {
    let schema = |name: &str| json!({ "required": true, "content": { MEDIA_TYPE: { "schema": { "$ref": format!("#/components/schemas/{name}") } } } });
    match (method, route.path) {
        ("post", "/api/v2/workspaces/{workspace_id}/state-versions") => {
            Some(schema("CreateStateVersion"))
        }
        ("patch", "/api/v2/workspaces/{workspace_id}/state-versions") => Some(schema("Rollback")),
        ("put", _) => {
            Some(json!({ "required": true, "content": { "application/octet-stream": {} } }))
        }
        ("post", path) if path.ends_with("/actions/downgrade") => Some(schema("Downgrade")),
        ("post", path) if path.ends_with("/jobs") => Some(schema("CreateJob")),
        ("post", path) if path.ends_with("/plans") => Some(schema("CreatePlan")),
        ("post", "/oauth/token") => Some(exchange()),
        ("post" | "patch", path) if path.contains("/actions/") => None,
        ("post", path) if path.starts_with("/http/") => {
            Some(json!({ "content": { "application/json": {} } }))
        }
        ("post" | "patch", _) => Some(schema("Document")),
        _ => None,
    }
}

/// A request for a token.
fn exchange() -> Value {
    let string = json!({ "type": "string" });
    let kinds = [
        "urn:ietf:params:oauth:token-type:id_token",
        "urn:ietf:params:oauth:token-type:jwt",
    ];
    json!({ "required": true, "content": { "application/x-www-form-urlencoded": { "schema": {
        "type": "object",
        "required": ["grant_type"],
        "properties": {
            "grant_type": { "enum": ["urn:ietf:params:oauth:grant-type:token-exchange", "authorization_code"] },
            "subject_token": string,
            "subject_token_type": { "enum": kinds },
            "trust": { "type": "string", "description": "the id of the trust" },
            "code": string,
            "code_verifier": string,
            "redirect_uri": string,
            "client_id": { "const": "terraform-cli" },
        },
    }}}})
}

/// A request for a job or a plan, with its attributes beside those that both have.
fn requested(type_name: &str, attributes: &[(&str, Value)]) -> Value {
    let mut all = Map::new();
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    for (name, schema) in [
        ("workspaces", strings.clone()),
        (
            "names",
            json!({ "type": "string", "description": "a pattern such as *-dev-*" }),
        ),
        ("tags", strings),
        ("to-release", json!({ "type": "string" })),
        ("allow-loss", json!({ "type": "boolean", "default": false })),
        ("strict", json!({ "type": "boolean", "default": false })),
    ] {
        all.insert(name.to_owned(), schema);
    }
    all.extend(
        attributes
            .iter()
            .map(|(name, schema)| ((*name).to_owned(), schema.clone())),
    );
    let attributes = json!({ "type": "object", "properties": all });
    let members = json!({ "type": { "const": type_name }, "attributes": attributes });
    sent(&["type"], &members)
}

/// A request whose document has these members, some of them always.
fn sent(required: &[&str], members: &Value) -> Value {
    json!({
        "type": "object",
        "required": ["data"],
        "properties": { "data": { "type": "object", "required": required, "properties": members } },
    })
}

fn schemas() -> Value {
    let mut all = answers::schemas();
    if let Value::Object(general) = general() {
        all.extend(general);
    }
    Value::Object(all)
}

/// The schemas of requests, and of answers that clients of other services know.
fn general() -> Value {
    let base64 = json!({ "type": "string", "contentEncoding": "base64" });
    json!({
        "Errors": {
            "type": "object",
            "required": ["errors"],
            "properties": { "errors": { "type": "array", "items": {
                "type": "object",
                "required": ["status", "title", "detail"],
                "properties": {
                    "status": { "type": "string" },
                    "title": { "type": "string" },
                    "detail": { "type": "string" },
                    "source": { "type": "object", "properties": { "pointer": { "type": "string" } } },
                },
            }}},
        },
        "Document": {
            "type": "object",
            "properties": {
                "data": {},
                "included": { "type": "array", "items": { "type": "object" } },
                "links": { "type": "object" },
                "meta": { "type": "object" },
            },
        },
        "CreateJob": requested("upstate-jobs", &[
            ("plan", json!({ "type": "string", "description": "the id of a plan: its versions are taken, and no others" })),
            ("concurrency", json!({ "type": "integer", "minimum": 1, "maximum": 32, "default": 4 })),
            ("on-failure", json!({ "enum": ["stop", "continue"], "default": "stop" })),
            ("max-failures", json!({ "type": ["integer", "string"], "description": "workspaces, or a share such as 5%" })),
        ]),
        "CreatePlan": requested("upstate-plans", &[]),
        "CreateStateVersion": sent(&["type", "attributes"], &json!({
            "type": { "const": "state-versions" },
            "attributes": {
                "type": "object",
                "required": ["serial", "md5"],
                "properties": {
                    "serial": { "type": "integer", "minimum": 0 },
                    "md5": { "type": "string", "pattern": "^[0-9a-fA-F]{32}$" },
                    "lineage": { "type": "string" },
                    "state": base64,
                    "json-state": base64,
                    "json-state-outputs": base64,
                    "force": { "type": "boolean", "default": false },
                },
            },
            "relationships": { "type": "object", "properties": { "run": { "type": "object" } } },
        })),
        "Downgrade": sent(&["type", "attributes"], &json!({
            "type": { "const": "upstate-downgrades" },
            "attributes": {
                "type": "object",
                "required": ["to-release"],
                "properties": {
                    "to-release": { "type": "string" },
                    "allow-loss": { "type": "boolean", "default": false },
                    "strict": { "type": "boolean", "default": false },
                },
            },
        })),
        "Rollback": sent(&["type", "relationships"], &json!({
            "type": { "const": "state-versions" },
            "relationships": {
                "type": "object",
                "required": ["rollback-state-version"],
                "properties": { "rollback-state-version": { "type": "object" } },
            },
        })),
    })
}
