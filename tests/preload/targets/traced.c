/*
 * Works under several traces, which it publishes by OTEP 4947 through libtraced.so.
 *   traced MODE     MODE is one of:
 *   loaded          by dlopen, after some work; two threads, pointers that change
 *   fixed           one record, whose valid flag changes
 *   hostile         pointers that lead nowhere, and records that are not valid
 *   unloaded        by dlopen, and then by dlclose
 */
#include "tests/preload/targets/traced.h"

static void (*publish)(struct traced_record *record);
static void *library;

static void load(void)
{
	library = dlopen("libtraced.so", RTLD_NOW);
	if (!library)
		exit(2);
	*(void **)&publish = dlsym(library, "traced_publish");
}

static void *work(void *argument)
{
	static _Thread_local struct traced_record record[2];
	int which = *(int *)argument;

	for (int i = 0; i < 10; i++) {
		traced_fill(&record[0], which, 1);
		publish(&record[0]);
		traced_burn(20);
		traced_fill(&record[1], which, 2);
		publish(&record[1]);
		traced_burn(10);
		publish(NULL);
		traced_burn(5);
	}
	return NULL;
}

static void loaded(void)
{
	pthread_t thread[2];
	int which[2] = { 0xa1, 0xb2 };

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, &which[i]);
	join_threads(thread, 2);
}

static void fixed(void)
{
	static struct traced_record record;

	publish(&record);
	for (int i = 0; i < 10; i++) {
		traced_fill(&record, 0xc3, i + 1);
		traced_burn(20);
		*(volatile uint8_t *)&record.valid = i % 2 ? 0 : 2;
		traced_burn(20);
	}
}

static void hostile(void)
{
	struct traced_record *page = map_memory(8192, PROT_READ | PROT_WRITE);
	struct traced_record *last = (void *)((char *)page + 4096 - 20);

	munmap((char *)page + 4096, 4096);
	memset(last, 1, 20); /* a part of a record */
	for (int i = 0; i < 5; i++) {
		publish(last);
		traced_burn(20);
		publish((void *)8);
		traced_burn(20);
		publish((void *)0x8000000000000000);
		traced_burn(20);
		publish((void *)-1L);
		traced_burn(20);
	}
	publish(NULL);
}

static void unloaded(void)
{
	static struct traced_record record;

	traced_fill(&record, 0xd4, 1);
	for (int i = 0; i < 5; i++) {
		publish(&record);
		traced_burn(200);
		dlclose(library);
		traced_burn(50);
		load();
	}
}

static const struct named modes[] = {
	{ "loaded", loaded }, { "fixed", fixed }, { "hostile", hostile }, { "unloaded", unloaded }
};

int main(int argc, char **argv)
{
	traced_burn(100);
	load();
	traced_burn(100);
	if (argc != 2 || !run_named(modes, COUNT(modes), argv[1]))
		return 2;
	puts("done");
	return 0;
}
