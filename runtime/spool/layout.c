/*
 * The layout of format version 9, byte by byte.  A change that moves a byte does not compile.  Such
 * a change needs a new SPOOL_VERSION, and a reader of this one if it was released.
 */
#include <stddef.h>

#include "config/settings/settings.h"
#include "runtime/spool/format.h"
#include "runtime/spool/format_code.h"
#include "runtime/spool/format_log.h"

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type)
#define AT(type, field, offset) \
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field)

SIZE(spool_counter, 160);
AT(spool_counter, name, 0);
AT(spool_counter, unit, 64);
AT(spool_counter, leader, 68);
AT(spool_counter, period, 72);
AT(spool_counter, frequency_hz, 80);
AT(spool_counter, raised, 88);
AT(spool_counter, flags, 96);
AT(spool_counter, missing, 100);
AT(spool_counter, scale, 104);
AT(spool_counter, measure, 144);

SIZE(spool_lack, 16);
AT(spool_lack, ended_ns, 0);
AT(spool_lack, threads, 8);
AT(spool_lack, why, 12);

SIZE(spool_weight, 16);
AT(spool_weight, samples, 0);
AT(spool_weight, events, 8);

SIZE(spool_node, 16);
AT(spool_node, pc, 0);
AT(spool_node, parent, 8);
AT(spool_node, generation, 12);
AT(spool_node, weight, 16);

SIZE(spool_total, 48);
AT(spool_total, value, 0);
AT(spool_total, enabled_ns, 8);
AT(spool_total, running_ns, 16);
AT(spool_total, lost, 24);
AT(spool_total, dropped, 32);
AT(spool_total, paused, 40);

SIZE(spool_thread, 1152);
AT(spool_thread, state, 0);
AT(spool_thread, tid, 4);
AT(spool_thread, name, 8);
AT(spool_thread, first_chunk, 24);
AT(spool_thread, start_ns, 32);
AT(spool_thread, end_ns, 40);
AT(spool_thread, count, 48);
AT(spool_thread, total, 344);
AT(spool_thread, first_log, 1112);
AT(spool_thread, log_changes, 1120);
AT(spool_thread, seen_ns, 1128);
AT(spool_thread, seen_cpu_ns, 1136);
AT(spool_thread, lacks, 1144);

SIZE(spool_mapped, 40);
AT(spool_mapped, device, 0);
AT(spool_mapped, inode, 8);
AT(spool_mapped, bytes, 16);
AT(spool_mapped, changed_ns, 24);
AT(spool_mapped, head, 32);

SIZE(spool_module, 1000);
AT(spool_module, start, 0);
AT(spool_module, end, 8);
AT(spool_module, bias, 16);
AT(spool_module, since, 24);
AT(spool_module, until, 28);
AT(spool_module, flags, 32);
AT(spool_module, build_id_bytes, 36);
AT(spool_module, build_id, 40);
AT(spool_module, file, 72);
AT(spool_module, path, 112);

SIZE(spool_chunk, 64);
AT(spool_chunk, kind, 0);
AT(spool_chunk, count, 4);
AT(spool_chunk, next, 8);
AT(spool_chunk, number, 16);
AT(spool_chunk, base_ns, 24);
AT(spool_chunk, reserved, 32);

SIZE(spool_header, 20088);
AT(spool_header, magic, 0);
AT(spool_header, version, 8);
AT(spool_header, header_bytes, 12);
AT(spool_header, thread_bytes, 16);
AT(spool_header, module_bytes, 20);
AT(spool_header, node_bytes, 24);
AT(spool_header, counter_count, 28);
AT(spool_header, size_bytes, 32);
AT(spool_header, used_bytes, 40);
AT(spool_header, first_thread, 48);
AT(spool_header, first_module, 56);
AT(spool_header, state, 64);
AT(spool_header, engine, 68);
AT(spool_header, pid, 72);
AT(spool_header, parent_pid, 76);
AT(spool_header, uid, 80);
AT(spool_header, weight, 84);
AT(spool_header, threads, 88);
AT(spool_header, formats, 92);
AT(spool_header, inlined, 96);
AT(spool_header, lines, 100);
AT(spool_header, wall, 104);
AT(spool_header, takes_ended, 108);
AT(spool_header, start_ticks, 112);
AT(spool_header, start_realtime_ns, 120);
AT(spool_header, start_ns, 128);
AT(spool_header, end_ns, 136);
AT(spool_header, cpu_ns, 144);
AT(spool_header, count, 152);
AT(spool_header, counter, 448);
AT(spool_header, note, 3008);
AT(spool_header, command, 3264);
AT(spool_header, host, 3280);
AT(spool_header, executable, 3345);
AT(spool_header, arguments, 7441);
AT(spool_header, output, 11537);
AT(spool_header, directory, 15633);
AT(spool_header, window_from_ns, 19736);
AT(spool_header, window_to_ns, 19744);
AT(spool_header, stop_after_ns, 19752);
AT(spool_header, first_code, 19760);
AT(spool_header, first_text, 19768);
AT(spool_header, interp, 19776);
AT(spool_header, run, 19780);
AT(spool_header, first_mark, 19784);
AT(spool_header, first_label, 19792);
AT(spool_header, timeline_bytes, 19800);
AT(spool_header, lack, 19808);
AT(spool_header, map_device, 20064);
AT(spool_header, map_inode, 20072);
AT(spool_header, before_ns, 20080);

SIZE(spool_text, 8);
AT(spool_text, at, 0);
AT(spool_text, bytes, 4);

SIZE(spool_code, 48);
AT(spool_code, language, 0);
AT(spool_code, lines, 4);
AT(spool_code, first_line, 8);
AT(spool_code, reserved, 12);
AT(spool_code, name, 16);
AT(spool_code, qualified, 24);
AT(spool_code, file, 32);
AT(spool_code, table, 40);

SIZE(spool_log_entry, 16);
AT(spool_log_entry, head, 0);
AT(spool_log_entry, body, 8);

SIZE(spool_label, 24);
AT(spool_label, below, 0);
AT(spool_label, reserved, 4);
AT(spool_label, key, 8);
AT(spool_label, value, 16);

SIZE(spool_written, 32);
AT(spool_written, device, 0);
AT(spool_written, inode, 8);
AT(spool_written, bytes, 16);
AT(spool_written, mtime_ns, 24);

/* Each count has an index of its own, and no index is unused. */
#define BIT(id, place, text) | (uint64_t)1 << (place)
#define ONE(id, place, text) +1
_Static_assert((0 SPOOL_COUNTS(BIT)) == ((uint64_t)1 << SPOOL_COUNTS_NUMBER) - 1, "every place");
_Static_assert((0 SPOOL_COUNTS(ONE)) == SPOOL_COUNTS_NUMBER, "once");

_Static_assert(sizeof(struct spool_header) <= SPOOL_WRITTEN_OFFSET,
	       "struct spool_written lies behind the header");
_Static_assert(SPOOL_WRITTEN_OFFSET + SPOOL_WRITTEN_MAX * sizeof(struct spool_written) <=
		       (uint64_t)SPOOL_CHUNK_BYTES * SPOOL_HEADER_CHUNKS,
	       "and in its chunks");
_Static_assert(sizeof(struct spool_chunk) == SPOOL_CHUNK_HEAD, "entries start on a cache line");
_Static_assert(sizeof(struct spool_node) == SPOOL_NODE_UNIT, "a node's head is one unit");
_Static_assert(sizeof(struct spool_weight) == SPOOL_NODE_UNIT, "a weight is one unit");

/* The numbers of settings are those of config/settings.  One that gets another value must be
 * translated from then on. */
_Static_assert(SETTINGS_WEIGHT_AUTO == 0 && SETTINGS_WEIGHT_SAMPLES == 1 &&
		       SETTINGS_WEIGHT_EVENTS == 2,
	       "weight in a file");
_Static_assert(SETTINGS_THREADS_MERGE == 0 && SETTINGS_THREADS_NAME == 1 &&
		       SETTINGS_THREADS_ID == 2,
	       "threads in a file");
_Static_assert(SETTINGS_INTERP_MERGE == 0 && SETTINGS_INTERP_ONLY == 1 && SETTINGS_INTERP_NO == 2,
	       "interp in a file");
