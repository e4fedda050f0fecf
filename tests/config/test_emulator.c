/* Programs that hand their environment to a program of another loader. */
#include "config/settings/emulator.h"
#include "tests/support/unit.h"

TEST(emulators_are_known_by_their_names)
{
	assert_true(emulator_is("/usr/bin/qemu-aarch64"));
	assert_true(emulator_is("qemu-arm-static"));
	assert_true(emulator_is("/opt/box64/box64"));
	assert_true(emulator_is("/usr/bin/FEXInterpreter"));
	assert_false(emulator_is(""));
	assert_false(emulator_is("/qemu-aarch64/ls"));
	assert_false(emulator_is("/usr/bin/qemu"));
	assert_false(emulator_is("/usr/bin/qemu-system-aarch64"));
	assert_false(emulator_is("/usr/bin/box"));
}
