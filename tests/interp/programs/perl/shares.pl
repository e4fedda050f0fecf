#!/usr/bin/perl
# Work in known parts: light 1, heavy 3, each comparison 1.  The unit varies, so that no sampling
# period is in step with it.
use strict;
use warnings;

sub work {
    my $rounds = shift;
    my $sum = 0;
    for my $i (1 .. $rounds) {
        $sum += $i & 7;
    }
    return $sum;
}

sub light {
    return work(shift);
}

sub heavy {
    return work(3 * shift);
}

my ($comparisons, $unit) = (0, 0);

sub compare {
    $comparisons++;
    work($unit);
    return $a <=> $b;
}

sub sorted {
    my @items = sort compare 3, 2, 1;
    return $items[0];
}

my $rounds = 100;
for my $round (0 .. $rounds - 1) {
    $unit = 20000 + 137 * ($round * $round % 101);
    light($unit);
    heavy($unit);
    sorted();
}
print $comparisons / $rounds, "\n";
