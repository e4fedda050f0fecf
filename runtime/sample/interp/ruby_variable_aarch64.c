/*
 * Not written yet: without the variable, Ruby's functions are not shown.
 */
#include "runtime/sample/interp/ruby_variable.h"
#include "runtime/sample/sys/poison.h"

void ruby_variable_start(void)
{
}

bool ruby_variable_decode(uint64_t function, struct ruby_variable *variable)
{
	(void)function;
	(void)variable;
	return false;
}

uint64_t ruby_variable_address(const struct ruby_variable *variable, struct interp_reader *reader)
{
	(void)variable;
	(void)reader;
	return 0;
}

uint64_t ruby_variable_jump(uint64_t word)
{
	return word;
}
