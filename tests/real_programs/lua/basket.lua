-- An ordinary program on LuaSQL: a basket is filled in a transaction, then read.
local host, port, user, password, database = table.unpack(arg)
local env = require "luasql.mysql".mysql()
local connection = assert(env:connect(database, user, password, host, tonumber(port)))

local function one(sql)
  local cursor = assert(connection:execute(sql))
  local row = cursor:fetch({}, "n")
  cursor:close()
  return row and row[1]
end

for n = 1, 12 do
  print("before", n, one("SELECT name FROM goods WHERE id = " .. n))
end

assert(connection:setautocommit(false))
for n = 1, 4 do
  local name = connection:escape("it's " .. n)
  print("changed", assert(connection:execute("INSERT INTO basket (goods, note) VALUES (" .. n .. ", '" .. name .. "')")))
end
print("number", connection:getlastautoid())
print("inside", one("SELECT COUNT(*) FROM basket"))
assert(connection:rollback())
print("rolled back", one("SELECT COUNT(*) FROM basket"))
print("changed", assert(connection:execute("INSERT INTO basket (goods, note) VALUES (7, 'kept')")))
assert(connection:commit())
assert(connection:setautocommit(true))

local cursor = assert(connection:execute("SELECT b.goods, g.name, b.note, g.price, g.nothing FROM basket b JOIN goods g ON g.id = b.goods"))
print("columns", table.concat(cursor:getcolnames(), " "), table.concat(cursor:getcoltypes(), " "))
local row = cursor:fetch({}, "a")
while row do
  print("row", row.goods, row.name, row.note, row.price, row.nothing)
  row = cursor:fetch(row, "a")
end
cursor:close()
print("error", select(2, connection:execute("SELECT nothing FROM nowhere")))
connection:close()
env:close()
