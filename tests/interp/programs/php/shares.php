<?php
// Work in known parts: light 1, heavy 3, each comparison 1.  The unit varies, so that no sampling
// period is in step with it.
function work($rounds) {
    $sum = 0;
    for ($i = 0; $i < $rounds; $i++)
        $sum += $i & 7;
    return $sum;
}
function light($unit) {
    return work($unit);
}
function heavy($unit) {
    return work(3 * $unit);
}
class Sorter {
    public $comparisons = 0;
    public $unit;
    function compare($a, $b) {
        $this->comparisons++;
        work($this->unit);
        return $a <=> $b;
    }
    function sorted($unit) {
        $items = [3, 2, 1];
        $this->unit = $unit;
        usort($items, [$this, 'compare']);
        return $items[0];
    }
}
$sorter = new Sorter;
for ($round = 0; $round < 300; $round++) {
    $unit = 60000 + 437 * ($round * $round % 101);
    light($unit);
    heavy($unit);
    $sorter->sorted($unit);
}
echo $sorter->comparisons / $round, "\n";
