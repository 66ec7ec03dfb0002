#ifndef CPROCESSORS_H
#define CPROCESSORS_H

/* Returns how many processors the scheduler may give to the calling thread, or -1 with errno. */
int processors_allowed(void);

#endif
