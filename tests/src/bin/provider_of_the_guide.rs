//! The provider of the guide's page "I write a Terraform provider", as it is written there:
//! `tests/tests/provider/tutorial.rs` compares the two and applies it.

use std::path::PathBuf;
use std::process::ExitCode;

use tokio::fs;
use upstate::{Diagnostics, Object, Resource};
use upstate_provider::{Context, ManagedResource, Provider};

/// What users write in the `provider` block.
#[derive(Object)]
struct Config {
    /// The folder that notes are kept in.
    folder: String,
}

/// What resources and upgrades share: usually the client of an API.
#[derive(Clone)]
struct Notes {
    folder: PathBuf,
}

/// A note in a file. The first release called its title a name.
#[derive(Clone, Resource)]
#[resource(type_name = "notes_note", version = 1)]
#[upgrade_from(0 => 1, rename(name => title))]
struct Note {
    /// The name of the file.
    #[attribute(computed)]
    id: String,
    /// What the note is called. Another title makes another note.
    #[attribute(requires_replace)]
    title: String,
    /// What the note says.
    #[attribute(default = "")]
    text: Option<String>,
}

impl ManagedResource for Note {
    type Client = Notes;

    async fn create(plan: Self, context: &mut Context<Notes>) -> Result<Self, Diagnostics> {
        let note = Note {
            id: format!("{}.txt", plan.title),
            ..plan
        };
        write(context.client(), &note).await?;
        Ok(note)
    }

    async fn read(state: Self, context: &mut Context<Notes>) -> Result<Option<Self>, Diagnostics> {
        match fs::read_to_string(context.client().folder.join(&state.id)).await {
            Ok(text) => Ok(Some(Note {
                text: Some(text),
                ..state
            })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn update(
        plan: Self,
        _prior: Self,
        context: &mut Context<Notes>,
    ) -> Result<Self, Diagnostics> {
        write(context.client(), &plan).await?;
        Ok(plan)
    }

    async fn delete(state: Self, context: &mut Context<Notes>) -> Result<(), Diagnostics> {
        Ok(fs::remove_file(context.client().folder.join(&state.id)).await?)
    }
}

async fn write(notes: &Notes, note: &Note) -> std::io::Result<()> {
    fs::write(
        notes.folder.join(&note.id),
        note.text.as_deref().unwrap_or_default(),
    )
    .await
}

fn main() -> ExitCode {
    let configure = async |config: Config| {
        Ok(Notes {
            folder: config.folder.into(),
        })
    };
    Provider::new("example.com/me/notes", configure)
        .with::<Note>()
        .serve()
}
