/* A small shop in C. It knows one server: SHOP_HOST, SHOP_PORT, SHOP_USER, SHOP_PASSWORD, SHOP_DB.
 * The same source is built for Connector/C (libmariadb) and for libmysqlclient. */
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>

static MYSQL *db;

static void stop(void)
{
    fprintf(stderr, "shop: %u (%s): %s\n", mysql_errno(db), mysql_sqlstate(db), mysql_error(db));
    mysql_close(db);
    exit(1);
}

static void run(const char *statement)
{
    if (mysql_query(db, statement))
        stop();
}

/* The first row of a result; the caller frees the result. */
static MYSQL_ROW first(const char *statement, MYSQL_RES **result)
{
    MYSQL_ROW row;
    run(statement);
    *result = mysql_store_result(db);
    if (!*result || !(row = mysql_fetch_row(*result)))
        stop();
    return row;
}

static long number(const char *statement)
{
    MYSQL_RES *result;
    long value = atol(first(statement, &result)[0]);
    mysql_free_result(result);
    return value;
}

int main(void)
{
    MYSQL_RES *result;
    MYSQL_ROW row;
    char statement[200];
    long stock, left, count;
    int item;

    db = mysql_init(NULL);
    if (!db) {
        fprintf(stderr, "shop: mysql_init gives nothing\n");
        return 1;
    }
    if (!mysql_real_connect(db, getenv("SHOP_HOST"), getenv("SHOP_USER"), getenv("SHOP_PASSWORD"), getenv("SHOP_DB"),
                            (unsigned)atoi(getenv("SHOP_PORT")), NULL, 0))
        stop();

    run("DROP TABLE IF EXISTS sale");
    run("CREATE TABLE sale (id INT PRIMARY KEY AUTO_INCREMENT, item INT, pieces INT) ENGINE=InnoDB");

    /* the catalogue */
    for (item = 1; item <= 6; item++) {
        snprintf(statement, sizeof statement, "SELECT name, price FROM item WHERE id = %d", item);
        row = first(statement, &result);
        printf("%s costs %s\n", row[0], row[1]);
        mysql_free_result(result);
    }

    /* a customer buys two things */
    run("INSERT INTO sale (item, pieces) VALUES (1, 2)");
    run("INSERT INTO sale (item, pieces) VALUES (4, 1)");
    printf("sale number %lu\n", (unsigned long)mysql_insert_id(db));

    /* another one buys from the stock */
    run("START TRANSACTION");
    stock = number("SELECT stock FROM item WHERE id = 2");
    run("UPDATE item SET stock = stock - 3 WHERE id = 2");
    run("INSERT INTO sale (item, pieces) VALUES (2, 3)");
    left = number("SELECT stock FROM item WHERE id = 2");
    if (mysql_commit(db))
        stop();
    printf("stock was %ld, is %ld\n", stock, left);

    /* the owner looks at the shop */
    run("UPDATE item SET price = price + 1 WHERE id = 3");
    printf("changed: %lu\n", (unsigned long)mysql_affected_rows(db));
    count = number("SELECT COUNT(*) FROM item");
    row = first("SELECT name FROM item ORDER BY LENGTH(name) DESC, id LIMIT 1", &result);
    printf("%ld items, the longest is %s, ", count, row[0]);
    mysql_free_result(result);
    printf("%ld letters\n", number("SELECT SUM(LENGTH(name)) FROM item WHERE id > 2"));
    mysql_close(db);
    mysql_library_end();
    return 0;
}
