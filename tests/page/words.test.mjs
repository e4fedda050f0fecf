/* Names and numbers as a reader sees them. */
import assert from 'node:assert';
import test from 'node:test';

import { changeText } from '../../runtime/output/graph/graph_diff.js';
import { amount, cellsOf, fit, labelFor, plain } from '../../runtime/output/graph/graph_words.js';
import { cellText, told } from '../../runtime/output/page/model/difference_data.js';
import { durationText, timeText } from '../../runtime/output/page/model/viewer_times.js';
import { Made, open } from './made.mjs';

const TREE = 'std::_Rb_tree<std::string, std::pair<std::string const, std::vector<int> > >::_M_insert(int const&)';

test('a name without room loses its arguments first', () => {
	for (const [name, label] of [
	[TREE, 'std::_Rb_tree<\u2026>::_M_insert(int const&)'],
	['<alloc::vec::Vec<T> as core::iter::traits::collect::Extend<&T>>::extend_desugared', '<\u2026>::extend_desugared'],
	['std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)',
		'std::ostream& std::operator<< <\u2026>(\u2026)'],
	['Foo<int, Bar<double, std::allocator<double> > >::operator->() const noexcept',
		'Foo<\u2026>::operator->() const noexcept'],
	['Foo<int, std::vector<double, std::allocator<double> > >::operator()(int, char const*)',
		'Foo<\u2026>::operator()(int, char const*)']]) {
		assert.equal(labelFor(name, 45), label);
		assert.equal(labelFor(name, 200), name);
	}
});

test('code without a name keeps its address', () => {
	assert.match(labelFor('lib' + 'a_long_name'.repeat(5) + '.so.1@0x1a2b0', 45), /^liba_long_name.*\u2026@0x1a2b0$/);
});

test('brackets that are no pair stay', () => {
	const name = 'a_name_with_less < than_it_opens_and_that_is_much_longer_than_its_frame';
	const label = labelFor(name, 45);
	assert.ok(label.endsWith('..') && name.startsWith(label.slice(0, -2)) && label.length > 25);
});

test('wide characters take two cells', () => {
	assert.equal(cellsOf('a\u4e2d'), 3);
	assert.ok(fit('\u4e2d'.repeat(20), 10).length <= 6);
});

test('a name loses the suffix of its kind alone', () => {
	assert.deepEqual(['read_[k]', 'eval_[p]', '_[k]', 'a_[z]'].map(plain), ['read', 'eval', '_[k]', 'a_[z]']);
});

test('times have a unit one can picture', () => {
	for (const [value, text] of [[1, '1 ns'], [999, '999 ns'], [1500, '1.5 \u00b5s'], [2345678, '2.35 ms'],
		[999499999, '999 ms'], [999500000, '1 s'], [999999, '1 ms'], [13071660639, '13.1 s'], [5e12, '5,000 s']])
		assert.equal(amount(value, 'ns'), text);
});

test('one sample is one', () => {
	assert.deepEqual([amount(1, 'samples'), amount(1234, 'samples')], ['1 sample', '1,234 samples']);
});

test('a time is written as the whole run is long', () => {
	for (const [seconds, ns, step, text] of [[0.5, 4.5e6, 1e5, '4.5 ms'], [60, 12.38e9, 1e7, '12.38 s'],
		[600, 62.5e9, 1e8, '1:02.5'], [7200, 3723e9, 1e9, '1:02:03'], [60, -2e9, 1e9, '\u22122 s']]) {
		open(new Made(seconds).packed());
		assert.equal(timeText(ns, step), text);
	}
});

test('durations have two units at most below a day', () => {
	assert.deepEqual([80e6, 1.02e9, 200e9, 3660e9].map(durationText), ['80 ms', '1.02 s', '3 min 20 s', '1 h 1 min']);
});

test('a change has both sides, its interval, and whether it is sure', () => {
	const change = { before: 50, after: 75, low: 20, high: 30, sure: false };
	assert.equal(changeText(change, { whole: [100, 100], confidence: 95 }, 'samples'),
		'before 50 samples, 50.00%; after 75 samples, 75.00%; change +25 samples, +50.00%, ' +
		'95% interval +20 samples to +30 samples, not significant');
	assert.match(changeText({ ...change, before: 0 }, { whole: [100, 100] }, 'samples'), /, new, not significant$/);
});

test('an amount just below the next unit is one of it', () => {
	for (const [value, text] of [[1, '1 byte'], [1023.4, '1,023 bytes'], [1023.6, '1 KiB'], [1536, '1.5 KiB'],
		[1023.6 * 1024, '1 MiB'], [5000 * 1024 ** 4, '5,000 TiB']])
		assert.equal(told(value, 'bytes'), text);
	for (const [value, text] of [[9999999, '9,999,999'], [12345678, '12.3 M'], [999.6e6, '1 G']])
		assert.equal(cellText(value, 'samples'), text);
});
