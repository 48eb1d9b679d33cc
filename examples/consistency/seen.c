/* Reads what it wrote, and lets another connection see it, too: cc seen.c $(pkg-config --cflags --libs mysqlclient-ms) */
#include <mysql.h>
#include <mysqlclient_ms.h>
#include <stdio.h>
#include <stdlib.h>

static MYSQL *connect_to(char **argv) {
    MYSQL *mysql = mysql_init(NULL);
    if (!mysql_real_connect(mysql, argv[1], argv[2], argv[3], argv[4], 0, NULL, 0)) {
        fprintf(stderr, "%s\n", mysql_error(mysql));
        exit(1);
    }
    return mysql;
}

/* The first value of a statement's result. */
static void show(MYSQL *mysql, const char *what, const char *sql) {
    if (mysql_query(mysql, sql)) {
        fprintf(stderr, "%s: %s\n", sql, mysql_error(mysql));
        exit(1);
    }
    MYSQL_RES *result = mysql_store_result(mysql);
    if (!result)
        return;
    MYSQL_ROW row = mysql_fetch_row(result);
    printf("%s: %s\n", what, row ? row[0] : "nothing");
    mysql_free_result(result);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: seen HOST USER PASSWORD DATABASE\n");
        return 2;
    }
    MYSQL *mysql = connect_to(argv);
    show(mysql, "", "REPLACE INTO seen VALUES ('c', 'written by C')");
    /* The default: a replica answers if it has the row, else the primary. */
    show(mysql, "session", "SELECT v FROM seen WHERE k = 'c'");
    show(mysql, "strong", "/*ms=strong*/ SELECT v FROM seen WHERE k = 'c'");

    /* The next web request has another connection. The token goes there in a cookie. */
    const char *token = mysqlnd_ms_get_token(mysql);
    MYSQL *next = connect_to(argv);
    if (token && mysqlnd_ms_set_token(next, token) != 0)
        fprintf(stderr, "%s\n", mysql_error(next));
    show(next, "token", "SELECT v FROM seen WHERE k = 'c'");

    /* A report may be old, but not older than a minute. */
    mysqlnd_ms_set_qos(next, MYSQLND_MS_QOS_CONSISTENCY_EVENTUAL, MYSQLND_MS_QOS_OPTION_AGE, "60");
    show(next, "report", "SELECT COUNT(*) >= 0 FROM seen");
    mysql_close(next);
    mysql_close(mysql);
    return 0;
}
