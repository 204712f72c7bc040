//! The program as a user meets it: flags, exit codes, what stands on stdout and stderr, the digest.

mod counts;
mod failures;
mod run;
mod streams;
mod together;
