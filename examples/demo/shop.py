"""A small shop in Python (MySQLdb). It knows one server: SHOP_HOST, SHOP_PORT, SHOP_USER, SHOP_PASSWORD, SHOP_DB."""

import os

import MySQLdb

db = MySQLdb.connect(
    host=os.environ["SHOP_HOST"],
    port=int(os.environ["SHOP_PORT"]),
    user=os.environ["SHOP_USER"],
    passwd=os.environ["SHOP_PASSWORD"],
    db=os.environ["SHOP_DB"],
)
# without this MySQLdb is always in a transaction, which belongs to the primary
db.autocommit(True)
cursor = db.cursor()


def one(statement, values=None):
    cursor.execute(statement, values)
    return cursor.fetchone()


cursor.execute("DROP TABLE IF EXISTS sale")
cursor.execute("CREATE TABLE sale (id INT PRIMARY KEY AUTO_INCREMENT, item INT, pieces INT) ENGINE=InnoDB")

# the catalogue
for item in range(1, 7):
    name, price = one("SELECT name, price FROM item WHERE id = %s", (item,))
    print(f"{name} costs {price}")

# a customer buys two things
cursor.execute("INSERT INTO sale (item, pieces) VALUES (%s, %s)", (1, 2))
cursor.execute("INSERT INTO sale (item, pieces) VALUES (%s, %s)", (4, 1))
print(f"sale number {cursor.lastrowid}")

# another one buys from the stock
cursor.execute("START TRANSACTION")
(stock,) = one("SELECT stock FROM item WHERE id = 2")
cursor.execute("UPDATE item SET stock = stock - 3 WHERE id = 2")
cursor.execute("INSERT INTO sale (item, pieces) VALUES (2, 3)")
(left,) = one("SELECT stock FROM item WHERE id = 2")
db.commit()
print(f"stock was {stock}, is {left}")

# the owner looks at the shop
print("changed:", cursor.execute("UPDATE item SET price = price + 1 WHERE id = 3"))
(count,) = one("SELECT COUNT(*) FROM item")
(longest,) = one("SELECT name FROM item ORDER BY LENGTH(name) DESC, id LIMIT 1")
(letters,) = one("SELECT SUM(LENGTH(name)) FROM item WHERE id > 2")
print(f"{count} items, the longest is {longest}, {letters} letters")
db.close()
