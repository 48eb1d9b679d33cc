# An ordinary analysis with DBI and RMySQL: sales by region are read, a summary is written in a transaction.
library(DBI)
given <- commandArgs(trailingOnly = TRUE)
db <- dbConnect(RMySQL::MySQL(), host = given[1], port = as.integer(given[2]), user = given[3], password = given[4], dbname = given[5])
for (region in 1:8) {
  sold <- dbGetQuery(db, sprintf("SELECT n, price, note FROM sales WHERE region = %d ORDER BY n", region))
  cat(region, nrow(sold), sum(sold$n), mean(sold$price), sum(is.na(sold$note)), class(sold$n), class(sold$price), class(sold$note), "\n")
}
print(dbListFields(db, "sales"))
dbBegin(db)
for (region in 1:3)
  cat("changed", dbExecute(db, sprintf("INSERT INTO summary VALUES (%d, %s)", region, dbQuoteString(db, "it's fine"))), "\n")
cat("inside", dbGetQuery(db, "SELECT COUNT(*) AS c FROM summary")$c, "\n")
dbRollback(db)
dbBegin(db)
dbExecute(db, "INSERT INTO summary VALUES (9, 'kept')")
dbCommit(db)
# A result that is fetched piece by piece.
result <- dbSendQuery(db, "SELECT n, note FROM sales ORDER BY region, n")
while (!dbHasCompleted(result)) {
  part <- dbFetch(result, n = 7)
  cat("part", nrow(part), paste(part$n, collapse = " "), "\n")
}
dbClearResult(result)
cat("error", tryCatch(dbGetQuery(db, "SELECT * FROM nowhere"), error = conditionMessage), "\n")
invisible(dbDisconnect(db))
