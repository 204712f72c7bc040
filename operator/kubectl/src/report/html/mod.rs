//! One page with everything in it: no other file, no address, nothing that a script must do.

mod cards;
mod environment;
mod mesh;
mod over_time;
mod page;
mod round_trip;
mod sweep;
mod table;
mod warnings;
mod words;

use super::ReportError;
use crate::subject::Subject;
use askama::Template;
use page::Page;

pub fn html(subject: &Subject) -> Result<String, ReportError> {
    Ok(Page::of(subject)?.render()?)
}
