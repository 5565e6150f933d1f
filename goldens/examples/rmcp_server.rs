//! A small server on the official Rust SDK, over stdio: the independent peer of the checker.

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};

/// Two numbers.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Terms {
    /// The first term.
    pub(crate) a: i64,
    /// The second term.
    pub(crate) b: i64,
}

/// Their sum.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Sum {
    /// The sum.
    pub(crate) sum: i64,
}

/// A server that adds and echoes.
#[derive(Clone, Debug)]
pub(crate) struct Abacus {
    tool_router: ToolRouter<Self>,
}

impl Default for Abacus {
    fn default() -> Self {
        Self { tool_router: Self::tool_router() }
    }
}

#[tool_router]
impl Abacus {
    /// Adds two numbers.
    #[tool(description = "Adds two numbers.", annotations(read_only_hint = true))]
    fn sum(&self, Parameters(Terms { a, b }): Parameters<Terms>) -> Json<Sum> {
        Json(Sum { sum: a.saturating_add(b) })
    }

    /// Says hello.
    #[tool(description = "Says hello.", annotations(read_only_hint = true))]
    fn greet(&self) -> String {
        "hello".to_owned()
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Abacus {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Abacus::default().serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}
