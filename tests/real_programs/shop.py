#!/usr/bin/python3
"""An ordinary program on MySQLdb with autocommit on. See README.md for the marks."""

import sys

import MySQLdb

host, port, user, password, db, handles = sys.argv[1:7]
sent = {"r": 0, "w": 0, "t": 0}


def connect():
    return MySQLdb.connect(host=host, port=int(port), user=user, passwd=password, db=db,
                           charset="utf8mb4", autocommit=True)


def value(mark, sql, *bind):
    sent[mark] += 1
    cursor = connection.cursor()
    cursor.execute(f"{sql} /* {mark} */", bind or None)
    row = cursor.fetchone()
    return row[0] if row else None


def run(mark, sql, *bind):
    sent[mark] += 1
    cursor = connection.cursor()
    cursor.execute(f"{sql} /* {mark} */", bind or None)
    return cursor


for h in range(1, int(handles) + 1):
    connection = connect()
    tag = f"python{h}"
    for i in range(1, 21):
        print(h, "read", i, value("r", "SELECT v FROM real_read WHERE id = %s", i * 3))
    last = run("w", "INSERT INTO real_write (tag, n) VALUES (%s, %s)", tag, 1).lastrowid
    print(h, "insert id kept", value("w", "SELECT LAST_INSERT_ID()") == last)
    print(h, "affected", run("w", "UPDATE real_write SET n = n + 1 WHERE tag = %s", tag).rowcount)
    connection.begin()
    run("t", "INSERT INTO real_write (tag, n) VALUES (%s, %s)", tag, 10)
    print(h, "in transaction", value("t", "SELECT SUM(n) FROM real_write WHERE tag = %s", tag))
    connection.rollback()
    connection.begin()
    run("t", "INSERT INTO real_write (tag, n) VALUES (%s, %s)", tag, 100)
    print(h, "in transaction", value("t", "SELECT SUM(n) FROM real_write WHERE tag = %s", tag))
    connection.commit()
    print(h, "locking", value("w", "SELECT SUM(n) FROM real_write WHERE tag = %s FOR UPDATE", tag))
    for i in range(1, 21):
        print(h, "aggregate", i,
              value("r", "SELECT CONCAT(COUNT(*), ' ', MAX(v)) FROM real_read WHERE id <= %s", i))
    connection.close()

connection = connect()
run("w", "SET @basket = 7")
print("variable", value("r", "SELECT @basket"))
run("w", "CREATE TEMPORARY TABLE real_tmp (a INT)")
run("w", "INSERT INTO real_tmp VALUES (1), (2)")
print("temporary table", value("w", "SELECT COUNT(*) FROM real_tmp"))
connection.close()
connection = connect()
try:
    run("w", "INSERT INTO real_nothing VALUES (1)")
except MySQLdb.Error as error:
    print("error", error.args[0])
connection.close()
print(f"reads={sent['r']} writes={sent['w']} transactions={sent['t']}")
