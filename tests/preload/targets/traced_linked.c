/* A program that is linked with the object that has the variable of OTEP 4947. */
#include "tests/preload/targets/traced.h"

void traced_publish(struct traced_record *record);

int main(void)
{
	static struct traced_record record[2];

	traced_fill(&record[0], 0x33, 1);
	traced_fill(&record[1], 0x33, 2);
	traced_burn(100);
	for (int i = 0; i < 10; i++) {
		traced_publish(&record[0]);
		traced_burn(30);
		traced_publish(&record[1]);
		traced_burn(10);
	}
	traced_publish(0);
	return 0;
}
