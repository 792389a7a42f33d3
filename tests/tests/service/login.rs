//! `terraform login` of the real Terraform, with this test in place of the browser.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;

use ureq::Agent;

use super::folder::{Folder, HOST};
use super::real::terraform::{V1_6, V1_10, V1_15};
use super::service::{Service, TOKEN};

/// The value of an attribute behind a part of a page.
fn behind<'p>(page: &'p str, part: &str) -> &'p str {
    let (_, rest) = page
        .split_once(part)
        .unwrap_or_else(|| panic!("{part:?} is not in {page}"));
    rest.split('"').next().unwrap()
}

/// Signs in with a token, agrees, and goes back to Terraform.
fn agree(url: &str, page: &str) {
    let agent: Agent = Agent::config_builder()
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .build()
        .into();
    let form = "application/x-www-form-urlencoded";
    let signed = agent
        .post(format!("{url}/ui/sign-in"))
        .content_type(form)
        .send(format!("token={TOKEN}"))
        .unwrap();
    let cookie = signed.headers()["set-cookie"]
        .to_str()
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let asked = agent
        .get(page)
        .header("cookie", &cookie)
        .call()
        .unwrap()
        .body_mut()
        .read_to_string()
        .unwrap();
    let csrf = behind(&asked, "name=\"csrf\" value=\"");
    let sent = format!("{}&csrf={csrf}", page.split_once('?').unwrap().1);
    let agreed = agent
        .post(format!("{url}/oauth/authorization"))
        .header("cookie", &cookie)
        .content_type(form)
        .send(sent);
    let agreed = agreed.unwrap().body_mut().read_to_string().unwrap();
    let back = behind(&agreed, "id=\"go\" href=\"").replace("&amp;", "&");
    // An answer that is cut off is none of ours, because Terraform closes its listener once it has
    // the code; its exit says whether it has.
    match agent.get(back).call() {
        Ok(answer) => assert_eq!(answer.status(), 200),
        Err(ureq::Error::Io(_)) => {}
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn terraform_logs_in_on_the_page() {
    let service = Service::start();
    let url = service.url();
    for release in [V1_15, V1_10, V1_6] {
        let folder = Folder::with(release, url);
        std::fs::create_dir(folder.path("../home/.terraform.d")).unwrap();
        let settings = format!(
            "disable_checkpoint = true\nhost \"{HOST}\" {{\n  services = {{\n    \"tfe.v2\" = \"{url}/api/v2/\"\n    \"login.v1\" = {{\n      \
             client = \"terraform-cli\", grant_types = [\"authz_code\"], ports = [10000, 10010],\n      authz = \
             \"{url}/oauth/authorization\", token = \"{url}/oauth/token\"\n    }}\n  }}\n}}\n"
        );
        folder.write("login.tfrc", &settings);
        let mut command = folder.command(&["login", HOST]);
        command
            .env("TF_CLI_CONFIG_FILE", folder.path("login.tfrc"))
            .env_remove("TF_INPUT")
            .env_remove("TF_IN_AUTOMATION");
        let mut terraform = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        terraform
            .stdin
            .as_mut()
            .unwrap()
            .write_all(b"yes\n")
            .unwrap();
        let mut lines = BufReader::new(terraform.stdout.take().unwrap());
        let mut printed = String::new();
        while !printed.contains("/oauth/authorization?") {
            assert_ne!(
                lines.read_line(&mut printed).unwrap(),
                0,
                "Terraform ended: {printed}"
            );
        }
        let page = printed
            .split_whitespace()
            .find(|word| word.contains("/oauth/authorization?"))
            .unwrap();
        agree(url, page);
        lines.read_to_string(&mut printed).unwrap();
        assert!(terraform.wait().unwrap().success(), "{printed}");
        let kept =
            std::fs::read_to_string(folder.path("../home/.terraform.d/credentials.tfrc.json"))
                .unwrap();
        let token = behind(kept.split_once("\"token\"").unwrap().1, "\"");
        assert!(token.starts_with("upstate.") && token != TOKEN, "{kept}");
        let account = ureq::get(format!("{url}/api/v2/account/details"))
            .header("authorization", format!("Bearer {token}"))
            .call();
        assert_eq!(account.unwrap().status(), 200);
    }
}
