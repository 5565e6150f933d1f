//! The binary: hands the arguments to the library and its status to the system.

use std::process::ExitCode;

fn main() -> ExitCode {
    mcpproof_cli::run(std::env::args_os()).into()
}
