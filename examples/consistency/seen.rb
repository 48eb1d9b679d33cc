#!/usr/bin/ruby
# Reads what it wrote, with mysql2: seen.rb HOST USER PASSWORD DATABASE
require 'mysql2'

host, user, password, database = ARGV
account = { host: host, username: user, password: password, database: database }

def value(client, sql)
  client.query(sql, as: :array).first[0]
end

client = Mysql2::Client.new(account)
client.query("REPLACE INTO seen VALUES ('ruby', 'written by Ruby')")
sql = "SELECT v FROM seen WHERE k = 'ruby'"

# The default: a replica answers if it has the row, else the primary.
puts "session: #{value(client, sql)}"
# A whole connection that is told the level: everything that was committed counts.
careful = Mysql2::Client.new(account.merge(connect_attrs: { 'ms.qos' => 'strong' }))
puts "strong: #{value(careful, sql)}"
# A list that may be old costs nothing.
puts "report: #{value(client, '/*ms=eventual*/ SELECT COUNT(*) >= 0 FROM seen')}"
