#!/usr/bin/perl
# Each thread has an interpreter of its own, and runs a sub of its own.
use strict;
use warnings;
use threads;

sub work {
    my $sum = 0;
    $sum += $_ & 7 for 1 .. shift;
    return $sum;
}

sub one {
    work(300) for 1 .. 2000; ##> main::work
}

sub two {
    work(300) for 1 .. 2000; ##> main::work
}

$_->join for map { threads->create($_) } qw(one two); ##> main::work
one(); ##> main::one
print "done\n";
