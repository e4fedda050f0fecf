#!/usr/bin/perl
# Subs that are made, called and freed, so that later ones take their addresses.  Each is the only one
# that begins in its line.
use strict;
use warnings;

sub work {
    my $sum = 0;
    $sum += $_ & 7 for 1 .. shift;
    return $sum;
}

for my $round (0 .. 5999) {
    my $line = 1 + $round % 2000;
    my $sub = eval "\n" x ($line - 1) . 'sub { return work(1000) }';
    $sub->();
}
print "done\n";
