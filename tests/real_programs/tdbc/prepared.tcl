# An ordinary program on TDBC, which prepares every statement on the server.
package require tdbc::mysql
lassign $argv host port user password database
tdbc::mysql::connection create db -host $host -port $port -user $user -passwd $password -database $database
set get [db prepare {SELECT name, amount FROM stock WHERE id = :id}]
for {set id 1} {$id <= 12} {incr id} {
    puts "have $id [$get allrows -as lists]"
}
set put [db prepare {INSERT INTO stock (id, name, amount) VALUES (:id, :name, :amount)}]
$put paramtype id integer
$put paramtype name varchar 40
$put paramtype amount integer
db transaction {
    foreach {id name amount} {101 first 1 102 second 2 103 third 3} {
        puts "rows [[$put execute] rowcount]"
    }
}
puts "rolled back [catch {db transaction {
    set id 104; set name never; set amount 4
    $put execute
    error "no more"
}} message] $message"
db foreach -as dicts row {SELECT id, name, amount FROM stock WHERE id > 100 ORDER BY id} {
    puts "row $row"
}
puts "error [catch {db allrows {SELECT * FROM nowhere}} message] [lrange $::errorCode 0 3]"
puts "tables [db tables]"
$get close
$put close
db close
