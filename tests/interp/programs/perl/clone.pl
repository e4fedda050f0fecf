# Threads that a sub makes, with much to be copied for each.
use strict;
use warnings;
use threads;

my %much;
$much{$_} = [ 1 .. 5 ] for 1 .. 20000;

sub makes {
	my $thread = threads->create(sub { 1 });
	$thread->join;
}

sub calls {
	makes();
}

calls() for 1 .. 8;
print "done\n";
