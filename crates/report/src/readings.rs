//! What a suite found of two devices, number beside number. How that is shown is in `view` and `json`.

use std::collections::BTreeMap;

use flashscope_analysis::reading::{Cell, Column, Reading, Table};

use crate::reading::text;

/// A number that both readings have.
pub(crate) struct Twin<'a> {
    /// The table that it is from.
    pub(crate) table: &'a Table,
    /// The first cell of its row, as it is read.
    pub(crate) row: String,
    /// What it is.
    pub(crate) column: &'a Column,
    /// Of A and of B.
    pub(crate) cells: [&'a Cell; 2],
    /// B over A; none where A is 0.
    pub(crate) ratio: Option<f64>,
}

/// The numbers of tables, rows and columns that are in both, in the order of A.
pub(crate) fn twins<'a>(a: &'a Reading, b: &'a Reading) -> Vec<Twin<'a>> {
    let of_both = a.tables.iter().filter_map(|table| {
        let other = b.tables.iter().find(|other| other.id == table.id && other.columns == table.columns)?;
        Some((table, other))
    });
    of_both.flat_map(|(table, other)| of_table(table, other)).collect()
}

fn of_table<'a>(table: &'a Table, other: &'a Table) -> Vec<Twin<'a>> {
    let of_b: BTreeMap<_, _> = keyed(other).collect();
    let rows = keyed(table).filter_map(|(key, row)| Some((*of_b.get(&key)?, key.0, row)));
    let twins = rows.flat_map(|(in_b, name, in_a)| {
        let cells = in_a.iter().zip(in_b).zip(&table.columns).skip(1);
        cells.filter_map(move |((a, b), column)| {
            let (of_a, of_b) = (a.value()?, b.value()?);
            let ratio = Some(of_b / of_a).filter(|ratio| ratio.is_finite());
            Some(Twin { table, row: name.clone(), column, cells: [a, b], ratio })
        })
    });
    twins.collect()
}

/// Rows by the words of their first cell, and how many above have the same.
fn keyed(table: &Table) -> impl Iterator<Item = ((String, usize), &Vec<Cell>)> {
    let mut seen = BTreeMap::new();
    table.rows.iter().filter_map(move |row| {
        let name = text(row.first()?, table.columns.first()?);
        let count: &mut usize = seen.entry(name.clone()).or_default();
        *count += 1;
        Some(((name, *count), row))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(rows: &[(&str, Option<f64>)]) -> Reading {
        let mut table = Table::new("costs", "Costs", "", &["of", "time, ms"]);
        table.rows = rows.iter().map(|(of, ms)| vec![Cell::words(*of), Cell::number(*ms)]).collect();
        Reading { tables: vec![table], ..Reading::default() }
    }

    #[test]
    fn numbers_of_the_same_row_and_column_stand_beside_each_other() {
        let a = reading(&[("flush", Some(2.0)), ("trim", Some(0.0)), ("idle", None), ("flush", Some(5.0))]);
        let b = reading(&[("idle", Some(1.0)), ("flush", Some(3.0)), ("trim", Some(1.0))]);
        let found: Vec<_> = twins(&a, &b).iter().map(|twin| (twin.row.clone(), twin.ratio)).collect();
        assert_eq!(found, [("flush".to_string(), Some(1.5)), ("trim".into(), None)]);
    }

    #[test]
    fn tables_of_other_columns_are_not_compared() {
        let a = reading(&[("flush", Some(2.0))]);
        let mut b = a.clone();
        b.tables[0].columns[1].unit = "us".into();
        assert!(twins(&a, &b).is_empty());
    }
}
