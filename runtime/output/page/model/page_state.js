/*
 * What every module of a page reads: the profile, the state, and what is computed from both.
 * Nothing on screen.
 */

export let profile = null;      // what readProfile() returned, with the tables that the page adds
export let state = {};          // what the reader chose: only apply() and recall() of page_link.js change it
export const sum = {};          // what compute() of the page made of them

export function setProfile(read) {
	profile = read;
}

export function setState(wanted) {
	state = wanted;
}
