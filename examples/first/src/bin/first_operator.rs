//! The program of `docs/src/start-operator.md`, as the page has it: the test `pages` compares the two and runs it.

use upstate::Document;
use upstate_kube::{Converter, CustomResource, Webhook, webhook};

/// A boat of the ferry.
#[derive(Debug, Clone, PartialEq, Document)]
#[document(type_name = "ferry.boat", version = 2, rename_all = "camelCase")]
#[upgrade_from(1 => 2, rename(name => title), set(crew = []))]
#[upgrade_from(0 => 1, nest(colour => paint))]
#[kube(group = "ferry.example.com", kind = "Boat", short_names("bo"))]
#[kube(version(0 = "v1alpha1", deprecated = "ask for v1"), version(1 = "v1beta1"), version(2 = "v1", storage))]
#[kube(column(name = "Title", path = ".spec.title", type = "string"))]
struct Boat {
    title: String,
    paint: Paint,
    crew: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Document)]
struct Paint {
    colour: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let converter = Converter::new().with::<Boat>()?;
    match std::env::args().nth(1).as_deref() {
        // The CustomResourceDefinition.
        Some("crd") => print!(
            "{}",
            Boat::crd_with(&Webhook::service("ferry", "boat-webhook"))?.to_yaml()
        ),
        // One ConversionReview, from standard input to standard output.
        Some("review") => {
            let review = std::io::read_to_string(std::io::stdin())?;
            println!(
                "{}",
                std::str::from_utf8(converter.review(review.as_bytes())?.body())?
            );
        }
        // The webhook.
        _ => {
            webhook::serve(
                converter,
                "0.0.0.0:8443",
                "/certificates/tls.crt",
                "/certificates/tls.key",
            )
            .await?;
        }
    }
    Ok(())
}
