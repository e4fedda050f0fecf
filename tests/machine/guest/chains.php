<?php
// The work of chains.py.
function work($rounds)
{
	$total = 0;
	for ($i = 0; $i < $rounds; $i++)
		$total += $i & 7;
	return $total;
}

function light($unit)
{
	return work($unit);
}

function heavy($unit)
{
	return work(3 * $unit);
}

function key_of($unit)
{
	work($unit);
	return $unit;
}

function in_order($unit)
{
	return array_map('key_of', [$unit, $unit]);
}

function deep($left, $unit)
{
	return $left ? deep($left - 1, $unit) : light($unit);
}

function main($unit)
{
	for ($i = 0; $i < 5; $i++) {
		deep(9, $unit);
		heavy($unit);
		in_order($unit);
	}
}

main((int)$argv[1]);
echo "worked\n";
