//! Entry point.

fn main() -> std::process::ExitCode {
    nettest_operator::main()
}
