# A small shop in Perl (DBD::mysql). It knows one server: SHOP_HOST, SHOP_PORT, SHOP_USER, SHOP_PASSWORD, SHOP_DB.
use strict;
use warnings;
use DBI;

my $db = DBI->connect(
    "DBI:mysql:database=$ENV{SHOP_DB};host=$ENV{SHOP_HOST};port=$ENV{SHOP_PORT}",
    $ENV{SHOP_USER}, $ENV{SHOP_PASSWORD}, { RaiseError => 1, PrintError => 0, AutoCommit => 1 });

$db->do("DROP TABLE IF EXISTS sale");
$db->do("CREATE TABLE sale (id INT PRIMARY KEY AUTO_INCREMENT, item INT, pieces INT) ENGINE=InnoDB");

# the catalogue
for my $item (1 .. 6) {
    my ($name, $price) = $db->selectrow_array("SELECT name, price FROM item WHERE id = ?", undef, $item);
    print "$name costs $price\n";
}

# a customer buys two things
$db->do("INSERT INTO sale (item, pieces) VALUES (?, ?)", undef, 1, 2);
$db->do("INSERT INTO sale (item, pieces) VALUES (?, ?)", undef, 4, 1);
print "sale number ", $db->last_insert_id(undef, undef, undef, undef), "\n";

# another one buys from the stock
$db->begin_work;
my ($stock) = $db->selectrow_array("SELECT stock FROM item WHERE id = 2");
$db->do("UPDATE item SET stock = stock - 3 WHERE id = 2");
$db->do("INSERT INTO sale (item, pieces) VALUES (2, 3)");
my ($left) = $db->selectrow_array("SELECT stock FROM item WHERE id = 2");
$db->commit;
print "stock was $stock, is $left\n";

# the owner looks at the shop
print "changed: ", $db->do("UPDATE item SET price = price + 1 WHERE id = 3"), "\n";
my ($count) = $db->selectrow_array("SELECT COUNT(*) FROM item");
my ($longest) = $db->selectrow_array("SELECT name FROM item ORDER BY LENGTH(name) DESC, id LIMIT 1");
my ($letters) = $db->selectrow_array("SELECT SUM(LENGTH(name)) FROM item WHERE id > 2");
print "$count items, the longest is $longest, $letters letters\n";
$db->disconnect;
