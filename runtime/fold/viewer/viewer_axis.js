/*
 * Times as text, and the ticks of the time axis.
 */
