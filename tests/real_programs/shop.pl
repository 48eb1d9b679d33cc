#!/usr/bin/perl
# An ordinary program on DBD::mysql. See README.md for the marks.
use strict;
use warnings;
use DBI;

my ($host, $port, $user, $password, $db, $handles) = @ARGV;
my %sent = (r => 0, w => 0, t => 0);
my $dbh;

sub connect_db {
    return DBI->connect("DBI:mysql:database=$db;host=$host;port=$port", $user, $password,
        { RaiseError => 1, PrintError => 0, AutoCommit => 1, mysql_enable_utf8mb4 => 1 });
}

sub value {
    my ($mark, $sql, @bind) = @_;
    $sent{$mark}++;
    my ($v) = $dbh->selectrow_array("$sql /* $mark */", undef, @bind);
    return defined $v ? $v : 'undef';
}

sub run {
    my ($mark, $sql, @bind) = @_;
    $sent{$mark}++;
    return $dbh->do("$sql /* $mark */", undef, @bind);
}

for my $h (1 .. $handles) {
    $dbh = connect_db();
    my $tag = "perl$h";
    for my $i (1 .. 20) {
        print "$h read $i: ", value('r', 'SELECT v FROM real_read WHERE id = ?', $i * 3), "\n";
    }
    run('w', 'INSERT INTO real_write (tag, n) VALUES (?, ?)', $tag, 1);
    my $id = $dbh->{mysql_insertid};
    print "$h insert id kept: ", (value('w', 'SELECT LAST_INSERT_ID()') == $id ? 1 : 0), "\n";
    print "$h affected: ", run('w', 'UPDATE real_write SET n = n + 1 WHERE tag = ?', $tag), "\n";
    $dbh->begin_work;
    run('t', 'INSERT INTO real_write (tag, n) VALUES (?, ?)', $tag, 10);
    print "$h in transaction: ", value('t', 'SELECT SUM(n) FROM real_write WHERE tag = ?', $tag), "\n";
    $dbh->rollback;
    $dbh->begin_work;
    run('t', 'INSERT INTO real_write (tag, n) VALUES (?, ?)', $tag, 100);
    print "$h in transaction: ", value('t', 'SELECT SUM(n) FROM real_write WHERE tag = ?', $tag), "\n";
    $dbh->commit;
    print "$h locking: ", value('w', 'SELECT SUM(n) FROM real_write WHERE tag = ? FOR UPDATE', $tag), "\n";
    for my $i (1 .. 20) {
        print "$h aggregate $i: ",
            value('r', 'SELECT CONCAT(COUNT(*), \' \', MAX(v)) FROM real_read WHERE id <= ?', $i), "\n";
    }
    $dbh->disconnect;
}

# What depends on the session stays with its session.
$dbh = connect_db();
run('w', 'SET @basket = 7');
print "variable: ", value('r', 'SELECT @basket'), "\n";
run('w', 'CREATE TEMPORARY TABLE real_tmp (a INT)');
run('w', 'INSERT INTO real_tmp VALUES (1), (2)');
print "temporary table: ", value('w', 'SELECT COUNT(*) FROM real_tmp'), "\n";
$dbh->disconnect;
my $error = eval { $dbh = connect_db(); run('w', 'INSERT INTO real_nothing VALUES (1)'); 1 } ? 0 : $dbh->err;
print "error: $error\n";
print "reads=$sent{r} writes=$sent{w} transactions=$sent{t}\n";
