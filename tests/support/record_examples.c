/*
 * Words as perf_event_open(2) describes them.  Texts are words too, with the text beside them.
 */
#include "tests/support/record_examples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define PAIR(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)
#define TRAILER_FIELDS                                                                 \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

static void is_mapped(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_MAPPED);
	assert_int_equal(record->pid, 11);
	assert_int_equal(record->tid, 12);
	assert_int_equal(record->mapping.start, 0x1000);
	assert_int_equal(record->mapping.bytes, 0x2000);
	assert_int_equal(record->mapping.offset, 0x3000);
	assert_string_equal(record->text, "/lib/libc.so");
}

static void is_mmap(const struct record *record)
{
	is_mapped(record);
	assert_true(record->mapping.data);
	assert_false(record->mapping.has_inode);
	assert_false(record->mapping.has_build_id);
}

static void is_mmap2_with_inode(const struct record *record)
{
	is_mapped(record);
	assert_false(record->mapping.data);
	assert_true(record->mapping.has_inode);
	assert_int_equal(record->mapping.major, 8);
	assert_int_equal(record->mapping.minor, 1);
	assert_int_equal(record->mapping.inode, 77);
	assert_int_equal(record->mapping.inode_generation, 78);
	assert_int_equal(record->mapping.protection, 5);
	assert_int_equal(record->mapping.flags, 2);
}

static void is_mmap2_with_build_id(const struct record *record)
{
	static const uint8_t id[20] = { 1,  2,	3,  4,	5,  6,	7,  8,	9,  10,
					11, 12, 13, 14, 15, 16, 17, 18, 19, 20 };

	is_mapped(record);
	assert_false(record->mapping.has_inode);
	assert_true(record->mapping.has_build_id);
	assert_int_equal(record->mapping.inode, 0);
	assert_int_equal(record->mapping.build_id_bytes, 20);
	assert_memory_equal(record->mapping.build_id, id, 20);
}

static void is_lost(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_LOST);
	assert_int_equal(record->id, 5);
	assert_int_equal(record->lost, 123);
}

static void is_lost_samples(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_LOST);
	assert_int_equal(record->lost, 124);
}

static void is_comm(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_COMM);
	assert_true(record->executed);
	assert_string_equal(record->comm, "worker");
	assert_int_equal(record->tid, 12);
}

static void is_life(const struct record *record)
{
	assert_int_equal(record->pid, 1);
	assert_int_equal(record->parent_pid, 2);
	assert_int_equal(record->tid, 3);
	assert_int_equal(record->parent_tid, 4);
	assert_int_equal(record->time_ns, 999);
}

static void is_exit(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_ENDED);
	is_life(record);
}

static void is_fork(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_STARTED);
	is_life(record);
}

static void is_throttle(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_THROTTLED);
	assert_int_equal(record->time_ns, 1);
	assert_int_equal(record->id, 2);
	assert_int_equal(record->stream_id, 3);
}

static void is_unthrottle(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_UNTHROTTLED);
	assert_int_equal(record->time_ns, 1);
}

static void is_read(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_READ);
	assert_int_equal(record->tid, 12);
	assert_int_equal(record->counts.count, 2);
	assert_int_equal(record->counts.enabled_ns, 100);
	assert_int_equal(record->counts.running_ns, 50);
	assert_int_equal(record->counts.value[0], 7);
	assert_int_equal(record->counts.lost[0], 1);
	assert_int_equal(record->counts.value[1], 9);
	assert_int_equal(record->counts.lost[1], 0);
}

static void is_read_of_one(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_READ);
	assert_int_equal(record->counts.count, 1);
	assert_int_equal(record->counts.value[0], 7);
	assert_int_equal(record->counts.enabled_ns, 100);
	assert_int_equal(record->counts.running_ns, 50);
	assert_int_equal(record->counts.lost[0], 3);
}

static void is_aux(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_AUX);
	assert_int_equal(record->area.offset, 1);
	assert_int_equal(record->area.bytes, 2);
	assert_int_equal(record->area.flags, 3);
}

static void is_trace_start(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_TRACED);
	assert_int_equal(record->pid, 11);
	assert_int_equal(record->tid, 12);
}

static void is_switch_out(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_SWITCHED_OUT);
	assert_true(record->preempted);
	assert_int_equal(record->time_ns, 1000);
}

static void is_switch_in_cpu_wide(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_SWITCHED_IN);
	assert_false(record->preempted);
	assert_int_equal(record->parent_pid, 21);
	assert_int_equal(record->parent_tid, 22);
	assert_int_equal(record->pid, 11);
	assert_int_equal(record->tid, 12);
	assert_int_equal(record->time_ns, 1000);
	assert_int_equal(record->id, 1001);
	assert_int_equal(record->stream_id, 1002);
	assert_int_equal(record->cpu, 3);
}

static void is_namespaces(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_NAMESPACES);
	assert_int_equal(record->pid, 11);
	assert_int_equal(record->namespaces.count, 2);
	assert_int_equal(record->namespaces.word[0], 31);
	assert_int_equal(record->namespaces.word[3], 34);
}

static void is_ksymbol(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_KERNEL_SYMBOL);
	assert_int_equal(record->symbol.start, 0xffffffff81000000);
	assert_int_equal(record->symbol.bytes, 64);
	assert_int_equal(record->symbol.type, 1);
	assert_true(record->symbol.removed);
	assert_string_equal(record->text, "bpf_prog");
}

static void is_bpf(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_BPF);
	assert_int_equal(record->bpf.type, 1);
	assert_int_equal(record->bpf.flags, 2);
	assert_int_equal(record->bpf.program, 42);
	assert_memory_equal(record->bpf.tag, "tagtagta", 8);
}

static void is_cgroup(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_CGROUP);
	assert_int_equal(record->id, 6);
	assert_string_equal(record->text, "/user");
}

static void is_poke(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_POKED);
	assert_int_equal(record->symbol.start, 0xffffffff81000010);
	assert_int_equal(record->symbol.old_bytes, 5);
	assert_int_equal(record->symbol.new_bytes, 2);
	assert_memory_equal(record->symbol.code, "oldoldn", 7);
}

static void is_aux_id(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_AUX_ID);
	assert_int_equal(record->id, 17);
}

static void is_unknown(const struct record *record)
{
	assert_int_equal(record->kind, RECORD_OTHER);
}

#define READ_FORMAT                                                            \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING | 1ULL << 4)
#define TRAILER PAIR(11, 12), 1000, 1001, 1002, PAIR(3, 0), 1001
#define PATH	0x62696c2f62696c2f /* /lib/lib */, 0x6f732e63 /* c.so */

const struct record_example record_examples[] = {
	{ "MMAP",
	  PERF_RECORD_MMAP,
	  PERF_RECORD_MISC_MMAP_DATA,
	  { 0 },
	  { PAIR(11, 12), 0x1000, 0x2000, 0x3000, PATH },
	  6,
	  is_mmap },
	{ "LOST", PERF_RECORD_LOST, 0, { 0 }, { 5, 123 }, 2, is_lost },
	{ "COMM",
	  PERF_RECORD_COMM,
	  PERF_RECORD_MISC_COMM_EXEC,
	  { 0 },
	  { PAIR(11, 12), 0x72656b726f77 /* worker */ },
	  2,
	  is_comm },
	{ "EXIT", PERF_RECORD_EXIT, 0, { 0 }, { PAIR(1, 2), PAIR(3, 4), 999 }, 3, is_exit },
	{ "THROTTLE", PERF_RECORD_THROTTLE, 0, { 0 }, { 1, 2, 3 }, 3, is_throttle },
	{ "UNTHROTTLE", PERF_RECORD_UNTHROTTLE, 0, { 0 }, { 1, 2, 3 }, 3, is_unthrottle },
	{ "FORK", PERF_RECORD_FORK, 0, { 0 }, { PAIR(1, 2), PAIR(3, 4), 999 }, 3, is_fork },
	{ "READ",
	  PERF_RECORD_READ,
	  0,
	  { .read_format = READ_FORMAT },
	  { PAIR(11, 12), 2, 100, 50, 7, 101, 1, 9, 102, 0 },
	  10,
	  is_read },
	{ "READ, one counter",
	  PERF_RECORD_READ,
	  0,
	  { .read_format = READ_FORMAT & ~(uint64_t)PERF_FORMAT_GROUP },
	  { PAIR(11, 12), 7, 100, 50, 101, 3 },
	  6,
	  is_read_of_one },
	{ "MMAP2",
	  PERF_RECORD_MMAP2,
	  0,
	  { 0 },
	  { PAIR(11, 12), 0x1000, 0x2000, 0x3000, PAIR(8, 1), 77, 78, PAIR(5, 2), PATH },
	  10,
	  is_mmap2_with_inode },
	{ "MMAP2 with a build-id",
	  PERF_RECORD_MMAP2,
	  1u << 14,
	  { 0 },
	  { PAIR(11, 12), 0x1000, 0x2000, 0x3000, 0x0403020100000014, 0x0c0b0a0908070605,
	    0x14131211100f0e0d, PAIR(5, 2), PATH },
	  10,
	  is_mmap2_with_build_id },
	{ "AUX", PERF_RECORD_AUX, 0, { 0 }, { 1, 2, 3 }, 3, is_aux },
	{ "ITRACE_START", PERF_RECORD_ITRACE_START, 0, { 0 }, { PAIR(11, 12) }, 1, is_trace_start },
	{ "LOST_SAMPLES", PERF_RECORD_LOST_SAMPLES, 0, { 0 }, { 124 }, 1, is_lost_samples },
	{ "SWITCH",
	  PERF_RECORD_SWITCH,
	  PERF_RECORD_MISC_SWITCH_OUT | 1u << 14,
	  { .trailer = true, .sample_type = PERF_SAMPLE_TIME },
	  { 1000 },
	  1,
	  is_switch_out },
	{ "SWITCH_CPU_WIDE",
	  15,
	  0,
	  { .trailer = true, .sample_type = TRAILER_FIELDS },
	  { PAIR(21, 22), TRAILER },
	  7,
	  is_switch_in_cpu_wide },
	{ "NAMESPACES", 16, 0, { 0 }, { PAIR(11, 12), 2, 31, 32, 33, 34 }, 6, is_namespaces },
	{ "KSYMBOL",
	  17,
	  0,
	  { .trailer = true, .sample_type = PERF_SAMPLE_TIME },
	  { 0xffffffff81000000, PAIR(64, 1 | 1 << 16), 0x676f72705f667062 /* bpf_prog */, 0, 1000 },
	  5,
	  is_ksymbol },
	{ "BPF_EVENT",
	  18,
	  0,
	  { 0 },
	  { PAIR(1 | 2 << 16, 42), 0x6174676174676174 /* tagtagta */ },
	  2,
	  is_bpf },
	{ "CGROUP", 19, 0, { 0 }, { 6, 0x726573752f /* /user */ }, 2, is_cgroup },
	{ "TEXT_POKE",
	  20,
	  0,
	  { 0 },
	  { 0xffffffff81000010, PAIR(5 | 2 << 16, 0x6f646c6f), 0x6e646c /* ldn */ },
	  3,
	  is_poke },
	{ "AUX_OUTPUT_HW_ID", 21, 0, { 0 }, { 17 }, 1, is_aux_id },
	{ "a type of tomorrow", 999, 0, { 0 }, { 1, 2, 3 }, 3, is_unknown },
};
const unsigned record_examples_count = sizeof(record_examples) / sizeof(record_examples[0]);
