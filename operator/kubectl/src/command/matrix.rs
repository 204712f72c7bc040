//! `matrix NAME`: a mesh as a table.

use crate::cli::MatrixArgs;
use crate::cluster;
use crate::show::matrix::{By, Matrix, variants};
use crate::show::{out, screen::Screen};
use kube::ResourceExt;

pub async fn matrix(args: &MatrixArgs) -> anyhow::Result<()> {
    let (connection, found) = super::find(&args.access, &args.name).await?;
    let run = super::finished(&found)?;
    let pairs = cluster::pairs(&connection, &run).await?;
    if pairs.is_empty() {
        anyhow::bail!(
            "{} has one pair, and a matrix needs several; kubectl nettest why {} has its figures",
            run.name_any(),
            args.name
        );
    }
    let known = variants(&pairs);
    let shown: Vec<&str> = match &args.variant {
        Some(wanted) => match known.get(wanted.as_str()) {
            Some(variant) => vec![variant],
            None => anyhow::bail!(
                "{} has no variant {wanted}; it has {}",
                run.name_any(),
                known.into_iter().collect::<Vec<_>>().join(", ")
            ),
        },
        None => known.into_iter().collect(),
    };
    let by = if args.zones { By::Zone } else { By::Node };
    let screen = Screen::of_stdout();
    let several = shown.len() > 1;
    for (index, variant) in shown.into_iter().enumerate() {
        let matrix = Matrix::of(&pairs, variant, by);
        if matrix.is_empty() {
            continue;
        }
        let head = match (index, several) {
            (_, false) => String::new(),
            (0, true) => format!("{variant}: "),
            (_, true) => format!("\n{variant}: "),
        };
        out::print(&(head + &matrix.text(screen.width, screen.colour)))?;
    }
    Ok(())
}
