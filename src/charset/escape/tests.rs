use super::*;
use crate::charset::by_name;

fn unhex(text: &str) -> Vec<u8> {
    if text == "." {
        return Vec::new();
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

/// Lines of `CHARSET MODE INPUT OUTPUT`, written by the original.
fn compare(recorded: &str, family: Family) {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for line in recorded.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<_> = line.split(' ').collect();
        let charset = by_name(fields[0]).expect("known");
        let (from, expected) = (unhex(fields[2]), unhex(fields[3]));
        let mut to = vec![0xee; 2 * from.len() + 1];
        let length = match fields[1] {
            "s" => backslashes(&mut to, &from, charset, family),
            "q" => doubled(&mut to, &from, charset, family, b'\''),
            "`" => doubled(&mut to, &from, charset, family, b'`'),
            _ => backslashes(&mut to, &from, charset, family),
        };
        let got = length.map(|length| to[..length].to_vec());
        if got.as_ref() != Some(&expected) || length.is_some_and(|length| to[length] != 0) {
            wrong.push(format!(
                "{line}: {}",
                got.unwrap_or_default().iter().map(|b| format!("{b:02x}")).collect::<String>()
            ));
        }
        seen += 1;
    }
    assert!(seen > 1000, "{seen}");
    assert!(wrong.is_empty(), "{} of {seen} differ:\n{}", wrong.len(), wrong[..wrong.len().min(4000)].join("\n"));
}

#[test]
fn equals_libmysqlclient() {
    compare(include_str!("../../../tests/data/escape_mysql.tsv"), Family::MySql);
}

#[test]
fn equals_connector_c() {
    compare(include_str!("../../../tests/data/escape_mariadb.tsv"), Family::MariaDb);
}
