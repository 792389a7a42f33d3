//! `cloudflare_workers_script`: ten kinds of binding blocks became one list, whose elements say of which kind they are.

use upstate::{Object, Resource};

/// A script. Whether it is a module was a flag; now one of two attributes names its entry file.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "cloudflare_workers_script", version = 500)]
#[upgrade_from(0 => 500,
    rename(name => script_name),
    copy(module: Option<bool> => main_module, module => body_part),
    values(main_module, true => "worker.js", false => null),
    values(body_part, false => "worker.js", true => null),
    merge(
        plain_text_binding: Option<Vec<TextBinding>>,
        secret_text_binding: Option<Vec<SecretTextBinding>>,
        kv_namespace_binding: Option<Vec<KvNamespaceBinding>>,
        webassembly_binding: Option<Vec<WebassemblyBinding>>,
        service_binding: Option<Vec<ServiceBinding>>,
        r2_bucket_binding: Option<Vec<R2BucketBinding>>,
        analytics_engine_binding: Option<Vec<AnalyticsEngineBinding>>,
        queue_binding: Option<Vec<QueueBinding>>,
        d1_database_binding: Option<Vec<D1DatabaseBinding>>,
        hyperdrive_config_binding: Option<Vec<HyperdriveConfigBinding>> => bindings
    ),
    null_if(bindings, []),
    unwrap(placement),
    drop(tags: Option<Vec<String>>, "the API no longer has them on a script"),
    drop(dispatch_namespace: Option<String>, "scripts of a namespace are a resource of their own"),
)]
#[upgrade_from(1 => 500, carry)]
#[upgrade_from(2..=499, never_released)]
pub struct WorkersScript {
    #[attribute(computed)]
    pub id: Option<String>,
    pub account_id: String,
    pub bindings: Option<Vec<Binding>>,
    pub body_part: Option<String>,
    pub content: Option<String>,
    pub main_module: Option<String>,
    pub placement: Option<Placement>,
    pub script_name: String,
}

/// What a script can reach under a name.
#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = TextBinding,
    set(r#type = "plain_text"),
    set((bucket_name, dataset, environment, id, namespace_id, part, queue_name, service) = null),
)]
#[upgrade_from(model = SecretTextBinding,
    set(r#type = "secret_text"),
    set((bucket_name, dataset, environment, id, namespace_id, part, queue_name, service) = null),
)]
#[upgrade_from(model = KvNamespaceBinding,
    set(r#type = "kv_namespace"),
    set((bucket_name, dataset, environment, id, part, queue_name, service, text) = null),
)]
#[upgrade_from(model = WebassemblyBinding,
    set(r#type = "wasm_module"),
    rename(module => part),
    set((bucket_name, dataset, environment, id, namespace_id, queue_name, service, text) = null),
)]
#[upgrade_from(model = ServiceBinding,
    set(r#type = "service"),
    set((bucket_name, dataset, id, namespace_id, part, queue_name, text) = null),
)]
#[upgrade_from(model = R2BucketBinding,
    set(r#type = "r2_bucket"),
    set((dataset, environment, id, namespace_id, part, queue_name, service, text) = null),
)]
#[upgrade_from(model = AnalyticsEngineBinding,
    set(r#type = "analytics_engine"),
    set((bucket_name, environment, id, namespace_id, part, queue_name, service, text) = null),
)]
#[upgrade_from(model = QueueBinding,
    set(r#type = "queue"),
    rename(binding => name, queue => queue_name),
    set((bucket_name, dataset, environment, id, namespace_id, part, service, text) = null),
)]
#[upgrade_from(model = D1DatabaseBinding,
    set(r#type = "d1"),
    rename(database_id => id),
    set((bucket_name, dataset, environment, namespace_id, part, queue_name, service, text) = null),
)]
#[upgrade_from(model = HyperdriveConfigBinding,
    set(r#type = "hyperdrive"),
    rename(binding => name),
    set((bucket_name, dataset, environment, namespace_id, part, queue_name, service, text) = null),
)]
pub struct Binding {
    pub bucket_name: Option<String>,
    pub dataset: Option<String>,
    pub environment: Option<String>,
    pub id: Option<String>,
    pub name: String,
    pub namespace_id: Option<String>,
    pub part: Option<String>,
    pub queue_name: Option<String>,
    pub service: Option<String>,
    #[attribute(sensitive)]
    pub text: Option<String>,
    pub r#type: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Placement {
    pub mode: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct TextBinding {
    pub name: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct SecretTextBinding {
    pub name: String,
    #[attribute(sensitive)]
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct KvNamespaceBinding {
    pub name: String,
    pub namespace_id: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct WebassemblyBinding {
    pub module: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct ServiceBinding {
    pub environment: Option<String>,
    pub name: String,
    pub service: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct R2BucketBinding {
    pub bucket_name: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct AnalyticsEngineBinding {
    pub dataset: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct QueueBinding {
    pub binding: String,
    pub queue: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct D1DatabaseBinding {
    pub database_id: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct HyperdriveConfigBinding {
    pub binding: String,
    pub id: String,
}
