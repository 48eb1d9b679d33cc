#!/usr/bin/perl
# Reads what it wrote, with DBD::mysql: seen.pl HOST USER PASSWORD DATABASE
use strict;
use warnings;
use DBI;

my ($host, $user, $password, $database) = @ARGV;
my $dbh = DBI->connect("DBI:mysql:host=$host;database=$database", $user, $password, { RaiseError => 1 });

$dbh->do("REPLACE INTO seen VALUES ('perl', 'written by Perl')");
my $sql = "SELECT v FROM seen WHERE k = 'perl'";

# The default: a replica answers if it has the row, else the primary.
print 'session: ', $dbh->selectrow_array($sql), "\n";
# What other programs have written counts, too: the primary answers.
print 'strong: ', $dbh->selectrow_array("/*ms=strong*/ $sql"), "\n";
# A list that may be old costs nothing.
print 'report: ', $dbh->selectrow_array('/*ms=eventual*/ SELECT COUNT(*) >= 0 FROM seen'), "\n";
$dbh->disconnect;
