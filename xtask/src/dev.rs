//! The proxy and the panel on this machine: `cargo xtask dev`.

use std::os::unix::process::CommandExt;

use crate::failure::Failure;
use crate::tools::Tools;
use crate::worker::{self, Profile};
use crate::workspace::Workspace;

/// Builds what is to run, then becomes the script that runs it, so that Ctrl-C and the exit status are the script's own.
///
/// # Errors
/// If a Worker does not build or the script cannot be started. On success this does not return.
pub(crate) fn run(workspace: &Workspace, port: Option<u16>, panel: bool) -> Result<(), Failure> {
    let tools = Tools::install(workspace)?;
    let build = |crate_dir| worker::build(workspace, &tools, crate_dir, Profile::Release);

    let mut node = tools.node();
    node.arg(workspace.root.join("xtask/node/dev.mjs"));
    node.arg("--worker").arg(build("examples/reverse-proxy")?);
    if panel {
        node.arg("--panel").arg(build("admin-panel")?);
    }
    if let Some(port) = port {
        node.arg("--port").arg(port.to_string());
    }
    let error = node.current_dir(&workspace.root).exec();
    Err(Failure::new(format!("cannot start node: {error}")))
}
