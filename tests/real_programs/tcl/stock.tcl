# An ordinary program on mysqltcl: stock is counted, taken in a transaction, listed.
package require mysqltcl
fconfigure stdout -encoding utf-8
lassign $argv host port user password database
set db [mysql::connect -host $host -port $port -user $user -password $password -db $database -encoding utf-8]
for {set n 1} {$n <= 12} {incr n} {
    puts "have $n [mysql::sel $db "SELECT amount FROM stock WHERE id = $n" -flatlist]"
}
puts "changed [mysql::exec $db "UPDATE stock SET name = '[mysql::escape $db "it's \u20ac"]' WHERE id IN (1, 2)"]"
mysql::autocommit $db 0
mysql::exec $db "UPDATE stock SET amount = amount - 5 WHERE id = 3"
puts "inside [mysql::sel $db {SELECT amount FROM stock WHERE id=3} -list]"
mysql::rollback $db
mysql::exec $db "UPDATE stock SET amount = amount - 1 WHERE id = 4"
mysql::commit $db
mysql::autocommit $db 1
mysql::receive $db "SELECT id, name, amount FROM stock ORDER BY id" {id name amount} {
    puts "row $id $name $amount"
}
set query [mysql::query $db "SELECT id FROM stock WHERE amount > 100"]
puts "many [mysql::result $query rows] [mysql::result $query cols] [mysql::fetch $query]"
mysql::endquery $query
puts "columns [mysql::col $db stock {name type length}]"
puts "error [catch {mysql::sel $db {SELECT * FROM nowhere}} message] $message $::errorCode"
mysql::close $db
