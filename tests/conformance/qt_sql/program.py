"""Uses Qt's QMYSQL driver in every way that its classes offer, and prints what it sees: `== NAME` starts a part.

Knows neither which client library it runs with nor what is right: the runner compares what it printed with both. So it
prints nothing that changes from run to run (connection ids, times). Arguments: host, port, user, password, database.
"""

import sys

from PyQt5.QtCore import QByteArray, QCoreApplication, QDate, QDateTime, QTime, QVariant
from PyQt5.QtSql import (QSql, QSqlDatabase, QSqlDriver, QSqlField, QSqlQuery, QSqlQueryModel, QSqlTableModel)


def part(name):
    print(f"== {name}", flush=True)


def shown(value):
    """A value with its type, the same for everything that Qt hands out."""
    if isinstance(value, QVariant):
        return f"null:{value.typeName()}" if value.isNull() else f"{value.typeName()}"
    if isinstance(value, QByteArray):
        data = bytes(value)
        return f"bytes[{len(data)}]:{data[:24].hex()}:{sum(data) % 65521}"
    if isinstance(value, (QDate, QTime, QDateTime)):
        form = {QDate: "yyyy-MM-dd", QTime: "HH:mm:ss.zzz", QDateTime: "yyyy-MM-dd HH:mm:ss.zzz"}[type(value)]
        return f"{type(value).__name__}:{value.toString(form)}"
    if isinstance(value, str) and len(value) > 60:
        return f"str[{len(value)}]:{value[:20]}..{value[-20:]}"
    return f"{type(value).__name__}:{value!r}"


def error(of):
    e = of.lastError()
    return f"type {e.type()} native {e.nativeErrorCode()} driver {e.driverText()!r} server {e.databaseText()!r}"


def run(query, text=None):
    good = query.exec_(text) if text is not None else query.exec_()
    print(f"exec {'ok' if good else error(query)} select {query.isSelect()} size {query.size()} "
          f"affected {query.numRowsAffected()} insert id {shown(query.lastInsertId())}")
    return good


def rows(query):
    record = query.record()
    for i in range(record.count()):
        f = record.field(i)
        print(f"  field {f.name()!r} type {QVariant.typeToName(f.type())} length {f.length()} precision {f.precision()} "
              f"required {f.requiredStatus()} auto {f.isAutoValue()} table {f.tableName()!r}")
    while query.next():
        print(f"  {query.at()}: " + " | ".join(shown(query.value(i)) + ("(null)" if query.isNull(i) else "")
                                               for i in range(record.count())))


TYPES = """CREATE TABLE qt_types (id INT AUTO_INCREMENT PRIMARY KEY, ti TINYINT, tu TINYINT UNSIGNED, si SMALLINT,
 mi MEDIUMINT, i INT, iu INT UNSIGNED, b BIGINT, bu BIGINT UNSIGNED, f FLOAT, d DOUBLE, n DECIMAL(20,6), c CHAR(10),
 v VARCHAR(200), t TEXT, lt LONGTEXT, bi BINARY(8), vb VARBINARY(50), bl LONGBLOB, da DATE, tm TIME(3), dt DATETIME(6),
 ts TIMESTAMP NULL, y YEAR, e ENUM('a','b'), s SET('x','y','z'), bt BIT(12)) CHARACTER SET utf8mb4"""
COLUMNS = "ti tu si mi i iu b bu f d n c v t lt bi vb bl da tm dt ts y e s bt".split()


def types(db):
    part("types: table and rows")
    q = QSqlQuery(db)
    run(q, "DROP TABLE IF EXISTS qt_types")
    run(q, TYPES)
    run(q, "INSERT INTO qt_types (ti,tu,si,mi,i,iu,b,bu,f,d,n,c,v,t,lt,bi,vb,bl,da,tm,dt,ts,y,e,s,bt) VALUES "
           "(-128,255,-32768,-8388608,-2147483648,4294967295,-9223372036854775808,18446744073709551615,1.5,"
           "-2.25e100,12345678901234.567890,'abc','v\u00e4\u20ac','text','long','bin','var','blob',"
           "'2024-02-29','-12:34:56.789','9999-12-31 23:59:59.999999','2001-02-03 04:05:06',2024,'b','x,z',b'101')")
    run(q, "INSERT INTO qt_types (ti) VALUES (NULL)")
    # Qt asks for utf8 with three bytes.
    run(q, "INSERT INTO qt_types (v) VALUES ('\U0001f600')")
    run(q, "INSERT INTO qt_types (ti,da,tm,dt,y) VALUES (0,'0001-01-01','00:00:00','1000-01-01 00:00:00',1901)")
    part("types: read as text")
    if run(q, "SELECT * FROM qt_types ORDER BY id"):
        rows(q)
    part("types: read prepared")
    q.prepare("SELECT * FROM qt_types WHERE id >= ? ORDER BY id")
    q.addBindValue(0)
    if run(q):
        rows(q)
    for policy in (QSql.LowPrecisionInt32, QSql.LowPrecisionInt64, QSql.LowPrecisionDouble, QSql.HighPrecision):
        part(f"types: numerical precision {policy}")
        for prepared in (False, True):
            q = QSqlQuery(db)
            q.setNumericalPrecisionPolicy(policy)
            text = "SELECT n, d, bu, b FROM qt_types ORDER BY id"
            if prepared:
                q.prepare(text)
            if run(q, None if prepared else text):
                rows(q)


def binding(db):
    part("binding: positional, every column")
    q = QSqlQuery(db)
    q.prepare(f"INSERT INTO qt_types ({','.join(COLUMNS)}) VALUES ({','.join('?' * len(COLUMNS))})")
    print("prepared", q.lastQuery()[:40])
    values = [1, 2, -3, 4, 5, 6, 2 ** 40, 2 ** 63 + 5, 0.5, 1e-300, "3.141593", "char", "\u00fcml\u00e4ut \u4e2d\u6587",
              "t" * 70000, "", QByteArray(b"\0\1\2\3\4\5\6\7"), QByteArray(b"\xff\0'\"\\"),
              QByteArray(bytes(range(256)) * 4096), QDate(2020, 2, 29), QTime(23, 59, 58, 125),
              QDateTime(QDate(2019, 12, 31), QTime(1, 2, 3, 456)), QDateTime(QDate(2019, 6, 1), QTime(12, 0, 0)),
              1999, "a", "y", 5]
    for value in values:
        q.addBindValue(value)
    run(q)
    print("bound", q.boundValues().__len__())
    again = QSqlQuery(db)
    if run(again, "SELECT * FROM qt_types ORDER BY id DESC LIMIT 1"):
        rows(again)
    part("binding: the same statement again with nulls")
    for _ in COLUMNS:
        q.addBindValue(QVariant(QVariant.String))
    run(q)
    part("binding: named")
    n = QSqlQuery(db)
    n.prepare("SELECT :a + 0 AS a, :b AS b, :a AS again, 'no :b here'")
    n.bindValue(":a", 41)
    n.bindValue(":b", "x")
    if run(n):
        rows(n)
    n.bindValue(":b", "y" * 300)
    n.bindValue(":a", -1.5)
    if run(n):
        rows(n)
    part("binding: too few")
    few = QSqlQuery(db)
    few.prepare("SELECT ?, ?")
    few.addBindValue(1)
    run(few)
    part("binding: batch")
    run(q, "CREATE TEMPORARY TABLE qt_batch (id INT PRIMARY KEY, name VARCHAR(20), data BLOB)")
    batch = QSqlQuery(db)
    batch.prepare("INSERT INTO qt_batch VALUES (?, ?, ?)")
    batch.addBindValue([1, 2, 3, 4])
    batch.addBindValue(["one", "two", QVariant(QVariant.String), "four"])
    batch.addBindValue([QByteArray(b"1"), QByteArray(b""), QByteArray(b"\0" * 1000), QByteArray(b"4")])
    print("batch", batch.execBatch(), error(batch))
    batch.addBindValue([5, 1])
    batch.addBindValue(["five", "one again"])
    batch.addBindValue([QByteArray(b"5"), QByteArray(b"1")])
    print("batch with a duplicate", batch.execBatch(), error(batch))
    if run(q, "SELECT * FROM qt_batch ORDER BY id"):
        rows(q)


def walking(db):
    part("walking a stored result")
    q = QSqlQuery(db)
    run(q, "CREATE TEMPORARY TABLE qt_walk (id INT PRIMARY KEY, v VARCHAR(20))")
    q.prepare("INSERT INTO qt_walk VALUES (?, ?)")
    for i in range(300):
        q.addBindValue(i)
        q.addBindValue(f"row {i}")
        q.exec_()
    for prepared in (False, True):
        for forward in (False, True):
            part(f"walking: prepared {prepared} forward only {forward}")
            w = QSqlQuery(db)
            w.setForwardOnly(forward)
            text = "SELECT id, v FROM qt_walk ORDER BY id"
            if prepared:
                w.prepare(text)
            run(w, None if prepared else text)
            # Qt goes to a null pointer when asked to go back in a result that the library does not store.
            back = () if forward else ("last", "previous", "first", "previous")
            for step in ("first", "next", "next", *back):
                print(step, getattr(w, step)(), w.at(), shown(w.value(0)) if w.isValid() else "no row")
            for to, relative in ((10, False), (5, True), *(() if forward else ((-3, True),)), (299, False), (300, False),
                                 (-1, False)):
                print("seek", to, relative, w.seek(to, relative), w.at(), shown(w.value(1)) if w.isValid() else "no row")
            w.finish()
            print("active", w.isActive())


def transactions(db):
    part("transactions")
    q = QSqlQuery(db)
    run(q, "DROP TABLE IF EXISTS qt_tx")
    run(q, "CREATE TABLE qt_tx (id INT PRIMARY KEY) ENGINE=InnoDB")
    for end in ("rollback", "commit"):
        print("begin", db.transaction())
        run(q, "INSERT INTO qt_tx VALUES (1)")
        print(end, getattr(db, end)())
        if run(q, "SELECT COUNT(*) FROM qt_tx"):
            rows(q)
    print("begin twice", db.transaction(), db.transaction(), db.rollback())


def results(db):
    part("several results")
    q = QSqlQuery(db)
    if run(q, "SELECT 1 AS a; SELECT 2 AS b, 3 AS c; UPDATE qt_tx SET id = 2; SELECT 4 AS d"):
        while True:
            if q.isSelect():
                rows(q)
            print("affected", q.numRowsAffected())
            if not q.nextResult():
                break
    part("procedures")
    run(q, "DROP PROCEDURE IF EXISTS qt_p")
    run(q, "CREATE PROCEDURE qt_p(IN a INT, OUT b VARCHAR(20), INOUT c DOUBLE) BEGIN SELECT a AS one; SELECT a + 1 AS two, "
           "'x' AS three; SET b = CONCAT('out ', a); SET c = c * 2; END")
    run(q, "SET @c = 2.5")
    run(q, "CALL qt_p(7, @b, @c)")
    while True:
        rows(q)
        if not q.nextResult():
            break
    if run(q, "SELECT @b, @c"):
        rows(q)
    p = QSqlQuery(db)
    print("prepare", p.prepare("CALL qt_p(?, @b, @c)"), error(p))
    p.addBindValue(8)
    if run(p):
        rows(p)
        print("next", p.nextResult())


def errors(db):
    part("errors")
    q = QSqlQuery(db)
    for text in ("SELEC 1", "SELECT * FROM qt_none", "INSERT INTO qt_tx VALUES (2)", "SELECT 1/0", "",
                 "DO SLEEP(0)", "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'na\u00efve'"):
        print(repr(text))
        run(q, text)
        print("prepare", q.prepare(text), error(q))
        run(q)
    print("and on", run(q, "SELECT 1"))


def schema(db):
    part("schema")
    print("tables", sorted(t for t in db.tables() if t.startswith("qt_")))
    record = db.record("qt_types")
    for i in range(record.count()):
        f = record.field(i)
        print(f"  {f.name()} {QVariant.typeToName(f.type())} {f.length()} {f.precision()} {f.requiredStatus()} "
              f"{shown(f.defaultValue())} auto {f.isAutoValue()}")
    index = db.primaryIndex("qt_types")
    print("primary", index.name(), [index.fieldName(i) for i in range(index.count())])
    driver = db.driver()
    part("driver")
    for name in ("Transactions", "QuerySize", "BLOB", "Unicode", "PreparedQueries", "NamedPlaceholders",
                 "PositionalPlaceholders", "LastInsertId", "BatchOperations", "SimpleLocking", "LowPrecisionNumbers",
                 "EventNotifications", "FinishQuery", "MultipleResultSets"):
        print(name, driver.hasFeature(getattr(QSqlDriver, name)))
    for value, kind in (("O'Re\\il\"ly\0\n", QVariant.String), (QByteArray(b"\0'\xff"), QVariant.ByteArray),
                        (QDate(2020, 1, 2), QVariant.Date), (5, QVariant.Int), (None, QVariant.Int), (True, QVariant.Bool)):
        field = QSqlField("f", kind)
        field.setValue(value)
        print(repr(driver.formatValue(field)))
    print(driver.escapeIdentifier("a`b.c", QSqlDriver.TableName), driver.subscribedToNotifications())


def models(db):
    part("models")
    model = QSqlQueryModel()
    model.setQuery(QSqlQuery("SELECT id, v FROM qt_walk ORDER BY id", db))
    while model.canFetchMore():
        model.fetchMore()
    print(model.rowCount(), model.columnCount(), shown(model.record(7).value("v")))
    q = QSqlQuery(db)
    run(q, "DROP TABLE IF EXISTS qt_model")
    run(q, "CREATE TABLE qt_model (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), price DECIMAL(8,2))")
    table = QSqlTableModel(None, db)
    table.setTable("qt_model")
    table.setEditStrategy(QSqlTableModel.OnManualSubmit)
    print("select", table.select(), table.rowCount())
    for name, price in (("apple", 1.25), ("pear", 2.5), ("fig \u00e9", 0)):
        record = table.record()
        record.setValue("name", name)
        record.setValue("price", price)
        print("insert", table.insertRecord(-1, record))
    print("submit", table.submitAll(), table.lastError().text())
    table.setFilter("price > 1")
    table.select()
    print("rows", [(shown(table.record(i).value("id")), shown(table.record(i).value("name"))) for i in
                   range(table.rowCount())])
    print("set", table.setData(table.index(0, 1), "apples"), table.submitAll(), table.lastError().text())
    print("remove", table.removeRow(1), table.submitAll(), table.lastError().text())
    if run(q, "SELECT * FROM qt_model ORDER BY id"):
        rows(q)


def connections(host, port, user, password, database):
    part("connections")
    for name, settings in (
            ("wrong password", dict(password="wrong")),
            ("wrong database", dict(database="qt_none")),
            ("wrong port", dict(port=1)),
            ("options", dict(options="MYSQL_OPT_CONNECT_TIMEOUT=5;MYSQL_OPT_RECONNECT=1;CLIENT_FOUND_ROWS;CLIENT_COMPRESS")),
            ("unknown option", dict(options="NONSENSE=1")),
    ):
        db = QSqlDatabase.addDatabase("QMYSQL", name)
        db.setHostName(host)
        db.setPort(settings.get("port", port))
        db.setUserName(user)
        db.setPassword(settings.get("password", password))
        db.setDatabaseName(settings.get("database", database))
        db.setConnectOptions(settings.get("options", ""))
        print(name, db.open(), db.isOpen(), db.isOpenError(), error(db))
        if db.isOpen():
            q = QSqlQuery(db)
            if run(q, "SELECT DATABASE() IS NOT NULL, @@autocommit, @@character_set_client"):
                rows(q)
            run(q, "UPDATE qt_model SET name = name")
            del q
            db.close()
        print("closed", db.isOpen())
        del db
        QSqlDatabase.removeDatabase(name)


def main():
    host, port, user, password, database = sys.argv[1:]
    app = QCoreApplication(sys.argv[:1])
    print("drivers", "QMYSQL" in QSqlDatabase.drivers())
    db = QSqlDatabase.addDatabase("QMYSQL")
    db.setHostName(host)
    db.setPort(int(port))
    db.setUserName(user)
    db.setPassword(password)
    db.setDatabaseName(database)
    part("open")
    print(db.open(), error(db))
    for each in (types, binding, walking, transactions, results, errors, schema, models):
        each(db)
    connections(host, int(port), user, password, database)
    part("close")
    q = QSqlQuery(db)
    for table in ("qt_types", "qt_tx", "qt_model"):
        run(q, f"DROP TABLE {table}")
    run(q, "DROP PROCEDURE qt_p")
    db.close()
    run(q, "SELECT 1")
    part("end")
    del app


main()
