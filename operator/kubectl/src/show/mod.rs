//! What people see. Each part returns text; only [`out`] and [`progress`] write.

mod colour;
mod figures;
mod grid;
pub mod object;
pub mod out;
pub mod pairs;
pub mod progress;
mod results;
mod rows;
mod screen;
pub mod test;
