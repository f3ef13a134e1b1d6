//! What has to hold for every workflow, whatever its steps do.

use std::fs;

use saphyr::YamlOwned;

use crate::stage::repository;
use crate::workflow::{Step, Workflow, at};

fn workflows() -> Vec<(String, Workflow)> {
    let mut names: Vec<String> = fs::read_dir(repository().join(".github/workflows"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| (name.clone(), Workflow::load(&name)))
        .collect()
}

fn text<'y>(workflow: &'y Workflow, keys: &[&str]) -> Option<&'y str> {
    at(&workflow.yaml, keys).and_then(YamlOwned::as_str)
}

/// The keys of the mapping below `keys`.
fn keys_below<'y>(workflow: &'y Workflow, keys: &[&str]) -> Vec<&'y str> {
    let below = at(&workflow.yaml, keys).and_then(YamlOwned::as_mapping);
    below
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str().unwrap())
        .collect()
}

#[test]
fn no_expression_reaches_a_script() {
    let mut scripts = 0;
    for (name, workflow) in workflows() {
        for (path, script) in scripts_in(&workflow.yaml, &name) {
            scripts += 1;
            assert!(!script.contains("${{"), "{path}: {script}");
        }
    }
    assert!(scripts > 10, "{scripts}");
}

/// Every `run` anywhere in a document.
fn scripts_in<'y>(yaml: &'y YamlOwned, path: &str) -> Vec<(String, &'y str)> {
    if let Some(list) = yaml.as_vec() {
        return list.iter().flat_map(|one| scripts_in(one, path)).collect();
    }
    let entries = yaml.as_mapping().into_iter().flatten();
    entries
        .flat_map(|(key, value)| match (key.as_str(), value.as_str()) {
            (Some("run"), Some(script)) => vec![(path.to_owned(), script)],
            (Some(key), _) => scripts_in(value, &format!("{path}/{key}")),
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn a_token_of_the_repository_only_reads() {
    for (name, workflow) in workflows() {
        assert_eq!(
            keys_below(&workflow, &["permissions"]),
            ["contents"],
            "{name}"
        );
        assert_eq!(
            text(&workflow, &["permissions", "contents"]),
            Some("read"),
            "{name}"
        );
        for job in keys_below(&workflow, &["jobs"]) {
            let own = at(&workflow.yaml, &["jobs", job, "permissions"]);
            assert!(own.is_none(), "{name}: {job} has permissions of its own");
        }
    }
}

#[test]
fn a_run_that_changes_an_account_is_never_cancelled_and_never_double() {
    for name in ["deploy.yml", "reset-admin.yml"] {
        let workflow = Workflow::load(name);
        let group = text(&workflow, &["concurrency", "group"]).unwrap();
        assert!(group.contains("github.workflow"), "{name}");
        let cancels = at(&workflow.yaml, &["concurrency", "cancel-in-progress"]);
        assert_eq!(cancels.and_then(YamlOwned::as_bool), Some(false), "{name}");
        assert_eq!(keys_below(&workflow, &["jobs"]).len(), 1, "{name}");
    }
    let deploy = Workflow::load("deploy.yml");
    assert!(
        text(&deploy, &["concurrency", "group"])
            .unwrap()
            .contains("github.ref")
    );
}

#[test]
fn they_start_when_they_should() {
    let deploy = Workflow::load("deploy.yml");
    assert_eq!(keys_below(&deploy, &["on"]), ["push", "workflow_dispatch"]);
    assert_eq!(keys_below(&deploy, &["on", "push"]), ["tags"]);
    let tags = at(&deploy.yaml, &["on", "push", "tags"])
        .and_then(YamlOwned::as_vec)
        .unwrap();
    assert_eq!(
        tags.iter()
            .map(|tag| tag.as_str().unwrap())
            .collect::<Vec<_>>(),
        ["v*"]
    );

    let reset = Workflow::load("reset-admin.yml");
    assert_eq!(keys_below(&reset, &["on"]), ["workflow_dispatch"]);
    let required = at(
        &reset.yaml,
        &[
            "on",
            "workflow_dispatch",
            "inputs",
            "confirmation",
            "required",
        ],
    );
    assert_eq!(required.and_then(YamlOwned::as_bool), Some(true));

    let ci = Workflow::load("ci.yml");
    assert!(keys_below(&ci, &["on"]).contains(&"pull_request"));
}

#[test]
fn pull_requests_run_the_check_that_a_deployment_runs() {
    let runs =
        |steps: Vec<Step>, line: &str| steps.iter().any(|step| step.run.as_deref() == Some(line));
    let ci = Workflow::load("ci.yml");
    assert!(runs(ci.steps("check"), "cargo xtask check"));
    assert!(runs(ci.steps("test"), "bash .ci/run"));
    assert!(runs(
        Workflow::load("deploy.yml").steps("deploy"),
        "cargo xtask check"
    ));
}

#[test]
fn the_whole_history_is_there_before_the_build_is_named() {
    let workflow = Workflow::load("deploy.yml");
    let steps = workflow.steps("deploy");
    assert!(
        steps[0]
            .uses
            .as_deref()
            .unwrap()
            .starts_with("actions/checkout@")
    );
    let steps = at(&workflow.yaml, &["jobs", "deploy", "steps"])
        .and_then(YamlOwned::as_vec)
        .unwrap();
    let depth = at(&steps[0], &["with", "fetch-depth"]).and_then(YamlOwned::as_integer);
    assert_eq!(depth, Some(0));
}

/// A secret is in the environment of the steps that need it, and of no other.
#[test]
fn secrets_are_given_step_by_step() {
    for name in ["deploy.yml", "reset-admin.yml"] {
        let workflow = Workflow::load(name);
        for keys in [
            &["env"][..],
            &["jobs", "deploy", "env"],
            &["jobs", "reset", "env"],
        ] {
            let shared = at(&workflow.yaml, keys).and_then(YamlOwned::as_mapping);
            for (_, value) in shared.into_iter().flatten() {
                assert!(
                    !value.as_str().unwrap_or_default().contains("secrets."),
                    "{name}"
                );
            }
        }
    }
    for step in Workflow::load("deploy.yml").steps("deploy") {
        let builds = step
            .run
            .as_deref()
            .is_some_and(|run| run.ends_with("check") || run.ends_with("build"));
        assert!(!builds || step.env.is_empty(), "{}", step.name);
    }
}

#[test]
fn what_may_fail_is_said_to() {
    let steps = Workflow::load("deploy.yml").steps("deploy");
    let may_fail: Vec<&str> = steps
        .iter()
        .filter(|step| step.continues_on_error)
        .map(|step| step.name.as_str())
        .collect();
    assert_eq!(
        may_fail,
        ["Let the first administrator in", "Give the panel its token"]
    );
}
