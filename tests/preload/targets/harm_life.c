/* A whole life: start, threads, fork, exec, signals and every kind of end. */
#include "tests/preload/targets/harm_life.h"

int main(int argc, char **argv)
{
	return life(argc, argv);
}
