"""Reads what it wrote, with MySQLdb: seen.py HOST USER PASSWORD DATABASE"""
import sys

import MySQLdb

host, user, password, database = sys.argv[1:]
# Without autocommit every statement of MySQLdb is in a transaction, which belongs to the primary.
connection = MySQLdb.connect(host=host, user=user, password=password, database=database, autocommit=True)
cursor = connection.cursor()


def value(sql):
    cursor.execute(sql)
    return cursor.fetchone()[0]


cursor.execute("REPLACE INTO seen VALUES ('python', 'written by Python')")
SQL = "SELECT v FROM seen WHERE k = 'python'"

# The default: a replica answers if it has the row, else the primary.
print("session:", value(SQL))
# What other programs have written counts, too: the primary answers.
print("strong:", value("/*ms=strong*/ " + SQL))
# A list that may be old costs nothing.
print("report:", value("/*ms=eventual*/ SELECT COUNT(*) >= 0 FROM seen"))
connection.close()
