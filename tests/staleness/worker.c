/* Writes counters and reads them back, for tests/staleness.rs; another handle gets the promise by a token.

       worker ID SECONDS USER PASSWORD DATABASE

   Prints for each way of reading: name, reads, violations, errors; and a line for each violation. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct handle { const char *section; MYSQL *mysql; };
struct way { const char *name; long row, attempt, acknowledged, reads, violations, errors; };

static char **account;
static const char *(*get_token)(void *);
static int (*set_token)(void *, const char *);

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

/* -1: failed, and the connection is given up; else the number in the result, or 0. */
static long run(struct handle *handle, const char *sql) {
    long value = 0;
    if (!handle->mysql) {
        MYSQL *mysql = mysql_init(NULL);
        if (!mysql_real_connect(mysql, handle->section, account[0], account[1], account[2], 0, NULL, 0)) {
            mysql_close(mysql);
            return -1;
        }
        handle->mysql = mysql;
    }
    if (mysql_query(handle->mysql, sql) == 0) {
        MYSQL_RES *result = mysql_store_result(handle->mysql);
        if (!result && mysql_field_count(handle->mysql) == 0)
            return 0;
        MYSQL_ROW row = result ? mysql_fetch_row(result) : NULL;
        value = row && row[0] ? atol(row[0]) : -1;
        if (result)
            mysql_free_result(result);
        if (value >= 0)
            return value;
    }
    mysql_close(handle->mysql);
    handle->mysql = NULL;
    return -1;
}

static void put(struct way *way, struct handle *handle) {
    char sql[100];
    snprintf(sql, sizeof sql, "UPDATE seen SET n = %ld WHERE id = %ld", ++way->attempt, way->row);
    if (run(handle, sql) < 0)
        way->errors++;
    else
        way->acknowledged = way->attempt;
}

static void get(struct way *way, struct handle *handle) {
    char sql[100];
    snprintf(sql, sizeof sql, "SELECT n FROM seen WHERE id = %ld", way->row);
    long seen = run(handle, sql);
    if (seen < 0) {
        way->errors++;
        return;
    }
    way->reads++;
    if (seen < way->acknowledged || seen > way->attempt) {
        way->violations++;
        printf("violation %s row %ld: %ld of %ld to %ld\n", way->name, way->row, seen, way->acknowledged, way->attempt);
    }
}

int main(int argc, char **argv) {
    if (argc != 6)
        return 2;
    long number = atol(argv[1]);
    account = argv + 3;
    get_token = (const char *(*)(void *))dlsym(RTLD_DEFAULT, "mysqlnd_ms_get_token");
    set_token = (int (*)(void *, const char *))dlsym(RTLD_DEFAULT, "mysqlnd_ms_set_token");
    if (!get_token || !set_token)
        return 3;
    struct handle own = {"handle", NULL}, giver = {"handle", NULL}, taker = {"handle", NULL};
    struct way handle = {"handle", number * 10, 0, 0, 0, 0, 0}, token = {"token", number * 10 + 1, 0, 0, 0, 0, 0};
    double end = now() + atof(argv[2]);
    while (now() < end) {
        put(&handle, &own);
        if (!own.mysql)
            handle.acknowledged = 0;
        get(&handle, &own);
        if (!own.mysql)
            handle.acknowledged = 0;
        put(&token, &giver);
        const char *text = giver.mysql ? get_token(giver.mysql) : NULL;
        if (!text) {
            /* The handle that knew it is gone. */
            token.acknowledged = 0;
            continue;
        }
        if (!taker.mysql && run(&taker, "SELECT 1") < 0)
            continue;
        if (set_token(taker.mysql, text) != 0)
            return 4;
        get(&token, &taker);
        if (!taker.mysql)
            token.acknowledged = 0;
    }
    printf("way handle %ld %ld %ld\nway token %ld %ld %ld\n", handle.reads, handle.violations, handle.errors, token.reads,
           token.violations, token.errors);
    return 0;
}
