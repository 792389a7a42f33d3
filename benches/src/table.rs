//! Tables for a terminal that are Markdown too.

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
        let widths: Vec<usize> =
            (0..columns).map(|column| self.0.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
        for (index, row) in self.0.iter().enumerate() {
            let cells: Vec<String> = row
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, &width))| if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") })
                .collect();
            println!("| {} |", cells.join(" | "));
            if index == 0 {
                let rules: Vec<String> = widths
                    .iter()
                    .enumerate()
                    .map(|(column, &width)| if column == 0 { "-".repeat(width) } else { format!("{}:", "-".repeat(width - 1)) })
                    .collect();
                println!("| {} |", rules.join(" | "));
            }
        }
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
