// What Linux offers for many sockets on one thread, which Glibc's module leaves out.
#pragma once
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

// Declared here because _GNU_SOURCE, which it needs in the header, makes other types differ from those of
// Glibc's module.
extern int pthread_setname_np(pthread_t thread, const char *name);
// The calls of each request go past glibc's functions of the same names: those are cancellation points, which costs two
// locked instructions each, and nobody cancels a thread here. Errors are the same: -1 and errno.
extern long syscall(long number, ...);

// A TCP socket that does not block; -1 and errno where there is none.
static inline int vitrine_stream_socket(int family) {
	return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

// Takes the next connection of a listening socket, not blocking; -1 and errno where there is none.
static inline int vitrine_accept(int listener) {
	return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// What has arrived, without waiting for more; 0 at the end.
static inline ssize_t vitrine_receive(int socket, void *bytes, size_t count) {
	return syscall(SYS_recvfrom, socket, bytes, count, MSG_DONTWAIT, NULL, NULL);
}

// Sends what fits without blocking; a connection that is gone is an error, never a signal. `isLast` lets the end of the
// connection, which follows at once, travel in the packet of the last bytes.
static inline ssize_t vitrine_send(int socket, const struct iovec *parts, size_t count, bool isLast) {
	struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = count};
	return syscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT | (isLast ? MSG_MORE : 0));
}

static inline int vitrine_close(int file) { return (int)syscall(SYS_close, file); }

// Adds (EPOLL_CTL_ADD) or removes (EPOLL_CTL_DEL) a file; its number comes back with its events.
static inline int vitrine_watch(int epoll, int operation, int file, uint32_t events) {
	struct epoll_event event = {.events = events, .data = {.u64 = (uint64_t)(uint32_t)file}};
	return epoll_ctl(epoll, operation, file, &event);
}

// Waits so many milliseconds at most; returns how many events there are.
static inline int vitrine_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
	return (int)syscall(SYS_epoll_pwait, epoll, events, capacity, milliseconds, NULL, (size_t)0);
}

// The file that an event is about.
static inline int vitrine_file(const struct epoll_event *event) { return (int)event->data.u64; }

// Whether it says that nothing more comes from the other end.
static inline bool vitrine_is_end(const struct epoll_event *event) {
	return (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}

static inline int vitrine_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int vitrine_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

// Names the calling thread for tools that list threads.
static inline void vitrine_name_this_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

// The calling thread runs before all that are not real-time, in turns with its like; or no longer. What it starts does
// not. -1 and errno where that isn't permitted.
static inline int vitrine_go_first(bool first) {
	const int resetOnFork = 0x40000000; // SCHED_RESET_ON_FORK, which only the privileged can take back
	struct sched_param priority = {.sched_priority = first ? 1 : 0};
	return sched_setscheduler(0, (first ? SCHED_RR : SCHED_OTHER) | resetOnFork, &priority);
}
