//! Tables for a terminal that are Markdown too.

/// The rule under a column needs a dash and a colon, also where no row says anything.
const NARROWEST: usize = 2;

/// Rows of cells under a heading. The first column is aligned left, all others right.
#[derive(Debug)]
pub struct Table(Vec<Vec<String>>);

impl Table {
    pub fn new<const N: usize>(heading: [&str; N]) -> Self {
        Self(vec![heading.map(str::to_owned).to_vec()])
    }

    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.0.push(cells.to_vec());
    }

    pub fn print(&self) {
        let columns = self.0[0].len();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                self.0
                    .iter()
                    .map(|row| row[column].chars().count())
                    .max()
                    .unwrap_or(0)
                    .max(NARROWEST)
            })
            .collect();
        for (index, row) in self.0.iter().enumerate() {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &width))| {
                    if column == 0 {
                        format!("{cell:<width$}")
                    } else {
                        format!("{cell:>width$}")
                    }
                })
                .collect();
            println!("| {} |", cells.join(" | "));
            if index == 0 {
                let rules: Vec<String> = widths
                    .iter()
                    .enumerate()
                    .map(|(column, &width)| {
                        if column == 0 {
                            "-".repeat(width)
                        } else {
                            format!("{}:", "-".repeat(width - 1))
                        }
                    })
                    .collect();
                println!("| {} |", rules.join(" | "));
            }
        }
    }
}

/// A table whose rows are printed as they come: its columns are as wide as their headings, or as
/// wide as it is asked for.
#[derive(Debug)]
pub struct Live<const N: usize>([usize; N]);

impl<const N: usize> Live<N> {
    /// Prints the heading.
    pub fn new(heading: [&str; N], first: usize) -> Self {
        let mut widths = heading.map(|name| name.chars().count().max(NARROWEST));
        widths[0] = widths[0].max(first);
        let live = Self(widths);
        live.row(heading.map(str::to_owned));
        let rules = std::array::from_fn(|column| match (column, widths[column]) {
            (0, width) => "-".repeat(width),
            (_, width) => format!("{}:", "-".repeat(width - 1)),
        });
        live.row(rules);
        live
    }

    /// Prints a row.
    pub fn row(&self, cells: [String; N]) {
        let cells: Vec<String> = cells
            .iter()
            .zip(self.0)
            .enumerate()
            .map(|(column, (cell, width))| {
                if column == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        println!("| {} |", cells.join(" | "));
    }
}

/// Digits in groups of three.
pub fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_may_be_empty() {
        let mut table = Table::new(["", "change", ""]);
        table.row(["small".to_owned(), String::new(), String::new()]);
        table.print();
        Live::new(["", "change", ""], 5).row(["small".to_owned(), String::new(), String::new()]);
    }
}
