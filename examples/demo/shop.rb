# A small shop in Ruby (mysql2). It knows one server: SHOP_HOST, SHOP_PORT, SHOP_USER, SHOP_PASSWORD, SHOP_DB.
require "mysql2"

db = Mysql2::Client.new(
  host: ENV["SHOP_HOST"],
  port: ENV["SHOP_PORT"].to_i,
  username: ENV["SHOP_USER"],
  password: ENV["SHOP_PASSWORD"],
  database: ENV["SHOP_DB"],
  as: :array
)

db.query("DROP TABLE IF EXISTS sale")
db.query("CREATE TABLE sale (id INT PRIMARY KEY AUTO_INCREMENT, item INT, pieces INT) ENGINE=InnoDB")

# the catalogue
(1..6).each do |item|
  name, price = db.query("SELECT name, price FROM item WHERE id = #{item}").first
  puts "#{name} costs #{price}"
end

# a customer buys two things
db.query("INSERT INTO sale (item, pieces) VALUES (1, 2)")
db.query("INSERT INTO sale (item, pieces) VALUES (4, 1)")
puts "sale number #{db.last_id}"

# another one buys from the stock
db.query("BEGIN")
stock, = db.query("SELECT stock FROM item WHERE id = 2").first
db.query("UPDATE item SET stock = stock - 3 WHERE id = 2")
db.query("INSERT INTO sale (item, pieces) VALUES (2, 3)")
left, = db.query("SELECT stock FROM item WHERE id = 2").first
db.query("COMMIT")
puts "stock was #{stock}, is #{left}"

# the owner looks at the shop
db.query("UPDATE item SET price = price + 1 WHERE id = 3")
puts "changed: #{db.affected_rows}"
count, = db.query("SELECT COUNT(*) FROM item").first
longest, = db.query("SELECT name FROM item ORDER BY LENGTH(name) DESC, id LIMIT 1").first
letters, = db.query("SELECT SUM(LENGTH(name)) FROM item WHERE id > 2").first
puts "#{count} items, the longest is #{longest}, #{letters.to_i} letters"
db.close
