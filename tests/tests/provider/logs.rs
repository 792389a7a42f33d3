//! What the provider logs, as Terraform shows it.

use super::workspace::Workspace;

fn probe(log: &str) -> Workspace {
    let mut workspace = Workspace::new("quay");
    workspace.write(
        "provider.tf",
        "provider \"quay\" {\n  token = \"t-5520118\"\n}\n",
    );
    workspace.write(
        "main.tf",
        "data \"quay_probe\" \"it\" {\n  behaviour = \"warn\"\n  pin = \"9042-7788\"\n}\n",
    );
    workspace.set("TF_LOG", log);
    workspace
}

/// The lines of the provider's process that hold a string, in Terraform's own log.
fn lines<'l>(log: &'l str, text: &str) -> Vec<&'l str> {
    log.lines()
        .filter(|line| line.contains("terraform-provider-quay") && line.contains(text))
        .collect()
}

/// Terraform shows what it has read by the time it ends, which on a busy machine is sometimes not
/// all of it.
fn logged(workspace: &Workspace, text: &str) -> String {
    let log = (0..10)
        .map(|_| workspace.plan().succeeds().err.clone())
        .find(|log| !lines(log, text).is_empty());
    log.unwrap_or_else(|| panic!("nothing was logged of {text:?}"))
}

#[test]
fn events_have_their_level_and_the_request_that_they_belong_to() {
    let workspace = probe("DEBUG");
    let log = logged(&workspace, "probing");
    let line = lines(&log, "probing")[0];
    for part in [
        "[INFO]",
        ": probing:",
        "@module=provider_under_test::probe",
        "tf_rpc=ReadDataSource",
        "tf_data_source_type=quay_probe",
        "tf_proto_version=6",
        "tf_provider_addr=example.com/upstate/quay",
        "tf_req_id=",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let id = |line: &str| {
        line.split_once("tf_req_id=")
            .unwrap()
            .1
            .split(' ')
            .next()
            .unwrap()
            .to_owned()
    };
    let served: Vec<&str> = lines(&log, "Served request")
        .into_iter()
        .filter(|served| id(served) == id(line))
        .collect();
    let [served] = served[..] else {
        panic!("{served:?}")
    };
    for part in [
        "[DEBUG]",
        "diagnostic_error_count=0",
        "diagnostic_warning_count=1",
        "tf_req_duration_ms=",
    ] {
        assert!(served.contains(part), "{part}: {served}");
    }
    let warning = lines(&log, "Response contains warning diagnostic")[0];
    assert!(
        warning.contains("[WARN]") && warning.contains("diagnostic_summary=\"Shallow Water\""),
        "{warning}"
    );
    assert_eq!(lines(&log, "Received request"), [""; 0], "that is TRACE");
}

#[test]
fn no_line_holds_a_secret() {
    let workspace = probe("TRACE");
    let log = logged(&workspace, "probing");
    assert!(
        lines(&log, "probing")[0].contains("pin=\"(sensitive value)\""),
        "{log}"
    );
    assert!(
        lines(&log, "configured")[0].contains("token=\"(sensitive value)\""),
        "{log}"
    );
    assert!(!lines(&log, "Received request").is_empty());
    for secret in ["9042-7788", "t-5520118"] {
        assert_eq!(lines(&log, secret), [""; 0]);
    }
    // What carries the calls says nothing.
    assert_eq!(lines(&log, "h2::"), [""; 0]);
}

#[test]
fn a_log_that_is_not_asked_for_is_not_there() {
    let mut workspace = probe("WARN");
    let log = logged(&workspace, "configured");
    assert_eq!(lines(&log, "probing"), [""; 0]);
    workspace.set("TF_LOG", "");
    assert_eq!(workspace.plan().succeeds().err, "");
}
