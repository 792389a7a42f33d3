//! `azurerm_kusto_cluster`: names of languages became blocks that also say which image they run in.

use upstate::{Diagnostic, Object, Resource};

/// A cluster for analytics.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "azurerm_kusto_cluster", version = 2, oldest = 1)]
#[upgrade_from(1 => 2, each(convert(language_extensions: Option<Vec<String>>, with = extension)))]
pub struct KustoCluster {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: Option<String>,
    pub language_extensions: Option<Vec<LanguageExtension>>,
}

/// A language that queries may use.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct LanguageExtension {
    pub name: String,
    pub image: String,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the operator hands the value over"
)]
fn extension(stored: String) -> Result<LanguageExtension, Diagnostic> {
    let (name, image) = match stored.as_str() {
        "R" => ("R", "R"),
        "PYTHON" => ("PYTHON", "Python3_6_5"),
        "PYTHON_3.10.8" => ("PYTHON", "Python3_10_8"),
        other => {
            let detail = format!("Expected R, PYTHON or PYTHON_3.10.8, found {other:?}");
            return Err(Diagnostic::error("Unknown Language Extension", detail));
        }
    };
    Ok(LanguageExtension {
        name: name.to_owned(),
        image: image.to_owned(),
    })
}
