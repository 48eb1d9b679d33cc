#!/usr/bin/perl
# A program that writes and reads without knowing of replication: Perl, DBI with the driver of its first argument.
# What it does: README.md.
use strict;
use warnings;
use DBI;
use IO::Handle;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);

my ($driver, $host, $port, $user, $password, $db, $worker, $seed, $log, $stop) = @ARGV;
srand($seed);
open my $out, '>', $log or die "$log: $!";
$out->autoflush(1);
my ($dbh, $acknowledged);

sub connect_db {
    return DBI->connect("DBI:$driver:database=$db;host=$host;port=$port", $user, $password,
        { RaiseError => 0, PrintError => 0, AutoCommit => 1 });
}

# The statement's error number, 0 for none.
sub failed { return $DBI::err || 0 }

sub insert {
    my ($seq, $kind) = @_;
    $dbh->do('INSERT INTO written (worker, seq, kind) VALUES (?, ?, ?)', undef, $worker, $seq, $kind);
    return failed();
}

# The number and text of the error, and the step that it came from.
sub transaction {
    my ($seq) = @_;
    $dbh->begin_work;
    my $code = failed();
    if (!$code) {
        $dbh->do('UPDATE account SET n = n + 1 WHERE worker = ?', undef, $worker);
        $code = failed() || insert($seq, 't');
    }
    my $step = 'inside';
    if (!$code) {
        $step = 'commit';
        # behind a commit that succeeded DBI switches AutoCommit on again, and an error may be of that
        my $done = $dbh->commit;
        $code = failed() unless $done;
    }
    my $text = $DBI::errstr;
    # a BEGIN that failed has left nothing to roll back
    $dbh->rollback if $code && !$dbh->{AutoCommit};
    if (!$dbh->{AutoCommit}) {
        # the driver has given up switching it on: what came now would be part of a transaction that nobody ends
        $dbh->disconnect;
        undef $dbh;
    }
    return ($code, $text, $step);
}

sub answer_of {
    my ($sql, @bind) = @_;
    my $rows = $dbh->selectall_arrayref($sql, undef, @bind);
    return failed() || !$rows || !@$rows ? () : @{ $rows->[0] };
}

my $seq = 0;
while (!-e $stop) {
    $seq++;
    if ($dbh && rand() < 0.01) {
        $dbh->disconnect;
        undef $dbh;
    }
    my $kind = $dbh ? substr('iitrrffff', int(rand(9)), 1) : 'c';
    $kind = 'i' if $kind eq 'r' && !defined $acknowledged;
    printf $out "B %d %s %.6f\n", $seq, $kind, clock_gettime(CLOCK_MONOTONIC);
    my ($code, $text, $answer, $place) = (0, '', '-', '-');
    if ($kind eq 'c') {
        $dbh = connect_db();
        undef $acknowledged;
        $code = $dbh ? 0 : failed();
        $text = $DBI::errstr if $code;
    } elsif ($kind eq 'i') {
        $code = insert($seq, 'i');
        $text = $DBI::errstr if $code;
        $acknowledged = $seq unless $code;
    } elsif ($kind eq 't') {
        ($code, $text, $place) = transaction($seq);
        $acknowledged = $seq unless $code;
    } elsif ($kind eq 'r') {
        my ($count) = answer_of('SELECT COUNT(*) FROM written WHERE worker = ? AND seq = ?', $worker, $acknowledged);
        ($code, $text) = (failed(), $DBI::errstr);
        $answer = "$acknowledged:$count" unless $code;
    } else {
        my $number = 1 + int(rand(100));
        my ($value, $node) = answer_of('SELECT v, (SELECT MAX(n) FROM whoami) FROM fixed WHERE id = ?', $number);
        ($code, $text) = (failed(), $DBI::errstr);
        $answer = (defined $value ? $value - 7 * $number : 'missing') . ':' . ($node // '-') unless $code;
    }
    $text = '' unless $code;
    $text =~ s/\s+/ /g;
    printf $out "E %d %s %.6f %d %s %s %s\n", $seq, $kind, clock_gettime(CLOCK_MONOTONIC), $code, $place, $answer, $text;
    sleep(rand() * 0.01);
}
$dbh->disconnect if $dbh;
