//! The tools, as they are listed, and the arguments each of them takes.

use serde_json::{Value, json};

use super::Scope;
use crate::{identity::Role, limits, store::tokens::Usable};

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) scope: Scope,
    title: &'static str,
    description: &'static str,
    /// The names of its arguments.
    pub(super) arguments: &'static [&'static str],
    pub(super) kind: Kind,
}

/// Which tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    GetConfig,
    PreviewConfig,
    UpdateRoute,
    DeleteRoute,
    ReorderRoutes,
    UpdateDefaults,
    ListDomains,
    ListAudit,
}

/// All tools, in the order they are listed in.
pub(super) const TOOLS: [Tool; 8] = [
    Tool {
        name: "get_config",
        scope: Scope::ConfigRead,
        title: "Read the draft",
        description: "All routes of the draft in order, disabled ones included, and the defaults block.",
        arguments: &[],
        kind: Kind::GetConfig,
    },
    Tool {
        name: "preview_config",
        scope: Scope::ConfigRead,
        title: "Preview the draft",
        description: "What publishing would do: the document or what is wrong with it, the changes against what is live, dangerous switches, and routes that others rob.",
        arguments: &[],
        kind: Kind::PreviewConfig,
    },
    Tool {
        name: "update_route",
        scope: Scope::ConfigWrite,
        title: "Write a route of the draft",
        description: "Creates or replaces one route of the draft. A new route is put at the end. Traffic does not change until a person publishes.",
        arguments: &["id", "definition", "enabled", "expectedVersion"],
        kind: Kind::UpdateRoute,
    },
    Tool {
        name: "delete_route",
        scope: Scope::ConfigWrite,
        title: "Delete a route of the draft",
        description: "Deletes one route of the draft. Traffic does not change until a person publishes.",
        arguments: &["id"],
        kind: Kind::DeleteRoute,
    },
    Tool {
        name: "reorder_routes",
        scope: Scope::ConfigWrite,
        title: "Order the routes of the draft",
        description: "Puts all routes of the draft into another order. The first route that matches takes a request, so narrow routes stand above wide ones.",
        arguments: &["ids"],
        kind: Kind::ReorderRoutes,
    },
    Tool {
        name: "update_defaults",
        scope: Scope::ConfigWrite,
        title: "Replace the draft's defaults",
        description: "Replaces the whole defaults block of the draft. An empty object clears it.",
        arguments: &["defaults"],
        kind: Kind::UpdateDefaults,
    },
    Tool {
        name: "list_domains",
        scope: Scope::DomainsRead,
        title: "List the proxy's host names",
        description: "Host names that lead to the proxy, the routes that take each, and routes whose host nothing leads to.",
        arguments: &[],
        kind: Kind::ListDomains,
    },
    Tool {
        name: "list_audit",
        scope: Scope::AuditRead,
        title: "Read the audit log",
        description: "What was done lately, by whom, newest first.",
        arguments: &["limit"],
        kind: Kind::ListAudit,
    },
];

impl Tool {
    /// Whether the token may use it. Who may only look cannot have an agent write.
    pub(super) fn is_open_to(&self, token: &Usable) -> bool {
        let is_held_back = self.scope == Scope::ConfigWrite && token.role != Role::Admin;
        token.scopes.contains(&self.scope) && !is_held_back
    }

    /// As it is listed.
    pub(super) fn told(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.schema(),
            "annotations": {
                "readOnlyHint": self.scope != Scope::ConfigWrite,
                "openWorldHint": false,
            },
        })
    }

    fn schema(&self) -> Value {
        let id = json!({
            "type": "string",
            "minLength": 1,
            "maxLength": limits::ROUTE_ID,
            "description": "The route's id: letters, digits, \".\", \"_\" and \"-\", the first a letter or a digit.",
        });
        let (properties, required) = match self.kind {
            Kind::GetConfig | Kind::PreviewConfig | Kind::ListDomains => (json!({}), json!([])),
            Kind::UpdateRoute => (
                json!({
                    "id": id,
                    "definition": {
                        "type": "object",
                        "description": "The whole route, without its id. It replaces what was there.",
                    },
                    "enabled": {
                        "type": "boolean",
                        "description": "Whether the route takes part. Absent: as it is, and true for a new route.",
                    },
                    "expectedVersion": {
                        "type": "integer",
                        "minimum": 0,
                        "description": "The version you have read; 0 for a route that must not exist yet. The write is refused if it is another one.",
                    },
                }),
                json!(["id", "definition"]),
            ),
            Kind::DeleteRoute => (json!({ "id": id }), json!(["id"])),
            Kind::ReorderRoutes => (
                json!({
                    "ids": {
                        "type": "array",
                        "items": { "type": "string" },
                        "minItems": 1,
                        "description": "The ids of all routes, disabled ones included, each once.",
                    },
                }),
                json!(["ids"]),
            ),
            Kind::UpdateDefaults => (
                json!({
                    "defaults": {
                        "type": "object",
                        "description": "Values for every route that does not state its own.",
                    },
                }),
                json!(["defaults"]),
            ),
            Kind::ListAudit => (
                json!({
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": 200,
                        "default": 50,
                        "description": "How many entries.",
                    },
                }),
                json!([]),
            ),
        };
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_lists_the_arguments_it_takes() {
        for tool in &TOOLS {
            let schema = tool.schema();
            let mut listed: Vec<&str> = schema["properties"]
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            let mut taken = tool.arguments.to_vec();
            listed.sort_unstable();
            taken.sort_unstable();
            assert_eq!(listed, taken, "{}", tool.name);
        }
    }

    #[test]
    fn who_may_only_look_has_no_agent_that_writes() {
        let token = |role| Usable {
            id: String::new(),
            owner: String::new(),
            role,
            scopes: vec![Scope::ConfigRead, Scope::ConfigWrite],
            last_used_at: None,
        };
        let open = |role| {
            let token = token(role);
            TOOLS.iter().filter(|tool| tool.is_open_to(&token)).count()
        };
        assert_eq!(open(Role::Admin), 6);
        assert_eq!(open(Role::Viewer), 2);
    }
}
