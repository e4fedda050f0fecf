<?php
// Every kind of call.  A comment after an arrow names the functions that its line may call, and those
// that they call before code of this file runs again.  Indentation delimits functions.  What frees
// the variables of a function is a call of its caller's line.
function spin($n) {
    $s = 0;
    for ($i = 0; $i < $n; $i++) {
        $s += $i * 3;
        $s ^= $i;
    }
    return $s;
}
function recurse($n) {
    if ($n > 0)
        return recurse($n - 1); //> recurse
    return spin(200); //> spin
}
class Sorter {
    public $items;
    function __construct($n) {
        $this->items = range($n, 1); //> range
    }
    static function compare($a, $b) {
        spin(10); //> spin
        return $a <=> $b;
    }
    function sorted() {
        $copy = $this->items;
        usort($copy, ['Sorter', 'compare']); //> usort Sorter::compare
        usort($copy, fn($a, $b) => spin(3) + $b <=> $a); //> usort Sorter::{closure} spin
        return $copy;
    }
}
class Guard {
    public $depth;
    function __construct($depth) {
        $this->depth = $depth;
    }
    function __destruct() {
        spin(50); //> spin
        if ($this->depth > 0)
            guarded($this->depth - 1); //> guarded Guard::__destruct
    }
}
function guarded($depth) {
    $guard = new Guard($depth); //> Guard::__construct
    spin(20); //> spin
}
class Magic implements ArrayAccess, IteratorAggregate, Countable {
    function __call($name, $arguments) {
        return spin(20); //> spin
    }
    static function __callStatic($name, $arguments) {
        return spin(20); //> spin
    }
    function __get($name) {
        return spin(20); //> spin
    }
    function __toString() {
        return "magic" . spin(20); //> spin
    }
    function __invoke($x) {
        return spin(20) + $x; //> spin
    }
    function offsetExists($at): bool {
        return spin(20) > 0; //> spin
    }
    function offsetGet($at): mixed {
        return spin(20); //> spin
    }
    function offsetSet($at, $value): void {
        spin(20); //> spin
    }
    function offsetUnset($at): void {
        spin(20); //> spin
    }
    function getIterator(): Iterator {
        return numbers(5); //> numbers
    }
    function count(): int {
        return spin(20) ? 3 : 2; //> spin
    }
}
function magic() {
    $magic = new Magic;
    $magic->anything(1); //> Magic::__call
    Magic::something(2); //> Magic::__callStatic
    $x = $magic->missing; //> Magic::__get
    $x = "$magic"; //> Magic::__toString
    $x = $magic(3); //> Magic::__invoke
    $x = isset($magic[1]); //> Magic::offsetExists
    $x = $magic[2]; //> Magic::offsetGet
    $magic[3] = 4; //> Magic::offsetSet
    unset($magic[5]); //> Magic::offsetUnset
    $x = count($magic); //> count Magic::count
    foreach ($magic as $x) //> Magic::getIterator numbers
        spin(5); //> spin
    $x = array_map($magic, [1, 2]); //> array_map Magic::__invoke
    $x = array_map([$magic, 'called'], [1, 2]); //> array_map Magic::called Magic::__call
    $x = call_user_func('Magic::other', 1); //> call_user_func Magic::other Magic::__callStatic
}
function numbers($n) {
    for ($i = 0; $i < $n; $i++) {
        spin(10); //> spin
        yield $i;
    }
}
function delegated($n) {
    yield from numbers($n); //> numbers
    yield from [1, 2, 3];
    $sub = numbers($n); //> numbers
    yield from $sub; //> numbers
    return spin(10); //> spin
}
function generators() {
    $t = 0;
    foreach (numbers(10) as $x) //> numbers
        $t += $x;
    foreach (delegated(5) as $x) //> delegated numbers
        $t += $x;
    $sender = (function () {
        while (true) {
            $got = yield;
            spin($got); //> spin
        }
    })(); //> {closure}
    for ($i = 0; $i < 10; $i++)
        $sender->send(20); //> Generator::send {closure}
    $array = iterator_to_array(numbers(5)); //> iterator_to_array numbers
    return $t;
}
function thrower($n) {
    spin(10); //> spin
    if (!$n)
        throw new RuntimeException("thrown"); //> Exception::__construct
    try {
        thrower($n - 1); //> thrower
    } finally {
        spin(10); //> spin
    }
}
function exceptions() {
    try {
        thrower(3); //> thrower
    } catch (RuntimeException $e) {
        spin(20); //> spin
    }
    try {
        array_map(function ($x) { //> array_map {closure}
            thrower(1); //> thrower
        }, [1, 2]);
    } catch (RuntimeException $e) {
        return $e->getTraceAsString(); //> Exception::getTraceAsString
    }
}
function handler($number, $text) {
    spin(30); //> spin
    return true;
}
function errors() {
    set_error_handler('handler'); //> set_error_handler
    $a = [];
    $b = $a['missing']; //> handler
    trigger_error("by hand"); //> trigger_error handler
    restore_error_handler(); //> restore_error_handler
}
function callbacks() {
    array_walk_recursive($GLOBALS['tree'], function ($x) { spin($x); }); //> array_walk_recursive {closure} spin
    preg_replace_callback('/a/', function ($m) { //> preg_replace_callback {closure}
        return spin(10); //> spin
    }, str_repeat("ab", 10)); //> preg_replace_callback {closure} str_repeat
    array_filter(range(1, 10), 'spin'); //> array_filter spin range
    array_map('strrev', ["x", "y"]); //> array_map strrev
    usort($GLOBALS['words'], 'strcmp'); //> usort strcmp
    call_user_func_array('nested', [3]); //> call_user_func_array nested
    ob_start(function ($text) { //> ob_start
        return spin(20); //> spin
    });
    echo "hidden";
    ob_end_clean(); //> ob_end_clean {closure}
    (new ReflectionMethod('Sorter', 'compare'))->invoke(null, 1, 2); //> ReflectionMethod::__construct ReflectionMethod::invoke Sorter::compare
}
function nested($n) {
    if (!$n)
        return spin(100); //> spin
    return array_sum(array_map('nested', [$n - 1, $n - 1])); //> array_sum array_map nested
}
function fibers() {
    $fiber = new Fiber(function ($x) { //> Fiber::__construct
        spin(50); //> spin
        $y = Fiber::suspend(1); //> Fiber::suspend
        array_map('spin', [50, 50]); //> array_map spin
        return nested(2); //> nested
    });
    $fiber->start(5); //> Fiber::start {closure}
    $fiber->resume(6); //> Fiber::resume {closure}
}
trait Shared {
    function work() {
        return spin(30); //> spin
    }
}
class One {
    use Shared;
}
class Two {
    use Shared;
}
function classes() {
    (new One)->work(); //> One::work
    (new Two)->work(); //> Two::work
    $object = new class {
        function run() {
            return spin(20); //> spin
        }
    };
    $object->run(); //> class@anonymous::run
}
function included() {
    include __DIR__ . '/included.php'; //> {include}
    return from_file(); //> from_file
}
function evaluated() {
    return eval('$x = spin(30); return $x;'); //> {eval} spin
}
spl_autoload_register(function ($name) { //> spl_autoload_register
    spin(20); //> spin
});
$tree = [1, [20, 30, [40]]];
$words = ["b", "a", "c"];
for ($round = 0; $round < (int)$argv[1]; $round++) {
    recurse(20); //> recurse
    (new Sorter(30))->sorted(); //> Sorter::__construct Sorter::sorted
    guarded(2); //> guarded Guard::__destruct
    magic(); //> magic
    generators(); //> generators
    exceptions(); //> exceptions
    errors(); //> errors
    callbacks(); //> callbacks
    fibers(); //> fibers
    classes(); //> classes
    included(); //> included
    evaluated(); //> evaluated
    class_exists('Missing' . $round); //> class_exists {closure}
    array_map(fn() => new Guard(1), [1, 2]); //> Guard::__construct array_map {closure} Guard::__destruct
    array_map(function () { //> array_map {closure} Guard::__destruct
        $guard = new Guard(1); //> Guard::__construct
    }, [1, 2]);
}
register_shutdown_function(function () { //> register_shutdown_function {closure}
    recurse(5); //> recurse
    echo "shut down\n";
});
$last = new Guard(1); //> Guard::__construct
echo "done\n";
