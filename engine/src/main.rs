//! Entry point.

fn main() -> std::process::ExitCode {
    nettest_engine::run(std::env::args_os())
}
