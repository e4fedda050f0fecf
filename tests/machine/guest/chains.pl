# The work of chains.py.
sub work {
    my $total = 0;
    for my $i (1 .. $_[0]) {
        $total += $i & 7;
    }
    return $total;
}

sub light { return work($_[0]); }

sub heavy { return work(3 * $_[0]); }

my $unit = shift;

sub key_of {
    work(2 * $unit);
    return $a <=> $b;
}

sub in_order { my @two = sort key_of 2, 1; return $two[0]; }

sub deep {
    my $left = shift;
    return $left ? deep($left - 1) : light($unit);
}

sub main {
    for (1 .. 5) {
        deep(9);
        heavy($unit);
        in_order();
    }
}

main();
print "worked\n";
