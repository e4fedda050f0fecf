# Subs that are called in every way are running when it sets its umask.
use strict;
use warnings;
use List::Util qw(first);

sub leaf {
    umask 022;
}

sub listed {
    my $found = first { leaf(); 1 } @_;
}

sub DESTROY {
    my @sorted = sort { eval { listed(1) }; 0 } 1, 2;
}

sub evaluated {
    eval 'my $object = bless []; undef $object';
}

evaluated();
