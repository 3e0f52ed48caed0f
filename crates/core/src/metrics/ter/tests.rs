use super::*;

const PLAIN: Tercom =
    Tercom { normalized: false, no_punct: false, asian_support: false, case_sensitive: false };

fn row(tokenizer: Tercom, references: &[&str], output: &str) -> [f64; 2] {
    let metric = Ter { tokenizer };
    let mut row = [0.0; 2];
    metric.count(references, &[output], &mut row, &mut metric.scratch());
    row
}

#[test]
fn x() {
    assert_eq!(row(PLAIN, &["a b c d e"], "d e a b c"), [1.0, 5.0]);
}
