/* The texts of a finding: the observation, and a remedy. */
#include "runtime/command/inspect/doctor.h"

#include <stdarg.h>
#include <stdio.h>

void doctor_find(struct doctor_finding *finding, enum doctor_grade grade, const char *format, ...)
{
	va_list arguments;

	finding->grade = grade;
	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
}

void doctor_advise(struct doctor_finding *finding, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding->remedy, sizeof(finding->remedy), format, arguments);
	va_end(arguments);
}
