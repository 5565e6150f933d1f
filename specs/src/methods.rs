//! The methods and notifications of each revision: who sends them, behind which capability, in which shape.
//!
//! The shapes stand in `shapes`; which rules govern a method stands in `requirements`.

use crate::Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use crate::Revisions;

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Either side.
    Both,
}

impl Sender {
    /// Tells whether a client may send the message.
    pub const fn is_client(self) -> bool {
        matches!(self, Self::Client | Self::Both)
    }

    /// Tells whether a server may send the message.
    pub const fn is_server(self) -> bool {
        matches!(self, Self::Server | Self::Both)
    }
}

/// A method or a notification in some revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The name on the wire.
    pub name: &'static str,
    /// Who sends it.
    pub sender: Sender,
    /// Where it exists.
    pub revisions: Revisions,
    /// The capability that the receiver of a request, or the sender of a notification, declares first;
    /// members joined by a dot. None when no capability is needed.
    pub capability: Option<&'static str>,
    /// The definition of `params`.
    pub params: &'static str,
    /// The definition of the result; None for a notification.
    pub result: Option<&'static str>,
}

impl Method {
    /// Tells whether the message has no answer.
    pub const fn is_notification(&self) -> bool {
        self.result.is_none()
    }

    const fn gated(mut self, capability: &'static str) -> Self {
        self.capability = Some(capability);
        self
    }

    const fn within(mut self, revisions: Revisions) -> Self {
        self.revisions = revisions;
        self
    }
}

const fn request(sender: Sender, name: &'static str, params: &'static str, result: &'static str) -> Method {
    Method { name, sender, revisions: Revisions::ALL, capability: None, params, result: Some(result) }
}

const fn notification(sender: Sender, name: &'static str, params: &'static str) -> Method {
    Method { name, sender, revisions: Revisions::ALL, capability: None, params, result: None }
}

use Sender::{Both, Client, Server};

const WITH_HANDSHAKE: Revisions = Revisions::until(V2025_11_25);
const WITH_TASKS: Revisions = Revisions::only(V2025_11_25);
const STATELESS: Revisions = Revisions::since(V2026_07_28);

/// Every method and notification; a name stands again where its sender or capability changed.
#[rustfmt::skip] // one message a line, so that the table can be read as one
pub const METHODS: &[Method] = &[
    request(Client, "initialize", "InitializeRequestParams", "InitializeResult").within(WITH_HANDSHAKE),
    request(Client, "server/discover", "RequestParams", "DiscoverResult").within(STATELESS),
    request(Both, "ping", "RequestParams", "EmptyResult").within(WITH_HANDSHAKE),
    request(Client, "tools/list", "PaginatedRequestParams", "ListToolsResult").gated("tools"),
    request(Client, "tools/call", "CallToolRequestParams", "CallToolResult").gated("tools"),
    request(Client, "resources/list", "PaginatedRequestParams", "ListResourcesResult").gated("resources"),
    request(Client, "resources/templates/list", "PaginatedRequestParams", "ListResourceTemplatesResult").gated("resources"),
    request(Client, "resources/read", "ReadResourceRequestParams", "ReadResourceResult").gated("resources"),
    request(Client, "resources/subscribe", "SubscribeRequestParams", "EmptyResult").gated("resources.subscribe").within(WITH_HANDSHAKE),
    request(Client, "resources/unsubscribe", "UnsubscribeRequestParams", "EmptyResult").gated("resources.subscribe").within(WITH_HANDSHAKE),
    request(Client, "prompts/list", "PaginatedRequestParams", "ListPromptsResult").gated("prompts"),
    request(Client, "prompts/get", "GetPromptRequestParams", "GetPromptResult").gated("prompts"),
    // The first revision has completion but no capability for it.
    request(Client, "completion/complete", "CompleteRequestParams", "CompleteResult").within(Revisions::only(Revision::V2024_11_05)),
    request(Client, "completion/complete", "CompleteRequestParams", "CompleteResult").gated("completions").within(Revisions::since(V2025_03_26)),
    request(Client, "logging/setLevel", "SetLevelRequestParams", "EmptyResult").gated("logging").within(WITH_HANDSHAKE),
    request(Client, "subscriptions/listen", "SubscriptionsListenRequestParams", "SubscriptionsListenResult").within(STATELESS),
    request(Server, "sampling/createMessage", "CreateMessageRequestParams", "CreateMessageResult").gated("sampling").within(WITH_HANDSHAKE),
    request(Server, "roots/list", "RequestParams", "ListRootsResult").gated("roots").within(WITH_HANDSHAKE),
    request(Server, "elicitation/create", "ElicitRequestParams", "ElicitResult").gated("elicitation").within(Revisions::between(V2025_06_18, V2025_11_25)),
    request(Both, "tasks/get", "GetTaskRequestParams", "GetTaskResult").gated("tasks").within(WITH_TASKS),
    request(Both, "tasks/result", "GetTaskPayloadRequestParams", "GetTaskPayloadResult").gated("tasks").within(WITH_TASKS),
    request(Both, "tasks/list", "PaginatedRequestParams", "ListTasksResult").gated("tasks.list").within(WITH_TASKS),
    request(Both, "tasks/cancel", "CancelTaskRequestParams", "CancelTaskResult").gated("tasks.cancel").within(WITH_TASKS),
    notification(Client, "notifications/initialized", "NotificationParams").within(WITH_HANDSHAKE),
    notification(Both, "notifications/cancelled", "CancelledNotificationParams"),
    notification(Both, "notifications/progress", "ProgressNotificationParams").within(WITH_HANDSHAKE),
    notification(Server, "notifications/progress", "ProgressNotificationParams").within(STATELESS),
    notification(Server, "notifications/message", "LoggingMessageNotificationParams").gated("logging"),
    notification(Server, "notifications/tools/list_changed", "NotificationParams").gated("tools.listChanged"),
    notification(Server, "notifications/resources/list_changed", "NotificationParams").gated("resources.listChanged"),
    notification(Server, "notifications/resources/updated", "ResourceUpdatedNotificationParams").gated("resources.subscribe"),
    notification(Server, "notifications/prompts/list_changed", "NotificationParams").gated("prompts.listChanged"),
    notification(Client, "notifications/roots/list_changed", "NotificationParams").gated("roots.listChanged").within(WITH_HANDSHAKE),
    notification(Both, "notifications/tasks/status", "TaskStatusNotificationParams").gated("tasks").within(WITH_TASKS),
    notification(Server, "notifications/elicitation/complete", "ElicitationCompleteNotificationParams").within(WITH_TASKS),
    notification(Server, "notifications/subscriptions/acknowledged", "SubscriptionsAcknowledgedNotificationParams").within(STATELESS),
];

/// Finds the method or notification `name` as `revision` has it.
pub fn get(name: &str, revision: Revision) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name && method.revisions.contains(revision))
}

/// Tells whether `name` is a request of `revision`, from either side.
pub fn is_method(name: &str, revision: Revision) -> bool {
    get(name, revision).is_some_and(|method| !method.is_notification())
}

/// Tells whether `name` is a notification of `revision`, from either side.
pub fn is_notification(name: &str, revision: Revision) -> bool {
    get(name, revision).is_some_and(Method::is_notification)
}

/// Lists the requests that a client may send in `revision`.
pub fn client_methods(revision: Revision) -> impl Iterator<Item = &'static Method> {
    messages(revision).filter(|method| method.sender.is_client() && !method.is_notification())
}

/// Lists the requests that a server may send in `revision`.
pub fn server_methods(revision: Revision) -> impl Iterator<Item = &'static Method> {
    messages(revision).filter(|method| method.sender.is_server() && !method.is_notification())
}

/// Lists the notifications that a client may send in `revision`.
pub fn client_notifications(revision: Revision) -> impl Iterator<Item = &'static Method> {
    messages(revision).filter(|method| method.sender.is_client() && method.is_notification())
}

/// Lists the notifications that a server may send in `revision`.
pub fn server_notifications(revision: Revision) -> impl Iterator<Item = &'static Method> {
    messages(revision).filter(|method| method.sender.is_server() && method.is_notification())
}

fn messages(revision: Revision) -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(move |method| method.revisions.contains(revision))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::schema;

    /// Collects the method names that the union `definition` allows in `revision`.
    fn methods_in(definition: &str, revision: Revision) -> BTreeSet<String> {
        let document = schema::document(revision);
        let mut wanted = vec![definition.to_owned()];
        let mut found = BTreeSet::new();
        while let Some(name) = wanted.pop() {
            let schema = &document["$defs"][&name];
            for branch in schema["anyOf"].as_array().into_iter().flatten().chain([schema]) {
                let target = branch["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/"));
                wanted.extend(target.map(str::to_owned));
            }
            found.extend(schema["properties"]["method"]["const"].as_str().map(str::to_owned));
        }
        found
    }

    fn check(
        listed: impl Fn(Revision) -> Vec<&'static str>,
        definition: &str,
        revisions: impl IntoIterator<Item = Revision>,
    ) {
        for revision in revisions {
            let listed: BTreeSet<_> = listed(revision).into_iter().map(str::to_owned).collect();
            assert_eq!(listed, methods_in(definition, revision), "{definition} in {revision}");
        }
    }

    fn names(methods: impl Iterator<Item = &'static Method>) -> Vec<&'static str> {
        methods.map(|method| method.name).collect()
    }

    #[test]
    fn each_side_sends_what_the_unions_of_the_catalogue_say() {
        check(|r| names(client_methods(r)), "ClientRequest", Revision::ALL);
        check(|r| names(server_methods(r)), "ServerRequest", Revision::WITH_HANDSHAKE);
        check(|r| names(client_notifications(r)), "ClientNotification", Revision::ALL);
        check(|r| names(server_notifications(r)), "ServerNotification", Revision::ALL);
        assert_eq!(server_methods(V2026_07_28).count(), 0);
    }

    #[test]
    fn params_and_results_are_defined_where_their_method_exists() {
        for method in METHODS {
            for revision in method.revisions.iter() {
                for definition in [Some(method.params), method.result].into_iter().flatten() {
                    let found = schema::validator(revision, definition);
                    assert!(found.is_some(), "{}: no {definition} in {revision}", method.name);
                }
            }
        }
    }

    #[test]
    fn every_capability_is_a_member_of_the_capabilities_of_a_side() {
        for method in METHODS {
            let Some(capability) = method.capability else { continue };
            let pointer = format!("/properties/{}", capability.replace('.', "/properties/"));
            for revision in method.revisions.iter() {
                let document = schema::document(revision);
                let declares =
                    |side: &str| document["$defs"][side].pointer(&pointer).is_some_and(Value::is_object);
                let is_declared = declares("ServerCapabilities") || declares("ClientCapabilities");
                assert!(is_declared, "{}: no {capability} in {revision}", method.name);
            }
        }
    }

    #[test]
    fn a_name_means_one_message_in_each_revision() {
        for revision in Revision::ALL {
            let listed = names(messages(revision));
            let distinct: BTreeSet<_> = listed.iter().collect();
            assert_eq!(listed.len(), distinct.len(), "{revision}");
        }
    }

    #[test]
    fn ping_and_initialize_end_with_the_handshake() {
        assert!(is_method("ping", V2025_11_25) && !is_method("ping", V2026_07_28));
        assert!(!is_method("initialize", V2026_07_28) && is_method("server/discover", V2026_07_28));
        assert!(!is_method("notifications/initialized", V2025_11_25));
        assert!(is_notification("notifications/initialized", V2025_11_25));
    }
}
