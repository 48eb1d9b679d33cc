/*
 * sql.c: statements whose replies are the same for both sides: no clock, no random numbers, no ids of connections, no
 * statistics, and tables that only one handle writes to (t0, t1, t2), so that nobody waits for locks.
 *
 * In a template %t is the handle's table, %d the side's schema, %n a small number, %s a quoted text, %c columns of the
 * table of all types, %v any literal, %l a length.
 */
#include "lockstep.h"

static const char *const texts[] = {
    /* results */
    "SELECT 1", "SELECT %v AS a, %v, %v AS `c c`", "SELECT %c FROM types", "SELECT %c FROM types ORDER BY id DESC LIMIT %n",
    "SELECT * FROM types WHERE id = %n", "SELECT * FROM %t ORDER BY id", "SELECT * FROM %t ORDER BY id LIMIT %n",
    "SELECT id, s AS text, n+%n AS sum FROM %t AS other ORDER BY id", "SELECT * FROM %t WHERE 1 = 0",
    "SELECT * FROM %d.types WHERE id > %n", "SELECT COUNT(*), MAX(id), MIN(s) FROM %t", "SELECT REPEAT('x', %l) AS r",
    "SELECT REPEAT(%s, %n), %v", "SELECT NULL, %v", "SELECT id FROM types UNION ALL SELECT n FROM %t",
    "SELECT a.id, b.id FROM types a, types b, types c ORDER BY 1, 2 LIMIT %l", "SELECT @a, @b", "SELECT @@autocommit, @@sql_mode",
    "SELECT _latin1 x'e9' AS l, _utf8mb4 x'e282ac' AS u, x'00ff' AS b", "SELECT 1 FROM dual WHERE 0",
    "SELECT 1/0", "SELECT CAST(%v AS CHAR(3)), CAST(%v AS SIGNED), CAST(%v AS DECIMAL(10,3))", "SELECT DATABASE()",
    "SELECT SQL_CALC_FOUND_ROWS id FROM types LIMIT 1", "SELECT FOUND_ROWS()", "SELECT ROW_COUNT()", "SELECT LAST_INSERT_ID()",
    "SHOW WARNINGS", "SHOW ERRORS", "SHOW TABLES", "SHOW COLUMNS FROM %t", "SHOW CREATE TABLE %d.types", "DESCRIBE %t n",
    "SHOW VARIABLES LIKE 'character_set_c%'", "SHOW COUNT(*) WARNINGS", "CHECKSUM TABLE %t", "CHECK TABLE types", "(SELECT 5)",
    "HELP 'no such thing'", "TABLE types", "VALUES ROW(1, 'a'), ROW(2, NULL)", "SELECT 'a', 'a', 'a' UNION SELECT 'b', %s, NULL",
    "SELECT * FROM (SELECT %n AS x UNION SELECT 2 UNION SELECT %n) q ORDER BY x",
    "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q WHERE n < %n) SELECT n, %v FROM q",
    /* changes */
    "INSERT INTO %t (n, s) VALUES (%n, %s)", "INSERT INTO %t (n, s) VALUES (%n, %s), (%n, %s), (%n, NULL)",
    "INSERT INTO %t (n, s) VALUES (%n, %s), (%n, %s)", "INSERT INTO %t (id, n) VALUES (%n, %n)",
    "INSERT IGNORE INTO %t (id, n) VALUES (%n, %n), (%n, %n)", "INSERT INTO %t (n, s) SELECT id, c_char FROM types WHERE id < %n",
    "REPLACE INTO %t (id, n, s) VALUES (%n, %n, %s)", "UPDATE %t SET n = n + 1", "UPDATE %t SET n = %n WHERE n = %n",
    "UPDATE %t SET s = %s WHERE id <= %n", "DELETE FROM %t WHERE n > %n", "DELETE FROM %t", "UPDATE IGNORE %t SET u = %n",
    "INSERT INTO %t (n, s) VALUES (%v, %v)", "INSERT INTO %t (id, n) VALUES (%n, 1) ON DUPLICATE KEY UPDATE n = n + %n",
    "INSERT INTO %t (b) VALUES (REPEAT('b', %l))", "TRUNCATE TABLE %t", "INSERT INTO %t (id) VALUES (LAST_INSERT_ID(%n) + 100)",
    "UPDATE %t SET n = LAST_INSERT_ID(n + %n)", "INSERT INTO types (id) VALUES (%n)", "DO 0", "DO 1 / 0",
    "ALTER TABLE %t ADD COLUMN extra VARCHAR(20) DEFAULT 'extra'", "ALTER TABLE %t DROP COLUMN extra",
    "ALTER TABLE %t MODIFY s VARCHAR(60)", "ALTER TABLE %t MODIFY s VARCHAR(200)",
    "CREATE TEMPORARY TABLE tmp (a INT, b TEXT)", "INSERT INTO tmp VALUES (%n, %s)", "SELECT * FROM tmp",
    "DROP TEMPORARY TABLE tmp", "DROP TEMPORARY TABLE IF EXISTS tmp", "CREATE TABLE IF NOT EXISTS %t (id INT)",
    /* state */
    "BEGIN", "START TRANSACTION READ ONLY", "COMMIT", "ROLLBACK", "SAVEPOINT a", "ROLLBACK TO SAVEPOINT a",
    "COMMIT AND CHAIN", "SET autocommit = 0", "SET autocommit = 1", "SET @a = %v", "SET @b := %n, @a = %s", "SELECT %n INTO @a",
    "SET SESSION sql_mode = ''", "SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ANSI_QUOTES'", "SET SESSION sql_mode = DEFAULT",
    "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'", "SET NAMES latin1", "SET NAMES utf8mb4", "SET NAMES gbk", "SET NAMES binary",
    "SET NAMES utf8mb4 COLLATE utf8mb4_bin", "SET CHARACTER SET latin1", "USE %d", "USE mysql_no_such", "USE information_schema",
    "SET SESSION session_track_schema = 1", "SET SESSION session_track_system_variables = 'sql_mode,time_zone,character_set_results,character_set_connection'",
    "SET SESSION session_track_system_variables = 'autocommit,character_set_client'", "SET SESSION session_track_state_change = 1",
    "SET SESSION session_track_transaction_info = 'CHARACTERISTICS'", "SET SESSION session_track_transaction_info = 'OFF'",
    "SET SESSION max_error_count = %n", "SET SESSION sql_warnings = 1", "SET SESSION sql_select_limit = %n",
    "SET SESSION sql_select_limit = DEFAULT", "SET SESSION no_such_variable = 1", "FLUSH NO_WRITE_TO_BINLOG STATUS",
    /* procedures */
    "CALL p_rows(%n)", "CALL p_two()", "CALL p_none()", "CALL p_error(%n)", "CALL p_out(%n, @a)", "CALL p_warn()",
    "CALL no_such_procedure()", "SELECT f_twice(%n)", "PREPARE q FROM 'SELECT ?, id FROM types'", "EXECUTE q USING @a",
    "DEALLOCATE PREPARE q",
    /* errors */
    "SELEC 1", "SELECT no_such_column FROM %t", "SELECT * FROM no_such_table", "INSERT INTO %t (no_such) VALUES (1)", "",
    " ", "/* nothing */", "-- nothing\n", ";", "SELECT 'open", "SELECT (1", "SELECT * FROM %t WHERE id = (SELECT id FROM types)",
    "DROP TABLE no_such_table", "SELECT COUNT(*) FROM no_such_schema.t", "SELECT f_fails()", "SIGNAL SQLSTATE '45000'",
    "SIGNAL SQLSTATE '77123' SET MESSAGE_TEXT = %s, MYSQL_ERRNO = 5678", "SIGNAL SQLSTATE '01234'", "GRANT ALL ON *.* TO nobody_there",
    "INSERT INTO child VALUES (%n)", "CREATE TABLE types (a INT)", "SELECT \"quoted\", 'a\\'b'", "DO SLEEP(0)",
};

/* Of these a packet of several is made. */
static const char *const pieces[] = {
    "SELECT %n", "SELECT %v AS a", "INSERT INTO %t (n) VALUES (%n)", "UPDATE %t SET n = %n", "SET @a = %n", "SELECT id FROM types",
    "SELECT * FROM no_such_table", "DO 0", "CALL p_two()", "SELECT * FROM %t WHERE 0", "SELECT s FROM %t ORDER BY id", "SELEC",
    "DELETE FROM %t WHERE n = %n", "SELECT 1/0", "CALL p_error(%n)", "SELECT REPEAT('y', %l)",
};

static const char *const prepared[] = {
    "SELECT %c FROM types", "SELECT * FROM types ORDER BY id", "SELECT %c, id FROM types WHERE id > ?", "SELECT ?", "SELECT ?, ?",
    "SELECT ? AS a, %v, ?, CONCAT(?, 'x')", "SELECT * FROM %t ORDER BY id", "SELECT id, s, n + ? FROM %t WHERE s = ? OR id > ? ORDER BY id",
    "INSERT INTO %t (n, s) VALUES (?, ?)", "INSERT INTO %t (n, s, b) VALUES (?, ?, ?)", "UPDATE %t SET n = ? WHERE id < ?",
    "DELETE FROM %t WHERE id = ?", "REPLACE INTO %t (id, s) VALUES (?, ?)", "INSERT INTO %t (b) VALUES (?)", "SELECT 1", "DO ?",
    "SET @a = ?", "SET @b = 5", "CALL p_rows(?)", "CALL p_two()", "CALL p_none()", "CALL p_error(?)", "CALL p_out(?, ?)", "CALL p_inout(?)",
    "SHOW TABLES", "SHOW WARNINGS", "SHOW COLUMNS FROM %t", "SELECT * FROM no_such_table", "SELEC ?", "SELECT 1; SELECT 2", "",
    "SELECT * FROM types WHERE 0", "SELECT a.id, b.c_varchar FROM types a, types b ORDER BY 1, b.id", "BEGIN", "COMMIT", "ROLLBACK",
    "SELECT REPEAT('z', ?)", "SELECT ? + 1, ? * 2.5, ? || 'a'", "USE %d", "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?", "SELECT 1/0",
    "CREATE TEMPORARY TABLE IF NOT EXISTS tmp (a INT, b TEXT)", "SELECT * FROM tmp", "ALTER TABLE %t ADD COLUMN extra VARCHAR(20) DEFAULT 'extra'",
    "ALTER TABLE %t DROP COLUMN extra", "SELECT id FROM types LIMIT ?", "SELECT c_blob, c_text, c_longtext FROM types WHERE id = ?",
    "SELECT @a, @b, CAST(? AS CHAR(4))", "SELECT f_twice(?)", "SELECT f_fails()", "INSERT INTO %t (id, n) VALUES (?, 1)",
    "SELECT REPEAT('q', 40), REPEAT('r', %l), NULL, id FROM types", "PREPARE q FROM 'SELECT 1'", "SELECT CAST(? AS DATE), CAST(? AS TIME)",
};

static const char *const literals[] = {
    "NULL", "0", "1", "-1", "127", "128", "255", "65536", "2147483648", "-9223372036854775808", "18446744073709551615", "1.5",
    "-0.001", "1e10", "1.0e-5", "123456789.123456789", "''", "'a'", "'text'", "'a longer text of some words'", "x'00'", "x'ff00ff'",
    "b'101'", "TRUE", "DATE'2024-02-29'", "TIME'-12:34:56.789'", "TIMESTAMP'2001-02-03 04:05:06'", "TIMESTAMP'2001-02-03 04:05:06.070809'",
    "'12abc'", "'9999-12-31'", "_utf8mb4'\xc3\xa4\xe2\x82\xac'", "CAST('b' AS BINARY(4))", "REPEAT('w', 300)", "1 = 1", "'0'", "3.0e38",
};

static const char *const quoted[] = {
    "''", "'a'", "'abc'", "'it''s'", "'tab\\there'", "'zero\\0byte'", "'\xc3\xa4\xc3\xb6'", "'twelve bytes'", "NULL",
    "'a text that is longer than the column has room for, which in strict mode is an error and else a warning'",
};

static const char *const columns[] = {
    "c_tiny", "c_utiny", "c_small", "c_usmall", "c_medium", "c_int", "c_uint", "c_big", "c_ubig", "c_float", "c_double",
    "c_decimal", "c_date", "c_time", "c_time3", "c_datetime", "c_datetime6", "c_timestamp", "c_year", "c_char", "c_varchar",
    "c_binary", "c_varbinary", "c_blob", "c_text", "c_longtext", "c_enum", "c_set", "c_bit", "c_json", "c_zero", "*", "id",
};

static void fill(char *out, size_t room, const char *template, int i)
{
  size_t n = 0;
  for (const char *p = template; *p && n + 400 < room; p++) {
    if (*p != '%' || !strchr("tdnscvl", p[1]) || !p[1]) {
      out[n++] = *p;
      continue;
    }
    switch (*++p) {
    case 't': n += (size_t)sprintf(out + n, "t%d", i); break;
    case 'd': n += (size_t)sprintf(out + n, "%s", S->db); break;
    case 'n': n += (size_t)sprintf(out + n, "%u", pick(12)); break;
    case 's': n += (size_t)sprintf(out + n, "%s", ONE_OF(quoted)); break;
    case 'v': n += (size_t)sprintf(out + n, "%s", ONE_OF(literals)); break;
    case 'l': {
      static const unsigned lengths[] = {0, 1, 7, 250, 251, 252, 255, 256, 300, 1000, 5000, 20000};
      n += (size_t)sprintf(out + n, "%u", chance(3) ? 70000 : ONE_OF(lengths));
      break;
    }
    case 'c': {
      unsigned many = 1 + pick(5);
      for (unsigned k = 0; k < many; k++) {
        const char *column = ONE_OF(columns);
        if (*column == '*' && k)
          column = "c_int";
        n += (size_t)sprintf(out + n, "%s%s", k ? ", " : "", column);
      }
      break;
    }
    }
  }
  out[n] = 0;
}

size_t any_text(char *out, size_t room, int i)
{
  if (chance(12)) {
    unsigned many = 2 + pick(3);
    size_t n = 0;
    for (unsigned k = 0; k < many; k++) {
      fill(out + n, room - n, ONE_OF(pieces), i);
      n += strlen(out + n);
      if (k + 1 < many || chance(10))
        out[n++] = ';', out[n] = 0;
    }
    return n;
  }
  fill(out, room, ONE_OF(texts), i);
  return strlen(out);
}

size_t any_prepared(char *out, size_t room, int i)
{
  fill(out, room, ONE_OF(prepared), i);
  return strlen(out);
}
