/*
 * The source lines of a function.
 */
function makeSource() { }
function drawSource() { }
