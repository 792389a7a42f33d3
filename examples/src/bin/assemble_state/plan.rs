//! What the state file holds.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

use serde_json::{Value, json};
use upstate::UpgradeRequest;
use upstate_examples::MODELS;

use crate::cases::{Cases, Side};
use crate::file::{CheckResult, CheckedObject, Instance, Output, Resource, State, Step};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The private data an SDK provider keeps with an instance: null before the first schema version, `{"schema_version":"…"}` after.
const PRIVATE: [&str; 4] = [
    "bnVsbA==",
    "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ==",
    "eyJzY2hlbWFfdmVyc2lvbiI6IjIifQ==",
    "eyJzY2hlbWFfdmVyc2lvbiI6IjMifQ==",
];

/// An instance to take from a case.
struct Stored {
    case: &'static str,
    side: Side,
    key: Value,
    texts: &'static [(&'static str, &'static str)],
    sensitive: &'static [&'static str],
    rest: Instance,
}

/// The state that case `case` begins with, with some attributes filled in.
fn before(case: &'static str, texts: &'static [(&'static str, &'static str)]) -> Stored {
    Stored {
        case,
        side: Side::Before,
        key: Value::Null,
        texts,
        sensitive: &[],
        rest: Instance::default(),
    }
}

/// The state that case `case` ends with.
fn after(case: &'static str, texts: &'static [(&'static str, &'static str)]) -> Stored {
    Stored {
        side: Side::After,
        ..before(case, texts)
    }
}

impl Stored {
    fn key(self, key: impl Into<Value>) -> Self {
        Self {
            key: key.into(),
            ..self
        }
    }

    fn sensitive(self, sensitive: &'static [&'static str]) -> Self {
        Self { sensitive, ..self }
    }

    fn rest(self, rest: Instance) -> Self {
        Self { rest, ..self }
    }

    fn resolve(self, type_name: &str, cases: &Cases) -> Outcome<Instance> {
        let (version, attributes) =
            cases.attributes(type_name, self.case, self.side, self.texts)?;
        let keeps_private =
            !type_name.starts_with("elasticstack_") && !type_name.starts_with("launchdarkly_");
        Ok(Instance {
            index_key: Some(self.key).filter(|key| !key.is_null()),
            schema_version: version,
            attributes: Some(attributes),
            sensitive_attributes: self
                .sensitive
                .iter()
                .map(|name| attribute_path(name))
                .collect(),
            private: PRIVATE
                .get(usize::try_from(version)?)
                .copied()
                .filter(|_| keeps_private),
            ..self.rest
        })
    }

    fn depends_on(mut self, dependencies: &[&'static str]) -> Self {
        self.rest.dependencies = dependencies.to_vec();
        self
    }
}

/// A resource whose instances come from cases.
struct Planned {
    module: &'static str,
    type_name: &'static str,
    name: &'static str,
    stored: Vec<Stored>,
}

impl Planned {
    fn holds(&mut self, stored: Stored) -> &mut Self {
        self.stored.push(stored);
        self
    }

    fn resolve(self, cases: &Cases) -> Outcome<Resource> {
        let Self {
            module,
            type_name,
            name,
            stored,
        } = self;
        let instances = stored
            .into_iter()
            .map(|stored| stored.resolve(type_name, cases))
            .collect::<Outcome<_>>()?;
        Ok(resource(module, "managed", type_name, name, instances))
    }
}

#[derive(Default)]
struct Plan(Vec<Planned>);

impl Plan {
    /// Adds a resource; an empty `module` is the root.
    #[expect(clippy::indexing_slicing, reason = "it was just pushed")]
    fn resource(
        &mut self,
        module: &'static str,
        type_name: &'static str,
        name: &'static str,
    ) -> &mut Planned {
        let index = self.0.len();
        self.0.push(Planned {
            module,
            type_name,
            name,
            stored: Vec::new(),
        });
        &mut self.0[index]
    }
}

fn resource(
    module: &'static str,
    mode: &'static str,
    type_name: &'static str,
    name: &'static str,
    instances: Vec<Instance>,
) -> Resource {
    let module = Some(module).filter(|module| !module.is_empty());
    Resource {
        module,
        mode,
        type_name,
        name,
        provider: provider(type_name),
        instances,
    }
}

fn attribute_path(name: &'static str) -> Vec<Step> {
    vec![Step {
        kind: "get_attr",
        value: name,
    }]
}

fn provider(type_name: &str) -> String {
    let short = type_name.split('_').next().unwrap_or(type_name);
    let namespace = match short {
        "aiven" | "cloudflare" | "databricks" | "digitalocean" | "grafana" | "launchdarkly"
        | "linode" | "newrelic" | "scaleway" => short,
        "mongodbatlas" => "mongodb",
        "docker" => "kreuzwerker",
        "elasticstack" => "elastic",
        "github" => "integrations",
        "rancher2" => "rancher",
        "scalr" => "Scalr",
        "snowflake" => "snowflakedb",
        _ => "hashicorp",
    };
    format!(r#"provider["registry.terraform.io/{namespace}/{short}"]"#)
}

pub(crate) fn state(cases: &Cases) -> Outcome<State> {
    let mut plan = Plan::default();
    shared(&mut plan);
    machines(&mut plan);
    databases(&mut plan);
    azure(&mut plan);
    search(&mut plan);
    warehouse(&mut plan);
    let mut resources: Vec<Resource> = plan
        .0
        .into_iter()
        .map(|planned| planned.resolve(cases))
        .collect::<Outcome<_>>()?;
    let planned: BTreeSet<&str> = resources
        .iter()
        .map(|resource| resource.type_name)
        .collect();
    let rest = MODELS
        .iter()
        .map(|model| model.type_name)
        .filter(|type_name| !planned.contains(type_name));
    let rest: Vec<Resource> = rest
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|type_name| all_cases(type_name, cases))
        .collect::<Outcome<_>>()?;
    resources.extend(
        rest.into_iter()
            .filter(|resource| !resource.instances.is_empty()),
    );
    resources.extend(unregistered());
    resources.sort_by_key(|resource| {
        (
            resource.module,
            resource.mode,
            resource.type_name,
            resource.name,
        )
    });
    Ok(State {
        version: 4,
        terraform_version: "1.13.4",
        serial: 1187,
        lineage: "6f1a2c0e-4d3b-9a77-51c8-0be2d9f4a613",
        outputs: outputs(),
        resources,
        check_results: check_results(),
    })
}

/// The root module: what every part of the company uses.
fn shared(plan: &mut Plan) {
    plan.resource("", "aws_key_pair", "deploy")
        .holds(before("aws_key_pair_v0_v1", &[("id", "tf-testing-file")]));
    plan.resource("", "aws_route53_record", "site")
        .holds(
            before(
                "aws_route53_record_v1_v2_weight0",
                &[("id", "Z1_app_A_blue"), ("name", "app")],
            )
            .key("app"),
        )
        .holds(
            before(
                "aws_route53_record_v0_v2_weight_unset",
                &[("id", "Z1_mail_A"), ("name", "mail.example.com.")],
            )
            .key("mail"),
        )
        .holds(
            before(
                "aws_route53_record_v0_v1_dot",
                &[("id", "Z1_www.example.com_A")],
            )
            .key("www"),
        );
    plan.resource("", "digitalocean_certificate", "edge")
        .holds(
            before(
                "digitalocean_certificate_v0_v1",
                &[("private_key", "-----BEGIN PRIVATE KEY-----")],
            )
            .key("blue")
            .sensitive(&["private_key"]),
        )
        .holds(after("digitalocean_certificate_v0_v1", &[]).key("green"));
    plan.resource("", "docker_network", "build")
        .holds(before("docker_network_v0_v1", &[("id", "f3a1")]));
    plan.resource("", "github_actions_organization_secret", "token")
        .holds(
            before("github_actions_organization_secret_v0_v1", &[])
                .key("deploy")
                .sensitive(&["plaintext_value"]),
        )
        .holds(
            before("github_actions_organization_secret_v0_v1_existing", &[])
                .key("publish")
                .sensitive(&["plaintext_value"]),
        );
    plan.resource("", "google_billing_budget", "team")
        .holds(before("google_billing_budget_v0_v1", &[("id", "team")]));
    plan.resource("", "google_kms_crypto_key", "state")
        .holds(
            before(
                "google_kms_crypto_key_v0_v1_three",
                &[("id", "my-project/my-location/my-key-ring/state")],
            )
            .key(0),
        )
        .holds(
            before(
                "google_kms_crypto_key_v0_v1_full",
                &[("id", "my-project/my-location/my-key-ring/backup")],
            )
            .key(1),
        );
    plan.resource("", "google_storage_notification", "uploads")
        .holds(before(
            "google_storage_notification_v0_v1",
            &[("id", "b/notificationConfigs/1")],
        ));
    plan.resource("", "launchdarkly_project", "flags")
        .holds(before("launchdarkly_project_v0_v1", &[]));
    plan.resource("", "newrelic_workflow", "page")
        .holds(before("newrelic_workflow_v0_v1", &[("id", "w-0")]).key(0))
        .holds(before("newrelic_workflow_v0_v1_nested", &[("id", "w-1")]).key(1));
}

/// Virtual machines and what runs on them, counted: with a machine that is to be replaced, and one left over from a replacement.
fn machines(plan: &mut Plan) {
    let identity = json!({ "account_id": "123456789012", "id": "i-0c0ffee0000000001", "region": "eu-central-1" });
    plan.resource("", "aws_instance", "web")
        .holds(
            before("aws_instance_v0_v1", &[("id", "i-0c0ffee0000000000")])
                .key(0)
                .depends_on(&["aws_key_pair.deploy"]),
        )
        .holds(
            before("aws_instance_v1_v2_both", &[("id", "i-0c0ffee0000000001")])
                .key(1)
                .rest(Instance {
                    identity: Some(identity),
                    dependencies: vec!["aws_key_pair.deploy"],
                    create_before_destroy: true,
                    ..Instance::default()
                }),
        )
        .holds(
            before("aws_instance_v1_v2_core", &[("id", "i-0c0ffee00000000d1")])
                .key(1)
                .rest(Instance {
                    deposed: Some("8f3b9c1e"),
                    create_before_destroy: true,
                    ..Instance::default()
                }),
        )
        .holds(
            before(
                "aws_instance_v1_v2_existing",
                &[("id", "i-0c0ffee0000000002")],
            )
            .key(2)
            .rest(Instance {
                status: Some("tainted"),
                ..Instance::default()
            }),
        )
        .holds(
            after(
                "aws_instance_v1_v2_partial",
                &[("id", "i-0c0ffee0000000003")],
            )
            .key(3),
        );
    plan.resource("", "google_compute_instance_template", "batch")
        .holds(
            before(
                "google_compute_instance_template_v0_v1_host_maintenance",
                &[("id", "batch-0")],
            )
            .key(0),
        )
        .holds(
            before(
                "google_compute_instance_template_v0_v1_absent",
                &[("id", "batch-1")],
            )
            .key(1),
        );
    plan.resource("", "linode_nodebalancer_config", "http")
        .holds(
            before(
                "linode_nodebalancer_config_v0_v1_values",
                &[("id", "12001"), ("ssl_key", "-----BEGIN PRIVATE KEY-----")],
            )
            .key("http")
            .sensitive(&["ssl_key"]),
        )
        .holds(before("linode_nodebalancer_config_v0_v1_empty", &[("id", "12002")]).key("https"));
    plan.resource("module.cluster", "kubernetes_deployment", "app")
        .holds(before(
            "kubernetes_deployment_v0_v1_full",
            &[("id", "default/app")],
        ));
    plan.resource("module.cluster", "kubernetes_deployment", "worker")
        .holds(before(
            "kubernetes_deployment_v0_v1_empty",
            &[("id", "default/worker")],
        ));
}

/// That, two modules deep in two regions.
fn databases(plan: &mut Plan) {
    plan.resource(
        r#"module.app["eu"].module.db[0]"#,
        "aws_db_instance",
        "main",
    )
    .holds(
        before("aws_db_instance_v0_v2", &[])
            .sensitive(&["password"])
            .depends_on(&["random_password.db"]),
    );
    plan.resource(
        r#"module.app["us"].module.db[0]"#,
        "aws_db_instance",
        "main",
    )
    .holds(
        before("aws_db_instance_v1_v2", &[])
            .sensitive(&["password"])
            .depends_on(&["random_password.db"]),
    );
    plan.resource(
        r#"module.app["us"].module.db[0]"#,
        "aws_db_instance",
        "replica",
    )
    .holds(
        after("aws_db_instance_v0_v2", &[])
            .sensitive(&["password"])
            .depends_on(&["module.app.module.db.aws_db_instance.main"]),
    );
    plan.resource(
        r#"module.app["eu"].module.db[0]"#,
        "aws_elasticache_replication_group",
        "cache",
    )
    .holds(before(
        "aws_elasticache_replication_group_v1_v3",
        &[("id", "cache-eu")],
    ));
    plan.resource(
        r#"module.app["us"].module.db[0]"#,
        "aws_elasticache_replication_group",
        "cache",
    )
    .holds(
        before(
            "aws_elasticache_replication_group_v1_v2",
            &[("id", "cache-us-0")],
        )
        .key(0)
        .sensitive(&["auth_token"]),
    )
    .holds(
        before(
            "aws_elasticache_replication_group_v2_v3_token",
            &[("id", "cache-us-1")],
        )
        .key(1)
        .sensitive(&["auth_token"]),
    );
    plan.resource(r#"module.app["eu"]"#, "aiven_pg", "events")
        .holds(
            before(
                "aiven_pg_v0_v1",
                &[
                    ("id", "example/events"),
                    ("service_password", "correct horse"),
                ],
            )
            .sensitive(&["service_password"]),
        );
}

fn azure(plan: &mut Plan) {
    let module = "module.azure";
    plan.resource(module, "azurerm_application_insights_api_key", "ci")
        .holds(
            before(
                "azurerm_application_insights_api_key_v0_v1",
                &[("api_key", "battery staple"), ("name", "ci")],
            )
            .key(0)
            .sensitive(&["api_key"]),
        )
        .holds(
            before(
                "azurerm_application_insights_api_key_v1_v2",
                &[("name", "cd")],
            )
            .key(1),
        );
    plan.resource(module, "azurerm_cdn_endpoint", "static")
        .holds(before(
            "azurerm_cdn_endpoint_v0_v1",
            &[("name", "endpoint1"), ("profile_name", "profile1")],
        ));
    plan.resource(
        module,
        "azurerm_frontdoor_custom_https_configuration",
        "static",
    )
    .holds(before(
        "azurerm_frontdoor_custom_https_configuration_v0_v1",
        &[],
    ));
    plan.resource(module, "azurerm_frontdoor_firewall_policy", "static")
        .holds(before(
            "azurerm_frontdoor_firewall_policy_v0_v1",
            &[("name", "policy1")],
        ));
    plan.resource(module, "azurerm_storage_account", "logs")
        .holds(
            before(
                "azurerm_storage_account_v0_v3",
                &[("id", "logs"), ("primary_access_key", "c2VjcmV0")],
            )
            .sensitive(&["primary_access_key"]),
        );
    plan.resource(module, "azurerm_storage_share", "logs")
        .holds(
            before("azurerm_storage_share_v0_v2", &[])
                .key("daily")
                .depends_on(&["module.azure.azurerm_storage_account.logs"]),
        )
        .holds(
            after("azurerm_storage_share_v0_v1", &[])
                .key("weekly")
                .depends_on(&["module.azure.azurerm_storage_account.logs"]),
        );
    plan.resource(module, "azurerm_synapse_role_assignment", "analysts")
        .holds(before(
            "azurerm_synapse_role_assignment_v0_v1",
            &[("id", "workspace1|r-1")],
        ));
}

fn search(plan: &mut Plan) {
    let module = "module.search";
    plan.resource(module, "elasticstack_elasticsearch_index_template", "logs")
        .holds(
            before(
                "elasticstack_elasticsearch_index_template_v0_v1_data_stream",
                &[],
            )
            .key("audit"),
        )
        .holds(before("elasticstack_elasticsearch_index_template_v0_v1_deep", &[]).key("web"));
    plan.resource(
        module,
        "elasticstack_elasticsearch_security_api_key",
        "ingest",
    )
    .holds(
        before(
            "elasticstack_elasticsearch_security_api_key_v0_v1",
            &[("api_key", "ui2lp2axTNmsyakw9tvNnw")],
        )
        .key(0)
        .sensitive(&["api_key"]),
    )
    .holds(
        before(
            "elasticstack_elasticsearch_security_api_key_v1_v2_absent",
            &[],
        )
        .key(1),
    )
    .holds(
        after(
            "elasticstack_elasticsearch_security_api_key_v1_v2_kept",
            &[],
        )
        .key(2),
    );
    plan.resource(module, "elasticstack_elasticsearch_transform", "daily")
        .holds(before("elasticstack_elasticsearch_transform_v0_v1", &[]));
    plan.resource(module, "elasticstack_kibana_alerting_rule", "errors")
        .holds(before("elasticstack_kibana_alerting_rule_v0_v1", &[]));
    plan.resource(module, "elasticstack_kibana_slo", "latency")
        .holds(before(
            "elasticstack_kibana_slo_v0_v2",
            &[("id", "default/latency")],
        ));
}

fn warehouse(plan: &mut Plan) {
    let module = "module.warehouse";
    plan.resource(module, "databricks_cluster_policy", "jobs")
        .holds(before("databricks_cluster_policy_v0_v1_zero", &[("id", "A1")]).key("free"))
        .holds(before("databricks_cluster_policy_v0_v1_one", &[("id", "A2")]).key("limited"));
    plan.resource(module, "snowflake_row_access_policy", "tenants")
        .holds(before("snowflake_row_access_policy_v0_v1", &[]));
    plan.resource(module, "snowflake_schema", "raw")
        .holds(before("snowflake_schema_v0_v2", &[]));
    plan.resource(module, "snowflake_scim_integration", "staff")
        .holds(before(
            "snowflake_scim_integration_v0_v2",
            &[("id", "STAFF")],
        ));
}

/// Every stored state of a resource that has no place above, if it upgrades without asking the provider's API.
fn all_cases(type_name: &'static str, cases: &Cases) -> Outcome<Resource> {
    let registry = upstate_examples::registry();
    let mut instances = Vec::new();
    for id in cases.of(type_name) {
        let (version, attributes) = cases.attributes(type_name, id, Side::Before, &[])?;
        let stored = attributes.to_string();
        if registry
            .upgrade(&UpgradeRequest::json(type_name, version, stored.as_bytes()))
            .state()
            .is_none()
        {
            continue;
        }
        let model = MODELS
            .iter()
            .find(|model| model.type_name == type_name)
            .ok_or("it was listed")?;
        let sensitive = model
            .definition
            .schema()
            .block()
            .attributes()
            .iter()
            .filter(|attribute| attribute.is_sensitive());
        instances.push(Instance {
            index_key: Some(Value::from(instances.len())),
            schema_version: version,
            attributes: Some(attributes),
            sensitive_attributes: sensitive
                .map(|attribute| attribute_path(attribute.name()))
                .collect(),
            ..Instance::default()
        });
    }
    Ok(resource(
        "module.rest",
        "managed",
        type_name,
        "this",
        instances,
    ))
}

/// Data resources, and types that no model in this package describes.
fn unregistered() -> Vec<Resource> {
    let stored = |attributes: Value| Instance {
        attributes: Some(attributes),
        ..Instance::default()
    };
    let caller = stored(json!({
        "account_id": "123456789012",
        "arn": "arn:aws:iam::123456789012:user/terraform",
        "id": "123456789012",
        "user_id": "AIDA0000000000000000",
    }));
    // A registered type, but only looked up: upgrades are for managed resources.
    let bastion = stored(
        json!({ "id": "i-0bead00000000000", "instance_tags": { "Name": "bastion <eu & us>" } }),
    );
    let password = Instance {
        schema_version: 3,
        sensitive_attributes: vec![attribute_path("bcrypt_hash"), attribute_path("result")],
        ..stored(json!({
            "bcrypt_hash": "$2a$10$N9qo8uLOickgx2ZMRZoMye",
            "id": "none",
            "length": 24,
            "result": "tr0ub4dor&3",
            "special": true,
        }))
    };
    // Written by a release from before JSON attributes, and never touched since.
    let bootstrap = Instance {
        attributes_flat: Some(BTreeMap::from([
            ("id", "5577006791947779410"),
            ("triggers.%", "1"),
            ("triggers.step", "1"),
        ])),
        ..Instance::default()
    };
    let created = stored(json!({
        "day": 3,
        "id": "2024-05-03T08:12:44Z",
        "rfc3339": "2024-05-03T08:12:44Z",
        "triggers": null,
        "unix": 1_714_723_964,
        "year": 2024,
    }));
    vec![
        resource("", "data", "aws_caller_identity", "current", vec![caller]),
        resource("", "data", "aws_instance", "bastion", vec![bastion]),
        resource("", "managed", "random_password", "db", vec![password]),
        resource("", "managed", "null_resource", "bootstrap", vec![bootstrap]),
        resource(
            r#"module.app["eu"]"#,
            "managed",
            "time_static",
            "created",
            vec![created],
        ),
    ]
}

fn outputs() -> BTreeMap<&'static str, Output> {
    let output = |value: Value, kind: Value, sensitive: bool| Output {
        value,
        kind,
        sensitive,
    };
    BTreeMap::from([
        (
            "database_password",
            output(json!("tr0ub4dor&3"), json!("string"), true),
        ),
        (
            "site",
            output(json!("https://www.example.com"), json!("string"), false),
        ),
        (
            "web_ids",
            output(
                json!(["i-0c0ffee0000000000", "i-0c0ffee0000000001"]),
                json!(["tuple", ["string", "string"]]),
                false,
            ),
        ),
    ])
}

fn check_results() -> Vec<CheckResult> {
    let object = |object_addr, status, failure_messages| CheckedObject {
        object_addr,
        status,
        failure_messages,
    };
    vec![
        CheckResult {
            object_kind: "check",
            config_addr: "check.site_answers",
            status: "pass",
            objects: vec![object("check.site_answers", "pass", Vec::new())],
        },
        CheckResult {
            object_kind: "resource",
            config_addr: "aws_instance.web",
            status: "fail",
            objects: vec![
                object("aws_instance.web[0]", "pass", Vec::new()),
                object(
                    "aws_instance.web[2]",
                    "fail",
                    vec!["The machine must have an encrypted disk."],
                ),
            ],
        },
    ]
}
