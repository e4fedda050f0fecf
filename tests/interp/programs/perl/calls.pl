#!/usr/bin/perl
# Every kind of call.  A comment after an arrow names the functions that its line may call, and those
# that they call before code of this file runs again.  Indentation delimits functions.
use strict;
use warnings;
use List::Util qw(first reduce sum max any);

sub spin {
    my $n = shift;
    my $s = 0;
    for my $i (1 .. $n) {
        $s += $i * 3;
        $s ^= $i;
    }
    return $s;
}

sub recurse {
    my $n = shift;
    return recurse($n - 1) if $n > 0; ##> main::recurse
    return spin(100); ##> main::spin
}

sub by_number {
    spin(5); ##> main::spin
    return $a <=> $b;
}

sub sorting {
    my @items = map { $_ * 7 % 31 } 1 .. 30;
    my @one = sort by_number @items; ##> main::by_number
    my @two = sort { spin(3); $b <=> $a } @items; ##> main::spin
    my $sub = sub { spin(4); return $b <=> $a }; ##> main::spin
    my @three = sort $sub @items; ##> main::__ANON__
    return scalar @one;
}

sub listing {
    my $f = first { spin(5); $_ > 20 } 1 .. 30; ##> main::__ANON__ main::spin
    my $r = reduce { spin(5); $a + $b } 1 .. 20; ##> main::__ANON__ main::spin
    my $m = sum map { spin(5) } 1 .. 10; ##> main::spin
    my @g = grep { spin(5) } 1 .. 10; ##> main::spin
    my $any = any { recurse(2) < 0 } 1 .. 5; ##> main::__ANON__ main::recurse
    return $f + $r;
}

package Guard;
sub new {
    my ($class, $depth) = @_;
    return bless { depth => $depth }, $class;
}
sub DESTROY {
    my $self = shift;
    main::spin(20); ##> main::spin
    main::guarded($self->{depth} - 1) if $self->{depth} > 0; ##> main::guarded Guard::DESTROY
}

package Number;
use overload
    '+' => \&plus,
    '""' => sub { return "number" . main::spin(10) }, ##> main::spin
    '<=>' => sub {
        main::spin(10); ##> main::spin
        return $_[0]{n} <=> $_[1]{n};
    },
    'bool' => sub { return main::spin(10) > 0 }; ##> main::spin
sub new {
    my ($class, $n) = @_;
    return bless { n => $n }, $class;
}
sub plus {
    my ($one, $other) = @_;
    main::spin(10); ##> main::spin
    return Number->new($one->{n} + (ref $other ? $other->{n} : $other)); ##> Number::new
}

package Tied;
sub TIEHASH {
    return bless {}, shift;
}
sub FETCH {
    return main::spin(10); ##> main::spin
}
sub STORE {
    main::spin(10); ##> main::spin
}

package Auto;
our $AUTOLOAD;
sub AUTOLOAD {
    my $self = shift;
    return if $AUTOLOAD =~ /DESTROY/;
    return main::spin(10); ##> main::spin
}

package main;

sub guarded {
    my $depth = shift;
    my $guard = Guard->new($depth); ##> Guard::new
    return spin(20); ##> main::spin Guard::DESTROY
}

sub objects {
    my $one = Number->new(1); ##> Number::new
    my $two = $one + 2; ##> Number::plus
    my $text = "$two"; ##> Number::__ANON__
    my @sorted = sort { $a <=> $b } map { Number->new(10 - $_) } 1 .. 8; ##> Number::new Number::__ANON__
    my @again = sort { $a <=> $b } @sorted; ##> Number::__ANON__
    my $x = $one ? 1 : 0; ##> Number::__ANON__
    tie my %tied, 'Tied'; ##> Tied::TIEHASH
    $tied{a} = 1; ##> Tied::STORE
    $x = $tied{b}; ##> Tied::FETCH
    my $auto = bless {}, 'Auto';
    $auto->anything(1); ##> Auto::AUTOLOAD
    my $method = "recurse";
    main->can($method)->(3); ##> main::recurse
    return $x; ##> Auto::AUTOLOAD
}

sub thrower {
    my $n = shift;
    spin(10); ##> main::spin
    die "thrown\n" if $n <= 0;
    eval {
        thrower($n - 1); ##> main::thrower
        1;
    } or do {
        spin(10); ##> main::spin
        die $@;
    };
}

sub exceptions {
    eval { thrower(3) }; ##> main::thrower
    spin(10); ##> main::spin
    my @sorted = sort { eval { thrower(0) }; $a <=> $b } 3, 2, 1; ##> main::thrower
    local $SIG{__WARN__} = sub {
        spin(20); ##> main::spin
    };
    warn "by hand\n"; ##> main::__ANON__
    local $SIG{__DIE__} = sub { spin(20) }; ##> main::spin
    eval { die "again\n" }; ##> main::__ANON__
    return scalar @sorted;
}

sub closures {
    my @subs = map { my $n = $_; sub { return spin($n) + inner(sub { spin(5) }) } } 1 .. 5; ##> main::spin main::inner
    my $t = 0;
    $t += $_->() for @subs; ##> main::__ANON__
    return $t;
}

sub inner {
    my $code = shift;
    return &$code(); ##> main::__ANON__
}

sub evaluated {
    my $t = eval 'spin(20) + spin(20)'; ##> {eval} main::spin
    my $sub = eval 'sub { return spin(30) }'; ##> {eval} BEGIN main::spin
    $t += $sub->(); ##> main::__ANON__ main::spin
    my $text = "aaa";
    $text =~ s/a/spin(10)/ge; ##> main::spin
    $text = "bbb" =~ /b(?{ spin(10) })c/; ##> main::spin
    return $t;
}

sub nested_sort {
    my @items = map { [reverse 1 .. 4] } 1 .. 4;
    my @sorted = sort { ##> main::by_number
        my @one = sort by_number @$a; ##> main::by_number
        my @two = sort { $a <=> $b } @$b;
        $one[0] <=> $two[0];
    } @items;
    return scalar @sorted;
}

sub alarmed {
    local $SIG{USR1} = sub { spin(50) }; ##> main::spin main::__ANON__
    kill USR1 => $$; ##> main::__ANON__
    return spin(50); ##> main::spin main::__ANON__
}

for my $round (1 .. $ARGV[0]) {
    recurse(15); ##> main::recurse
    sorting(); ##> main::sorting
    listing(); ##> main::listing
    guarded(2); ##> main::guarded Guard::DESTROY
    objects(); ##> main::objects Auto::AUTOLOAD
    exceptions(); ##> main::exceptions
    closures(); ##> main::closures
    evaluated(); ##> main::evaluated
    nested_sort(); ##> main::nested_sort
    alarmed(); ##> main::alarmed
}
END {
    recurse(100); ##> main::recurse
}
print "done\n";
