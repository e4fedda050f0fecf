/* Names that must not be used in code that runs in a signal handler.  Include last. */
#ifndef RUNTIME_SAMPLE_SYS_POISON_H
#define RUNTIME_SAMPLE_SYS_POISON_H

#pragma GCC poison malloc calloc realloc free printf fprintf snprintf vsnprintf puts fputs fopen
#pragma GCC poison pthread_mutex_lock pthread_mutex_unlock getenv setenv dlsym dlopen abort exit

#endif
