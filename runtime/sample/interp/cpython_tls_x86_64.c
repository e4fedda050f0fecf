/*
 * Decodes x86-64's ways to load a thread-local variable, as compilers write them and as linkers
 * relax them (ELF Handling For Thread-Local Storage, and the psABI).
 */
#include <string.h>

#include "runtime/sample/interp/cpython_tls.h"
#include "runtime/sample/sys/poison.h"

#define THREAD_LOAD_BYTES 5 /* mov %fs:disp32, %rax, before the number */

static int32_t number(const uint8_t *code)
{
	int32_t value;

	memcpy(&value, code, sizeof(value));
	return value;
}

static bool starts(const uint8_t *code, const char *bytes, size_t count)
{
	return !memcmp(code, bytes, count);
}

/* What the code adds to the address in rax before it loads the value. */
static int64_t added(const uint8_t *code)
{
	if (starts(code, "\x48\x8d\x80", 3) || starts(code, "\x48\x8b\x80", 3))
		return number(code + 3);
	if (starts(code, "\x48\x8b\x40", 3))
		return (int8_t)code[3];
	return 0;
}

/* mov %fs:…, %rax, and for a variable of the program's own what a linker leaves behind it. */
static void decode_thread(const uint8_t *code, struct cpython_tls *tls, uint64_t address)
{
	const uint8_t *next = code + THREAD_LOAD_BYTES + sizeof(int32_t);

	tls->kind = CPYTHON_TLS_OFFSET;
	tls->offset = number(code + THREAD_LOAD_BYTES);
	if (tls->offset)
		return;
	if (starts(next, "\x48\x03\x05", 3)) { /* add slot(%rip), %rax */
		tls->kind = CPYTHON_TLS_SLOT;
		tls->address = address + (uint64_t)(next - code) + 7 + (uint64_t)number(next + 3);
		tls->offset = 0;
		return;
	}
	tls->offset = added(next);
}

/* lea …(%rip), %rdi; call __tls_get_addr, in several lengths. */
static bool decode_call(const uint8_t *code, uint64_t address, struct cpython_tls *tls)
{
	const uint8_t *at = code;

	if (*at == 0x66)
		at++;
	if (!starts(at, "\x48\x8d\x3d", 3))
		return false;
	at += 3 + sizeof(int32_t);
	tls->address = address + (uint64_t)(at - code) + (uint64_t)number(at - sizeof(int32_t));
	while (*at == 0x66 || *at == 0x48)
		at++;
	if (*at == 0xe8)
		at++;
	else if (starts(at, "\xff\x15", 2))
		at += 2;
	else
		return false;
	tls->kind = CPYTHON_TLS_INDEX;
	tls->offset = added(at + sizeof(int32_t));
	return true;
}

void cpython_tls_decode(const uint8_t code[CPYTHON_TLS_CODE], uint64_t address,
			struct cpython_tls *tls)
{
	const uint8_t *at = code;

	*tls = (struct cpython_tls){ 0 };
	if (starts(at, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
		at += 4;
	if (*at == 0x55) /* push %rbp; mov %rsp, %rbp */
		at += starts(at + 1, "\x48\x89\xe5", 3) ? 4 : 1;
	if (starts(at, "\x48\x83\xec\x08", 4) || *at == 0x50) /* sub $8, %rsp; push %rax */
		at += *at == 0x50 ? 1 : 4;
	address += (uint64_t)(at - code);
	if (decode_call(at, address, tls))
		return;
	if (starts(at, "\x48\x8b\x05", 3) && starts(at + 7, "\x64\x48\x8b\x00", 4)) {
		tls->kind = CPYTHON_TLS_SLOT;
		tls->address = address + 7 + (uint64_t)number(at + 3);
		return;
	}
	if (starts(at, "\x48\xc7\xc0", 3) && starts(at + 7, "\x64\x48\x8b\x00", 4)) {
		tls->kind = CPYTHON_TLS_OFFSET;
		tls->offset = number(at + 3);
		return;
	}
	for (unsigned i = 0; i < 4 && at[i] == 0x66; i++)
		if (at[i + 1] == 0x64)
			at += i + 1, address += i + 1;
	if (starts(at, "\x64\x48\x8b\x04\x25", THREAD_LOAD_BYTES))
		decode_thread(at, tls, address);
}
