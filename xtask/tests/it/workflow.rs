//! Just enough of a runner of workflows: the steps of a job, one after the other, with the secrets, inputs and outputs they name.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use saphyr::{LoadableYamlNode, YamlOwned};

use crate::stage::{Ran, Stage, repository};

/// A workflow file.
pub(crate) struct Workflow {
    pub(crate) yaml: YamlOwned,
}

/// A step of a job.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: String,
    id: Option<String>,
    pub(crate) uses: Option<String>,
    pub(crate) run: Option<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) continues_on_error: bool,
}

/// What became of a job.
pub(crate) struct Played {
    /// The names of the steps that ran, and whether each succeeded.
    pub(crate) steps: Vec<(String, bool)>,
    /// Everything that stands in the log.
    pub(crate) log: String,
    pub(crate) succeeded: bool,
}

impl Played {
    /// The name of the step that ended the job.
    pub(crate) fn failed_at(&self) -> Option<&str> {
        self.steps
            .last()
            .filter(|_| !self.succeeded)
            .map(|(name, _)| name.as_str())
    }
}

impl Workflow {
    /// Reads a workflow of the repository.
    pub(crate) fn load(name: &str) -> Self {
        let path = repository().join(".github/workflows").join(name);
        let text = fs::read_to_string(&path).unwrap();
        let mut documents = YamlOwned::load_from_str(&text).unwrap();
        assert_eq!(documents.len(), 1, "{name}");
        Self {
            yaml: documents.remove(0),
        }
    }

    /// The steps of the job `name`.
    pub(crate) fn steps(&self, job: &str) -> Vec<Step> {
        let job = at(&self.yaml, &["jobs", job]).unwrap();
        let steps = at(job, &["steps"]).and_then(YamlOwned::as_vec).unwrap();
        steps.iter().map(step).collect()
    }

    /// Plays the job `job`. `given` holds what the expressions name: `secrets.NAME`, `inputs.NAME`.
    pub(crate) fn play(&self, job: &str, stage: &Stage, given: &[(&str, &str)]) -> Played {
        let mut known: BTreeMap<String, String> = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut played = Played {
            steps: Vec::new(),
            log: String::new(),
            succeeded: true,
        };
        for step in self.steps(job) {
            let Some(script) = &step.run else { continue };
            let Ran { succeeded, said } = run(script, &step, stage, &known);
            played.log.push_str(&said);
            played.steps.push((step.name.clone(), succeeded));
            for (name, value) in assignments(&stage.read("output")) {
                let id = step.id.as_deref().unwrap_or("a step without an id");
                known.insert(format!("steps.{id}.outputs.{name}"), value);
            }
            stage.write("output", "");
            if !succeeded && !step.continues_on_error {
                played.succeeded = false;
                break;
            }
        }
        played
    }
}

fn run(script: &str, step: &Step, stage: &Stage, known: &BTreeMap<String, String>) -> Ran {
    let mut command = Command::new("bash");
    stage.dress(&mut command, &[("GITHUB_ACTIONS", "true")]);
    command
        .env("GITHUB_ENV", stage.folder.join("variables"))
        .env("GITHUB_OUTPUT", stage.folder.join("output"))
        .envs(assignments(&stage.read("variables")))
        .envs(
            step.env
                .iter()
                .map(|(name, value)| (name, filled_in(value, known))),
        )
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
    Ran::new(command.output().unwrap())
}

/// A value whose expression, if it is one, is replaced by what that stands for: nothing, where it is not known.
fn filled_in(value: &str, known: &BTreeMap<String, String>) -> String {
    match value
        .strip_prefix("${{")
        .and_then(|rest| rest.strip_suffix("}}"))
    {
        Some(expression) => known.get(expression.trim()).cloned().unwrap_or_default(),
        None => value.to_owned(),
    }
}

fn assignments(text: &str) -> Vec<(String, String)> {
    text.lines()
        .map(|line| line.split_once('=').unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn step(yaml: &YamlOwned) -> Step {
    let text = |key| {
        at(yaml, &[key])
            .and_then(YamlOwned::as_str)
            .map(str::to_owned)
    };
    assert!(
        at(yaml, &["if"]).is_none(),
        "this runner knows no conditions"
    );
    let env = at(yaml, &["env"]).and_then(YamlOwned::as_mapping);
    Step {
        name: ["name", "uses", "run"].into_iter().find_map(text).unwrap(),
        id: text("id"),
        uses: text("uses"),
        run: text("run"),
        env: env
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                (
                    name.as_str().unwrap().to_owned(),
                    value.as_str().unwrap().to_owned(),
                )
            })
            .collect(),
        continues_on_error: at(yaml, &["continue-on-error"]).and_then(YamlOwned::as_bool)
            == Some(true),
    }
}

/// The value below these keys.
pub(crate) fn at<'y>(yaml: &'y YamlOwned, keys: &[&str]) -> Option<&'y YamlOwned> {
    keys.iter()
        .try_fold(yaml, |yaml, key| yaml.as_mapping_get(key))
}
