/* A whole life in a program that defines the names itself. */
#include "tests/preload/targets/harm_life.h"
#include "tests/preload/targets/harm_names.h"

int main(int argc, char **argv)
{
	return life(argc, argv);
}
