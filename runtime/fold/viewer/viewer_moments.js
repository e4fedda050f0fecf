/*
 * Unusual moments: the parts of the run whose stacks or load differ most from the rest.
 */
function makeMoments() { }
function nextMoment() { }
