//! `matrix NAME`: a mesh as a table.

use crate::cli::{AccessArgs, MatrixArgs};
use crate::cluster;
use crate::show::matrix::{By, Matrix, Way, variants};
use crate::show::{out, screen::Screen};
use kube::ResourceExt;
use serde::Serialize;

pub async fn matrix(access: &AccessArgs, args: &MatrixArgs) -> anyhow::Result<()> {
    let (connection, found) = super::find(access, &args.name).await?;
    let run = super::finished(&found)?;
    let pairs = cluster::pairs(&connection, &run).await?;
    if pairs.is_empty() && cluster::has_several(&run) {
        anyhow::bail!(
            "the pairs of {} are not kept any more: the run or its ConfigMaps are gone; measure again with kubectl nettest run, or see with kubectl nettest why {} -n {} what the test remembers",
            run.name_any(),
            args.name,
            run.namespace().unwrap_or_default()
        );
    }
    if pairs.is_empty() {
        anyhow::bail!(
            "{} has one pair, and a matrix needs several; kubectl nettest why {} -n {} has its figures",
            run.name_any(),
            args.name,
            run.namespace().unwrap_or_default()
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
    let matrices = shown
        .into_iter()
        .map(|variant| (variant, Matrix::of(&pairs, variant, by)));
    let matrices: Vec<(&str, Matrix)> = matrices.filter(|(_, matrix)| !matrix.is_empty()).collect();
    let variants = matrices.iter().map(|(variant, matrix)| OfVariant {
        variant,
        ways: matrix.ways(),
    });
    let all = OfRun {
        run: run.name_any(),
        variants: variants.collect(),
    };
    if super::for_programs(args.form.output, &all)? {
        return Ok(());
    }
    if matrices.is_empty() {
        anyhow::bail!(
            "no pair of {} was measured; kubectl nettest why {} -n {} says why",
            run.name_any(),
            args.name,
            run.namespace().unwrap_or_default()
        );
    }
    let screen = Screen::of_stdout();
    let several = matrices.len() > 1;
    for (index, (variant, matrix)) in matrices.iter().enumerate() {
        let head = match (index, several) {
            (_, false) => String::new(),
            (0, true) => format!("{variant}: "),
            (_, true) => format!("\n{variant}: "),
        };
        out::print(&(head + &matrix.text(screen.width, screen.colour)))?;
    }
    Ok(())
}

/// For programs.
#[derive(Debug, Serialize)]
struct OfRun<'a> {
    run: String,
    variants: Vec<OfVariant<'a>>,
}

#[derive(Debug, Serialize)]
struct OfVariant<'a> {
    variant: &'a str,
    ways: Vec<Way<'a>>,
}
