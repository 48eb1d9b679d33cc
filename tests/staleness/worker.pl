# Writes counters and reads them back, for tests/staleness.rs: an unchanged DBD::mysql program.
#
#     worker.pl ID SECONDS USER PASSWORD DATABASE
#
# Prints for each way of reading: name, reads, violations, errors; and a line for each violation.
use strict;
use warnings;
use DBI;
use IO::Handle;
use Time::HiRes qw(time);

my ($number, $seconds, @account) = @ARGV;
$| = 1;

sub handle { return { section => shift, connection => undef } }

# The first value of a statement's result; an error gives the connection up.
sub run {
    my ($handle, $sql) = @_;
    my $value = eval {
        $handle->{connection} //= DBI->connect("DBI:mysql:host=$handle->{section};database=$account[2]", $account[0],
            $account[1], { RaiseError => 1, PrintError => 0, mysql_auto_reconnect => 0 });
        my $found = $sql =~ /^SELECT/ ? ($handle->{connection}->selectrow_array($sql))[0] : $handle->{connection}->do($sql);
        [$found];
    };
    return $value->[0] if $value && defined $value->[0];
    eval { $handle->{connection}->disconnect } if $handle->{connection};
    $handle->{connection} = undef;
    return undef;
}

sub way { my ($name, $row) = @_; return { name => $name, row => $row, map { $_ => 0 } qw(attempt acknowledged reads violations errors) } }

sub put {
    my ($way, $handle) = @_;
    $way->{attempt}++;
    if (defined run($handle, "UPDATE seen SET n = $way->{attempt} WHERE id = $way->{row}")) {
        $way->{acknowledged} = $way->{attempt};
    } else {
        $way->{errors}++;
    }
}

sub check {
    my ($way, $seen) = @_;
    return $way->{errors}++ unless defined $seen && $seen =~ /^\d+$/;
    $way->{reads}++;
    return if $way->{acknowledged} <= $seen && $seen <= $way->{attempt};
    $way->{violations}++;
    print "violation $way->{name} row $way->{row}: $seen of $way->{acknowledged} to $way->{attempt}\n";
}

# Another process that reads what it is told to.
pipe(my $ask_from, my $ask_to) or die;
pipe(my $answer_from, my $answer_to) or die;
my $child = fork // die;
if (!$child) {
    close $_ for $ask_to, $answer_from;
    $answer_to->autoflush(1);
    my $reader = handle('host');
    while (my $row = <$ask_from>) {
        my $seen = run($reader, 'SELECT n FROM seen WHERE id = ' . int($row));
        print $answer_to ($seen // 'error') . "\n";
    }
    exit 0;
}
close $_ for $ask_from, $answer_to;
$ask_to->autoflush(1);

my ($own, $one, $other, $writer) = map { handle($_) } qw(handle process process host);
my ($handle, $process, $host) = (way('handle', $number * 10), way('process', $number * 10 + 1), way('host', $number * 10 + 2));
my $end = time + $seconds;
while (time < $end) {
    put($handle, $own);
    # A new handle is promised nothing that another one wrote.
    $handle->{acknowledged} = 0 unless $own->{connection};
    check($handle, run($own, "SELECT n FROM seen WHERE id = $handle->{row}"));
    $handle->{acknowledged} = 0 unless $own->{connection};
    put($process, $one);
    check($process, run($other, "SELECT n FROM seen WHERE id = $process->{row}"));
    put($host, $writer);
    print $ask_to "$host->{row}\n";
    my $answer = <$answer_from>;
    chomp $answer;
    check($host, $answer);
}
close $ask_to;
waitpid $child, 0;
print "way $_->{name} $_->{reads} $_->{violations} $_->{errors}\n" for $handle, $process, $host;
