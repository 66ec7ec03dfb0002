// Sockets, epoll and scheduling for the load generator of `vitrine bench`.
//
// Apart from CLinux, because its header includes none of the system's that Glibc's module has, too: a
// module that imports both needs both in every file.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LOAD_READABLE = 1,
	LOAD_WRITABLE = 2,
	// The peer will send nothing more.
	LOAD_ENDED = 4,
	// An error, such as a refused connection.
	LOAD_FAILED = 8,
};

// What happened to a file descriptor.
typedef struct {
	int file;
	uint32_t kinds;
} load_event;

// Functions return -1 and errno if they fail.

int load_epoll(void);

// Returns a non-blocking TCP socket that sends at once.
int load_socket(void);

// Connects to a port of 127.0.0.1 without waiting. EINPROGRESS is not an error.
int load_connect(int socket, uint16_t port);

// Receives what has arrived. Returns 0 at the end of the stream.
long load_receive(int socket, void *bytes, size_t count);

// Sends what fits. A closed connection is an error, never a signal.
long load_send(int socket, const void *bytes, size_t count);

// Watches a socket for bytes and its end; with `forWriting`, for room, too.
int load_watch(int epoll, int socket, bool isNew, bool forWriting);

// Waits at most `nanoseconds` and returns the number of events. Kernels before 5.11 wait whole
// milliseconds, rounded down.
int load_wait(int epoll, load_event *events, int capacity, uint64_t nanoseconds);

// Lets timers of the calling thread end on time, instead of up to 50 microseconds later.
void load_exact_timers(void);

// Gives the calling thread real-time scheduling, ahead of all ordinary threads, if that is permitted
// (CAP_SYS_NICE or RLIMIT_RTPRIO). Without the permission it runs as before.
void load_go_first(void);

// Reads which processors the calling thread may use, one bit each. What it starts inherits them.
long load_processors(uint64_t *mask, size_t bytes);

// Binds the calling thread to processors.
long load_set_processors(const uint64_t *mask, size_t bytes);
