//! What people see. Each part returns text; only [`out`] and [`progress`] write.

mod colour;
pub mod object;
pub mod out;
pub mod progress;
mod results;
mod rows;
pub mod test;
