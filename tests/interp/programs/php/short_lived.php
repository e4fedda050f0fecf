<?php
// Functions that are made, called and freed, so that later ones take their addresses.  Each is the
// only one that begins in its line.
function work($rounds) {
    $sum = 0;
    for ($i = 0; $i < $rounds; $i++)
        $sum += $i & 7;
    return $sum;
}
for ($round = 0; $round < 6000; $round++) {
    $line = 1 + $round % 2000;
    $function = eval(str_repeat("\n", $line - 1) . 'return function () { return work(2000); };');
    $function();
    unset($function);
}
echo "done\n";
