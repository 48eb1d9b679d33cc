#!/usr/bin/python3
"""A program that writes and reads without knowing of replication: Python, MySQLdb. What it does: README.md."""

import os
import random
import sys
import time

import MySQLdb

host, port, user, password, db, worker, seed, log, stop = sys.argv[1:]
worker = int(worker)
dice = random.Random(int(seed))
out = open(log, "w", buffering=1, encoding="utf-8")
connection = None
acknowledged = None


def connect():
    return MySQLdb.connect(host=host, port=int(port), user=user, passwd=password, db=db, charset="utf8mb4", autocommit=True)


def rows(sql, *bind):
    cursor = connection.cursor()
    cursor.execute(sql, bind or None)
    return cursor.fetchall()


def insert(seq, kind):
    rows("INSERT INTO written (worker, seq, kind) VALUES (%s, %s, %s)", worker, seq, kind)


def transaction(seq):
    """The step at which it failed with the error, or ('commit', None)."""
    try:
        rows("START TRANSACTION")
        rows("UPDATE account SET n = n + 1 WHERE worker = %s", worker)
        insert(seq, "t")
    except MySQLdb.Error as error:
        try:
            connection.rollback()
        except MySQLdb.Error:
            pass
        return "inside", error
    try:
        connection.commit()
    except MySQLdb.Error as error:
        try:
            connection.rollback()
        except MySQLdb.Error:
            pass
        return "commit", error
    return "commit", None


seq = 0
while not os.path.exists(stop):
    seq += 1
    if connection is not None and dice.random() < 0.01:
        connection.close()
        connection = None
    kind = "c" if connection is None else dice.choice("iitrrffff")
    if kind == "r" and acknowledged is None:
        kind = "i"
    out.write(f"B {seq} {kind} {time.monotonic():.6f}\n")
    code, text, answer, place = 0, "", "", "-"
    try:
        if kind == "c":
            connection = connect()
            acknowledged = None
        elif kind == "i":
            insert(seq, "i")
            acknowledged = seq
        elif kind == "t":
            place, error = transaction(seq)
            if error is not None:
                raise error
            acknowledged = seq
        elif kind == "r":
            answer = f"{acknowledged}:{rows('SELECT COUNT(*) FROM written WHERE worker = %s AND seq = %s', worker, acknowledged)[0][0]}"
        else:
            number = dice.randint(1, 100)
            value, node = rows("SELECT v, (SELECT MAX(n) FROM whoami) FROM fixed WHERE id = %s", number)[0]
            answer = f"{value - 7 * number}:{node}"
    except MySQLdb.Error as error:
        code, text = error.args[0], str(error.args[-1]).replace("\n", " ")
    out.write(f"E {seq} {kind} {time.monotonic():.6f} {code} {place} {answer or '-'} {text}\n")
    time.sleep(dice.random() * 0.01)
if connection is not None:
    connection.close()
