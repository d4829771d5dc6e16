//! Near names: what the writer of a misspelt name may have meant.

/// The candidate nearest to `name`, if any is near enough.
pub fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let limit = (name.len() / 3).clamp(1, 3);
    let near = candidates.filter(|c| c.len().abs_diff(name.len()) <= limit);
    let (distance, best) = near.map(|c| (distance(name, c), c)).min()?;
    (distance <= limit && distance < name.len()).then_some(best)
}

/// How many letters have to be added, removed, changed or exchanged with their neighbour
/// (Damerau, "A technique for computer detection and correction of spelling errors").
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            best = best.min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["flatten", "partition", "sum", "max"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("flaten"), Some("flatten"));
        assert_eq!(near("fltaten"), Some("flatten"));
        assert_eq!(near("partitoin"), Some("partition"));
        assert_eq!(near("smu"), Some("sum"));
        assert_eq!(near("x"), None);
        assert_eq!(near("helper"), None);
    }
}
