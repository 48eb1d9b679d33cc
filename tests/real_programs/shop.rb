#!/usr/bin/ruby
# An ordinary program on mysql2. See README.md for the marks.
require 'mysql2'

HOST, PORT, USER, PASSWORD, DB, HANDLES = ARGV
$sent = { 'r' => 0, 'w' => 0, 't' => 0 }

def connect
  Mysql2::Client.new(host: HOST, port: PORT.to_i, username: USER, password: PASSWORD, database: DB,
                     encoding: 'utf8mb4')
end

def value(mark, sql)
  $sent[mark] += 1
  row = $client.query("#{sql} /* #{mark} */", as: :array).first
  row ? row[0] : nil
end

def run(mark, sql)
  $sent[mark] += 1
  $client.query("#{sql} /* #{mark} */")
end

(1..HANDLES.to_i).each do |h|
  $client = connect
  tag = $client.escape("ruby#{h}")
  (1..20).each do |i|
    puts "#{h} read #{i}: #{value('r', "SELECT v FROM real_read WHERE id = #{i * 3}")}"
  end
  run('w', "INSERT INTO real_write (tag, n) VALUES ('#{tag}', 1)")
  id = $client.last_id
  puts "#{h} insert id kept: #{value('w', 'SELECT LAST_INSERT_ID()') == id}"
  run('w', "UPDATE real_write SET n = n + 1 WHERE tag = '#{tag}'")
  puts "#{h} affected: #{$client.affected_rows}"
  run('t', 'START TRANSACTION')
  run('t', "INSERT INTO real_write (tag, n) VALUES ('#{tag}', 10)")
  puts "#{h} in transaction: #{value('t', "SELECT SUM(n) FROM real_write WHERE tag = '#{tag}'").to_i}"
  run('t', 'ROLLBACK')
  run('t', 'BEGIN')
  run('t', "INSERT INTO real_write (tag, n) VALUES ('#{tag}', 100)")
  puts "#{h} in transaction: #{value('t', "SELECT SUM(n) FROM real_write WHERE tag = '#{tag}'").to_i}"
  run('t', 'COMMIT')
  puts "#{h} locking: #{value('w', "SELECT SUM(n) FROM real_write WHERE tag = '#{tag}' FOR UPDATE").to_i}"
  (1..20).each do |i|
    puts "#{h} aggregate #{i}: #{value('r', "SELECT CONCAT(COUNT(*), ' ', MAX(v)) FROM real_read WHERE id <= #{i}")}"
  end
  $client.close
end

$client = connect
run('w', 'SET @basket = 7')
puts "variable: #{value('r', 'SELECT @basket')}"
run('w', 'CREATE TEMPORARY TABLE real_tmp (a INT)')
run('w', 'INSERT INTO real_tmp VALUES (1), (2)')
puts "temporary table: #{value('w', 'SELECT COUNT(*) FROM real_tmp')}"
$client.close
$client = connect
begin
  run('w', 'INSERT INTO real_nothing VALUES (1)')
rescue Mysql2::Error => e
  puts "error: #{e.error_number}"
end
$client.close
puts "reads=#{$sent['r']} writes=#{$sent['w']} transactions=#{$sent['t']}"
