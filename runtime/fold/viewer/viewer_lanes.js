/*
 * The lanes: one row for each thread, grouped by process.
 */
function laneGutter() { return 200; }
function drawLanes() { return null; }
function laneText() { return ''; }
function dragLanes() { }
function clickLane() { }
function onLaneKey() { return false; }
