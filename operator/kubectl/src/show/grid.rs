//! Tables as kubectl prints them: columns and nothing else, so that awk reads them too.

use comfy_table::{CellAlignment, Table, presets};

/// One column of things of type `T`.
#[derive(Debug)]
pub struct Column<T> {
    pub name: &'static str,
    /// Numbers stand to the right.
    pub right: bool,
    /// Only in the wide output.
    pub wide: bool,
    /// On a narrow terminal the column with the highest number goes first; those with 0 stay.
    pub spare: u8,
    pub cell: fn(&T) -> Option<String>,
}

/// How much of a table is shown.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    pub wide: bool,
    /// Of a terminal.
    pub width: Option<usize>,
}

/// A table as text, and whether columns were left out because the terminal is narrow.
#[derive(Debug)]
pub struct Grid {
    pub text: String,
    pub is_cut: bool,
}

/// A row a thing. Columns that nothing has a value for are left out. Whoever asks for the wide output gets all others,
/// whatever the terminal.
pub fn grid<T>(columns: &[Column<T>], rows: &[T], extent: Extent) -> Grid {
    let mut shown: Vec<&Column<T>> = columns
        .iter()
        .filter(|column| extent.wide || !column.wide)
        .filter(|column| rows.iter().any(|row| (column.cell)(row).is_some()))
        .collect();
    let width = extent.width.filter(|_| !extent.wide);
    let mut is_cut = false;
    loop {
        let text = text(&shown, rows);
        let longest = text.lines().map(|line| line.chars().count()).max();
        let fits = width.is_none_or(|width| longest.is_none_or(|longest| longest <= width));
        let most = shown.iter().map(|column| column.spare).max().unwrap_or(0);
        if fits || most == 0 {
            return Grid { text, is_cut };
        }
        shown.retain(|column| column.spare != most);
        is_cut = true;
    }
}

fn text<T>(columns: &[&Column<T>], rows: &[T]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(columns.iter().map(|column| column.name));
    for row in rows {
        let cells = columns.iter().map(|column| (column.cell)(row));
        table.add_row(cells.map(|cell| cell.unwrap_or_else(|| "-".to_owned())));
    }
    for (index, column) in columns.iter().enumerate() {
        if let Some(shown) = table.column_mut(index) {
            shown.set_padding((0, 2));
            if column.right {
                shown.set_cell_alignment(CellAlignment::Right);
            }
        }
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column<u32>; 3] = [
        column("NAME", 0, |row| Some(format!("row-{row}"))),
        column("SQUARE", 2, |row| Some((row * row).to_string())),
        column("CUBE", 1, |row| (*row > 1).then(|| row.pow(3).to_string())),
    ];

    const fn column(
        name: &'static str,
        spare: u8,
        cell: fn(&u32) -> Option<String>,
    ) -> Column<u32> {
        Column {
            name,
            right: false,
            wide: false,
            spare,
            cell,
        }
    }

    fn of(rows: &[u32], wide: bool, width: Option<usize>) -> (String, bool) {
        let Grid { text, is_cut } = grid(&COLUMNS, rows, Extent { wide, width });
        (text, is_cut)
    }

    #[test]
    fn what_a_narrow_terminal_has_no_room_for_goes_in_its_order() {
        let whole = "NAME   SQUARE  CUBE\nrow-2  4       8\n";
        assert_eq!(of(&[2], false, None), (whole.to_owned(), false));
        assert_eq!(of(&[2], false, Some(19)), (whole.to_owned(), false));
        assert_eq!(of(&[2], false, Some(18)).0, "NAME   CUBE\nrow-2  8\n");
        assert_eq!(of(&[2], false, Some(10)).0, "NAME\nrow-2\n");
        assert_eq!(of(&[2], false, Some(1)), ("NAME\nrow-2\n".to_owned(), true));
        assert_eq!(of(&[2], true, Some(10)), (whole.to_owned(), false));
    }

    #[test]
    fn what_nobody_has_is_no_column_and_what_one_lacks_is_a_dash() {
        assert_eq!(of(&[1], false, None).0, "NAME   SQUARE\nrow-1  1\n");
        let both = of(&[1, 2], false, None).0;
        assert_eq!(
            both,
            "NAME   SQUARE  CUBE\nrow-1  1       -\nrow-2  4       8\n"
        );
    }
}
