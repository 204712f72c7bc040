//! What people see. Each part returns text; only [`out`] and [`progress`] write.

pub mod colour;
pub mod compare;
pub mod figures;
pub mod grid;
pub mod history;
pub mod live;
pub mod matrix;
pub mod object;
pub mod out;
pub mod pairs;
pub mod progress;
mod results;
mod rows;
pub mod screen;
pub mod slow;
pub mod test;
pub mod why;
