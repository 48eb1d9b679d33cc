//! Runs the classifier over fixed statements, for an instruction counter:
//!
//! ```text
//! cargo build --release --example classify_cost
//! valgrind --tool=callgrind --toggle-collect='classify_cost::new_text' target/release/examples/classify_cost
//! ```
//!
//! `new_text` classifies a text not seen before and keeps it; `seen_text` asks for one that is kept; `bare` is the
//! classifier alone. Each runs `ROUNDS` times over every statement.
#![allow(clippy::print_stdout)]

use std::hint::black_box;

use mysqlclient_ms::route::cache::StatementCache;
use mysqlclient_ms::route::{Class, ClassifyConfig, LexContext, Server, classify};

const ROUNDS: usize = 100;

/// About 200 bytes each, as applications send them.
const STATEMENTS: &[&str] = &[
    "SELECT p.id, p.title, p.slug, u.name AS author FROM posts p JOIN users u ON u.id = p.author_id \
     WHERE p.status = 'published' AND p.created_at < '2024-05-01 10:00:00' ORDER BY p.created_at DESC LIMIT 20",
    "SELECT `orders`.`id`, `orders`.`total`, `orders`.`state` FROM `orders` INNER JOIN `customers` ON \
     `customers`.`id` = `orders`.`customer_id` WHERE `customers`.`email` = 'a.b@example.com' AND `orders`.`total` > 9",
    "SELECT COUNT(*), SUM(amount), MAX(created), COALESCE(MIN(NULLIF(amount, 0)), 0) FROM payments WHERE account \
     IN (1, 2, 3, 4, 5, 6, 7, 8) AND created >= DATE_SUB(NOW(), INTERVAL 7 DAY) GROUP BY account HAVING SUM(amount)>5",
    "INSERT INTO `session_log` (`id`, `user_id`, `payload`, `created_at`, `updated_at`) VALUES (NULL, 42, \
     'a:2:{s:4:\"name\";s:5:\"value\";s:4:\"more\";s:5:\"other\";}', '2024-05-01 10:00:00', '2024-05-01 10:00:00')",
];

#[inline(never)]
fn bare(sql: &[u8], context: &LexContext, config: &ClassifyConfig) -> Class {
    black_box(classify(black_box(sql), context, config)).class
}

#[inline(never)]
fn new_text(cache: &mut StatementCache, sql: &[u8], context: &LexContext, config: &ClassifyConfig) -> Class {
    cache.classify(black_box(sql), context, config).class
}

#[inline(never)]
fn seen_text(cache: &mut StatementCache, sql: &[u8], context: &LexContext, config: &ClassifyConfig) -> Class {
    let class = cache.classify(black_box(sql), context, config).class;
    // Keeps the compiler from making one function of the two.
    black_box(class)
}

fn main() {
    let context = LexContext { server: Server::mysql(90_704), ..LexContext::default() };
    let config = ClassifyConfig::default();
    let mut cache = StatementCache::default();
    let mut reads = 0;
    for round in 0..ROUNDS {
        for statement in STATEMENTS {
            reads += usize::from(bare(statement.as_bytes(), &context, &config) == Class::Read);
            let fresh = format!("{statement} -- {round}");
            reads += usize::from(new_text(&mut cache, fresh.as_bytes(), &context, &config) == Class::Read);
            reads += usize::from(seen_text(&mut cache, fresh.as_bytes(), &context, &config) == Class::Read);
        }
    }
    let bytes: usize = STATEMENTS.iter().map(|statement| statement.len()).sum();
    println!(
        "{} statements of {} bytes on average, {reads} reads",
        STATEMENTS.len() * ROUNDS,
        bytes / STATEMENTS.len()
    );
}
