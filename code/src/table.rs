//! Tables: what the command line prints and the chapters show.

/// A table with a caption that says on what device and shape its figures hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What the figures are, with device and shape.
    pub caption: String,
    /// Column heads; units are named here.
    pub header: Vec<String>,
    /// One entry a column.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns an empty table.
    pub fn new(caption: impl Into<String>, header: &[&str]) -> Table {
        Table {
            caption: caption.into(),
            header: header.iter().map(|h| h.to_string()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Returns which columns hold numbers only, and so stand flush right.
    pub fn numeric(&self) -> Vec<bool> {
        let is_number =
            |cell: &str| cell.is_empty() || cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        (0..self.header.len())
            .map(|i| !self.rows.is_empty() && self.rows.iter().all(|r| r.get(i).is_none_or(|c| is_number(c))))
            .collect()
    }

    /// Returns the table as text in columns, two spaces apart, without its caption.
    pub fn to_text(&self) -> String {
        let width = |i: usize| {
            let cells = self
                .rows
                .iter()
                .filter_map(|r| r.get(i))
                .chain(self.header.get(i));
            cells.map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let numeric = self.numeric();
        let line = |cells: &[String]| {
            let padded = cells.iter().enumerate().map(|(i, cell)| {
                let width = widths.get(i).copied().unwrap_or(0);
                match numeric.get(i) {
                    Some(true) => format!("{cell:>width$}"),
                    _ => format!("{cell:<width$}"),
                }
            });
            format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end())
        };
        std::iter::once(&self.header)
            .chain(&self.rows)
            .map(|cells| line(cells))
            .collect()
    }
}

/// Returns a count with its thousands set apart by commas.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a ratio with two digits behind the point, or a dash where there is nothing to divide by.
pub fn ratio(a: u64, b: u64) -> String {
    if b == 0 {
        "-".to_owned()
    } else {
        format!("{:.2}", a as f64 / b as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_right_and_words_left() {
        let mut table = Table::new("", &["kernel", "n"]);
        table.row(["copy".to_owned(), "5".to_owned()]);
        table.row(["x".to_owned(), "1,000".to_owned()]);
        assert_eq!(table.to_text(), "kernel      n\ncopy        5\nx       1,000\n");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_234_567), "1,234,567");
    }

    #[test]
    fn nothing_is_divided_by_nothing() {
        assert_eq!(ratio(1, 0), "-");
        assert_eq!(ratio(9, 2), "4.50");
    }
}
