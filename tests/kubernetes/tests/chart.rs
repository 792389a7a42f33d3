//! The Helm chart of the service, installed into a real kube-apiserver; a server starts with what a
//! pod would have.
//!
//! `.ci/full` fetches helm, builds both servers, and runs these: `UPSTATE_HELM` and
//! `UPSTATE_SERVER` name the programs.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    dead_code,
    reason = "tests"
)]

mod cluster;

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use cluster::{Cluster, Running, free_port};

const TOKEN: &str = "a token that an owner chose";

fn chart() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../server/deploy/chart")
}

fn program(variable: &str) -> PathBuf {
    PathBuf::from(
        std::env::var_os(variable)
            .unwrap_or_else(|| panic!("{variable} names the program, as in `.ci/full`")),
    )
}

fn helm(cluster: &Cluster, arguments: &[&str]) -> Output {
    let mut command = Command::new(program("UPSTATE_HELM"));
    command
        .arg("--kubeconfig")
        .arg(cluster.config())
        .args(arguments);
    // Helm keeps caches at home otherwise.
    for folder in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
        command.env(folder, cluster.config().with_file_name("helm"));
    }
    command.output().unwrap()
}

/// Installs the chart with the values of a file of `ci/`, and answers with the deployment.
async fn install(cluster: &Cluster, values: &str, set: &str) -> Value {
    let (folder, file) = (chart(), chart().join(format!("ci/{values}-values.yaml")));
    let (folder, file) = (folder.to_str().unwrap(), file.to_str().unwrap());
    let output = helm(
        cluster,
        &["install", values, folder, "--values", file, "--set", set],
    );
    assert!(
        output.status.success(),
        "{values}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let path = format!("/apis/apps/v1/namespaces/default/deployments/{values}-upstate-server");
    cluster.done("GET", &path, &Value::Null).await
}

/// Each variable of the container with its value; secrets have those of `secrets`.
fn environment(container: &Value, secrets: &Value) -> Vec<(String, String)> {
    let value = |variable: &Value| match &variable["valueFrom"]["secretKeyRef"]["key"] {
        Value::String(key) => secrets[key]
            .as_str()
            .unwrap_or_else(|| panic!("no secret {key}"))
            .to_owned(),
        _ => variable["value"].as_str().unwrap().to_owned(),
    };
    let variables = container["env"].as_array().unwrap();
    variables
        .iter()
        .map(|variable| {
            (
                variable["name"].as_str().unwrap().to_owned(),
                value(variable),
            )
        })
        .collect()
}

/// Writes the files that the volumes of the pod hold, below `root`.
async fn mount(cluster: &Cluster, pod: &Value, secrets: &Value, root: &Path) {
    for mount in pod["containers"][0]["volumeMounts"].as_array().unwrap() {
        let folder = root.join(mount["mountPath"].as_str().unwrap().trim_start_matches('/'));
        std::fs::create_dir_all(&folder).unwrap();
        let volume = pod["volumes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|volume| volume["name"] == mount["name"])
            .unwrap();
        if let Some(name) = volume["configMap"]["name"].as_str() {
            let map = cluster
                .done(
                    "GET",
                    &format!("/api/v1/namespaces/default/configmaps/{name}"),
                    &Value::Null,
                )
                .await;
            for (file, text) in map["data"].as_object().unwrap() {
                std::fs::write(folder.join(file), text.as_str().unwrap()).unwrap();
            }
        }
        for item in volume["secret"]["items"].as_array().into_iter().flatten() {
            let text = secrets[item["key"].as_str().unwrap()].as_str().unwrap();
            std::fs::write(folder.join(item["path"].as_str().unwrap()), text).unwrap();
        }
    }
}

async fn status(port: u16, path: &str, token: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let head = format!(
        "GET {path} HTTP/1.0\r\nhost: state.example.com\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer
        .lines()
        .next()
        .unwrap_or_default()
        .split(' ')
        .nth(1)
        .unwrap_or_default()
        .to_owned())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs helm and a kube-apiserver, which `.ci/full` has"]
async fn a_pod_of_the_chart_is_a_server_that_is_ready() {
    let cluster = Cluster::start().await;
    let set = "encryption.secret=upstate,owner.secret=upstate,settings.audit-days=400,settings.max-state-mib=2000000,settings.init-org=acme";
    let deployment = install(&cluster, "folder", set).await;
    let pod = &deployment["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    assert_eq!(
        (
            &deployment["spec"]["replicas"],
            &deployment["spec"]["strategy"]["type"]
        ),
        (&json!(1), &json!("Recreate"))
    );

    let folder = tempfile::tempdir().unwrap();
    let secrets =
        json!({"keys": base64::engine::general_purpose::STANDARD.encode([7; 32]), "token": TOKEN});
    mount(&cluster, pod, &secrets, folder.path()).await;
    let (api, metrics) = (free_port(), free_port());
    let mut command = Command::new(program("UPSTATE_SERVER"));
    command
        .env_clear()
        .stderr(Stdio::piped())
        .stdout(Stdio::null());
    command.args(
        container["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|argument| argument.as_str().unwrap()),
    );
    for (name, value) in environment(container, &secrets) {
        let value = match value.as_str() {
            "0.0.0.0:8080" => format!("127.0.0.1:{api}"),
            "0.0.0.0:9090" => format!("127.0.0.1:{metrics}"),
            path if path.starts_with('/') => folder
                .path()
                .join(path.trim_start_matches('/'))
                .display()
                .to_string(),
            other => other.to_owned(),
        };
        command.env(name, value);
    }
    let mut server = Running(command.spawn().unwrap());

    // The probes of the pod, and what a client asks first.
    let probe = |name: &str| {
        container[name]["httpGet"]["path"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let begun = Instant::now();
    while status(metrics, &probe("readinessProbe"), "")
        .await
        .unwrap_or_default()
        != "200"
    {
        if begun.elapsed() > Duration::from_secs(30) || server.0.try_wait().unwrap().is_some() {
            let _ = server.0.kill();
            let log = BufReader::new(server.0.stderr.take().unwrap())
                .lines()
                .map_while(Result::ok)
                .collect::<Vec<_>>();
            panic!("the server is not ready: {}", log.join("\n"));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for name in ["livenessProbe", "startupProbe"] {
        assert_eq!(
            status(metrics, &probe(name), "").await.unwrap(),
            "200",
            "{name}"
        );
    }
    assert_eq!(
        status(api, "/api/v2/organizations/acme", TOKEN)
            .await
            .unwrap(),
        "200"
    );
    assert_eq!(
        status(api, "/api/v2/organizations/acme", "another")
            .await
            .unwrap(),
        "401"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs helm and a kube-apiserver, which `.ci/full` has"]
async fn kubernetes_takes_every_object_of_the_chart() {
    let cluster = Cluster::start().await;
    let deployment = install(&cluster, "database", "replicas=4").await;
    assert_eq!(deployment["spec"]["replicas"], 4);
    let ingress = "/apis/networking.k8s.io/v1/namespaces/default/ingresses/database-upstate-server";
    assert_eq!(
        cluster.done("GET", ingress, &Value::Null).await["spec"]["rules"][0]["host"],
        "state.example.com"
    );
    let budget =
        "/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets/database-upstate-server";
    assert_eq!(
        cluster.done("GET", budget, &Value::Null).await["spec"]["maxUnavailable"],
        1
    );

    // The objects of Prometheus' operator have kinds of their own, which this cluster lacks.
    let deployment = install(
        &cluster,
        "tls",
        "monitoring.serviceMonitor=false,monitoring.alerts=false",
    )
    .await;
    let variables = environment(
        &deployment["spec"]["template"]["spec"]["containers"][0],
        &Value::Null,
    );
    let arn = "arn:aws:kms:eu-central-1:111122223333:key/";
    let keys = (
        "UPSTATE_ENCRYPTION_AWS_KMS".to_owned(),
        format!("{arn}1234abcd-12ab-34cd-56ef-1234567890ab,{arn}5678"),
    );
    assert!(variables.contains(&keys), "{variables:?}");

    // Changed settings start the pods again; and the states outlive the release.
    install(&cluster, "folder", "settings.audit-days=1").await;
    let folder = chart();
    let (folder, values) = (
        folder.to_str().unwrap(),
        folder.join("ci/folder-values.yaml"),
    );
    let path = "/apis/apps/v1/namespaces/default/deployments/folder-upstate-server";
    let template = cluster.done("GET", path, &Value::Null).await["spec"]["template"].clone();
    let arguments = [
        "upgrade",
        "folder",
        folder,
        "--values",
        values.to_str().unwrap(),
        "--set",
        "settings.audit-days=2",
    ];
    assert!(helm(&cluster, &arguments).status.success());
    assert_ne!(
        cluster.done("GET", path, &Value::Null).await["spec"]["template"],
        template
    );
    assert!(helm(&cluster, &["uninstall", "folder"]).status.success());
    cluster
        .done(
            "GET",
            "/api/v1/namespaces/default/persistentvolumeclaims/folder-upstate-server",
            &Value::Null,
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it needs helm, which `.ci/full` has"]
async fn helm_refuses_what_would_not_start() {
    let cases = [
        (
            "url=",
            "url: https:// and the host under which clients reach the service",
        ),
        (
            "url=http://state.example.com",
            "url: Does not match pattern",
        ),
        (
            "image.repository=",
            "image.repository: where the image is that server/deploy/Dockerfile builds",
        ),
        (
            "bucket.url=s3://states",
            "a bucket is for the bytes of a database: set database.secret, too",
        ),
        (
            "encryption.secret=x,encryption.awsKms={arn:aws:kms:eu-central-1:1:key/2}",
            "one service has the keys: set",
        ),
        (
            "encryption.awsKms={alias/upstate}",
            "encryption.awsKms.0: Does not match pattern",
        ),
        ("settings.data=/elsewhere", "settings"),
        (
            "databases.secret=x",
            "Additional property databases is not allowed",
        ),
        ("replicas=0", "replicas: Must be greater than or equal to 1"),
    ];
    for (set, expected) in cases {
        let mut command = Command::new(program("UPSTATE_HELM"));
        command
            .args(["template", "state"])
            .arg(chart())
            .arg("--values")
            .arg(chart().join("ci/folder-values.yaml"));
        let output = command.args(["--set", set]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && error.contains(expected),
            "{set}: {error}"
        );
    }
}
