//! A new attribute that is optional and computed needs no new version: `read` fills it in, and
//! nobody sees a change planned.

use serde_json::json;

use super::real::terraform::{V1_6, V1_10, V1_15};
use super::workspace::Workspace;

const CONFIG: &str = "resource \"skiff_buoy\" \"it\" {\n name = \"north\"\n}\n";

#[test]
fn read_fills_in_an_attribute_that_older_state_does_not_have() {
    for release in [V1_6, V1_10, V1_15] {
        let mut workspace = Workspace::with("skiff", release);
        workspace.set("SKIFF_RELEASE", "1");
        workspace.write("main.tf", CONFIG);
        assert_eq!(workspace.apply().changes(), (1, 0, 0));
        assert_eq!(
            workspace.instance("skiff_buoy")["attributes"],
            json!({"id": "buoy-1", "name": "north"})
        );

        workspace.set("SKIFF_RELEASE", "2");
        let plan = workspace.planned();
        assert_eq!(
            plan["resource_changes"][0]["change"]["actions"],
            json!(["no-op"]),
            "{:#}",
            plan["resource_changes"]
        );
        workspace.changes_nothing();
        // Not even a plan that does not ask the provider.
        let ran = workspace.run(&["plan", "-input=false", "-no-color", "-refresh=false"]);
        assert!(ran.succeeds().out.contains("No changes."), "{}", ran.out);
        assert_eq!(workspace.apply().changes(), (0, 0, 0));
        let stored = workspace.instance("skiff_buoy");
        assert_eq!(stored["schema_version"], 0);
        assert_eq!(
            stored["attributes"],
            json!({"id": "buoy-1", "name": "north", "depth": 12})
        );

        // The value is the user's from now on, if they want.
        workspace.write(
            "main.tf",
            "resource \"skiff_buoy\" \"it\" {\n name = \"north\"\n depth = 12\n}\n",
        );
        assert_eq!(workspace.plan().changes(), (0, 0, 0));
        workspace.write(
            "main.tf",
            "resource \"skiff_buoy\" \"it\" {\n name = \"north\"\n depth = 13\n}\n",
        );
        assert_eq!(workspace.plan().changes(), (0, 1, 0));
        // The older release ignores what it does not know, so this needs no downgrade either.
        workspace.set("SKIFF_RELEASE", "1");
        workspace.write("main.tf", CONFIG);
        assert_eq!(workspace.plan().changes(), (0, 0, 0));
    }
}
