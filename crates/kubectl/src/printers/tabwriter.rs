//! Aligns cells that end in tabs into columns, as Go's `text/tabwriter` does.
//!
//! A column is a run of lines that have a cell there, not counting the last cell of a line. It is as wide as its widest
//! cell. A line without tabs therefore separates the columns above from those below.

/// Spaces between the columns of `kubectl get`.
pub(crate) const TABLE_PADDING: usize = 3;

/// Aligns lines of tab-separated cells in columns of at least `min_width`, with `padding` spaces after the widest cell.
pub(crate) fn align(text: &str, min_width: usize, padding: usize) -> String {
    let lines: Vec<Vec<&str>> = text
        .split('\n')
        .map(|line| line.split('\t').collect())
        .collect();
    let mut widths: Vec<Vec<usize>> = vec![Vec::new(); lines.len()];
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    for column in 0..columns.saturating_sub(1) {
        // The current run of lines with this column, and its width so far.
        let mut run: Vec<usize> = Vec::new();
        let mut width = min_width;
        for (index, line) in lines.iter().enumerate() {
            if line.len() > column + 1 {
                let cell = line.get(column).map_or(0, |cell| cell.chars().count());
                width = width.max(cell + padding);
                run.push(index);
            } else {
                close(&mut run, &mut width, min_width, &mut widths);
            }
        }
        close(&mut run, &mut width, min_width, &mut widths);
    }
    let mut out = String::with_capacity(text.len() * 2);
    for (index, (line, widths)) in lines.iter().zip(&widths).enumerate() {
        if index > 0 {
            out.push('\n');
        }
        for (column, cell) in line.iter().enumerate() {
            out.push_str(cell);
            if let Some(width) = widths.get(column) {
                let missing = width.saturating_sub(cell.chars().count());
                out.extend(std::iter::repeat_n(' ', missing));
            }
        }
    }
    out
}

fn close(run: &mut Vec<usize>, width: &mut usize, min_width: usize, widths: &mut [Vec<usize>]) {
    for index in run.drain(..) {
        if let Some(widths) = widths.get_mut(index) {
            widths.push(*width);
        }
    }
    *width = min_width;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        assert_eq!(
            align("NAME\tREADY\tAGE\nweb-1\t1/1\t3s\n", 6, TABLE_PADDING),
            "NAME    READY   AGE\nweb-1   1/1     3s\n"
        );
    }

    #[test]
    fn a_line_without_the_cell_ends_the_column() {
        assert_eq!(
            align("a\tb\nlonger\tc\n\na\td\n", 0, 2),
            "a       b\nlonger  c\n\na  d\n"
        );
        assert_eq!(align("x\ty\tz\nxxxx\ty\n", 0, 1), "x    y z\nxxxx y\n");
    }

    #[test]
    fn empty_cells_take_their_place() {
        assert_eq!(align("a\t\tb\n", 0, 2), "a    b\n");
    }

    #[test]
    fn widths_count_characters() {
        assert_eq!(align("节点\tx\nab\ty\n", 0, 1), "节点 x\nab y\n");
    }
}
