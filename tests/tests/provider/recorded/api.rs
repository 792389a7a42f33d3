//! As much of the APIs of AWS as the questions need: both providers would be refused by the real
//! ones.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value as Json, json};

/// Serves until the process ends, and says where. It refuses what is about the baseline
/// `pb-refused0000000000` or the key pair `refused`.
pub fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(stream.unwrap()));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut target, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line.trim().is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "x-amz-target" => target = Some(value.trim().to_owned()),
            "content-length" => length = value.trim().parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let (status, kind, body) = match target {
        Some(target) => {
            let (status, body) = systems_manager(&target, &serde_json::from_slice(&body).unwrap());
            (status, "application/x-amz-json-1.1", body.to_string())
        }
        None => {
            let (status, body) = key_pairs(&String::from_utf8(body).unwrap());
            (status, "text/xml", body)
        }
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).unwrap();
}

fn systems_manager(target: &str, request: &Json) -> (&'static str, Json) {
    let refused = (
        "400 Bad Request",
        json!({"__type": "ValidationException", "message": "no"}),
    );
    let mapping = |group: &str| json!({"PatchGroup": group, "BaselineIdentity": {"BaselineId": "pb-0123456789abcdef0"}});
    match target {
        _ if request["BaselineId"] == "pb-refused0000000000" => refused,
        "AmazonSSM.RegisterPatchBaselineForPatchGroup"
        | "AmazonSSM.DeregisterPatchBaselineForPatchGroup" => (
            "200 OK",
            json!({"BaselineId": request["BaselineId"], "PatchGroup": request["PatchGroup"]}),
        ),
        "AmazonSSM.DescribePatchGroups" => (
            "200 OK",
            json!({"Mappings": [mapping("web"), mapping("db")]}),
        ),
        other => panic!("the provider calls {other}"),
    }
}

fn key_pairs(request: &str) -> (&'static str, String) {
    let mut fields = request.split('&');
    if fields.clone().any(|field| field.ends_with("=refused")) {
        let error = "<Code>UnauthorizedOperation</Code><Message>no</Message>";
        let body = format!(
            "<Response><Errors><Error>{error}</Error></Errors><RequestID>r</RequestID></Response>"
        );
        return ("400 Bad Request", body);
    }
    let action = fields
        .find_map(|field| field.strip_prefix("Action="))
        .unwrap();
    let inner = match action {
        "CreateTags" | "DeleteTags" => "<return>true</return>",
        "DescribeKeyPairs" => {
            "<keySet><item><keyPairId>key-1</keyPairId><keyName>k</keyName><keyFingerprint>f</keyFingerprint>\
             <tagSet><item><key>a</key><value>c</value></item></tagSet></item></keySet>"
        }
        other => panic!("the provider calls {other}"),
    };
    let space = "http://ec2.amazonaws.com/doc/2016-11-15/";
    (
        "200 OK",
        format!(
            "<{action}Response xmlns=\"{space}\"><requestId>r</requestId>{inner}</{action}Response>"
        ),
    )
}
