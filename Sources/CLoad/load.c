#define _GNU_SOURCE
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int load_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

int load_socket(void) {
	const int file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const int on = 1;
	if (file >= 0) setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return file;
}

int load_connect(int socket, uint16_t port) {
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int code = connect(socket, (const struct sockaddr *)&address, sizeof address);
	return code != 0 && errno == EINPROGRESS ? 0 : code;
}

long load_receive(int socket, void *bytes, size_t count) {
	return recv(socket, bytes, count, MSG_DONTWAIT);
}

long load_send(int socket, const void *bytes, size_t count) {
	return send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int load_watch(int epoll, int socket, bool isNew, bool forWriting) {
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLRDHUP | (forWriting ? EPOLLOUT : 0),
		.data.fd = socket,
	};
	return epoll_ctl(epoll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
}

int load_wait(int epoll, load_event *events, int capacity, uint64_t nanoseconds) {
	const long epollPwait2 = 441; // the same on every architecture
	struct epoll_event found[256];
	if (capacity > 256) capacity = 256;
	const struct timespec timeout = {
		.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
	int count = (int)syscall(epollPwait2, epoll, found, capacity, &timeout, NULL, (size_t)0);
	if (count < 0 && errno == ENOSYS)
		count = epoll_wait(epoll, found, capacity, (int)(nanoseconds / 1000000));
	for (int i = 0; i < count; i++) {
		const uint32_t is = found[i].events;
		events[i].file = found[i].data.fd;
		events[i].kinds = (is & EPOLLIN ? LOAD_READABLE : 0) | (is & EPOLLOUT ? LOAD_WRITABLE : 0) |
			(is & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? LOAD_ENDED : 0) |
			(is & (EPOLLHUP | EPOLLERR) ? LOAD_FAILED : 0);
	}
	return count;
}

void load_exact_timers(void) { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

void load_go_first(void) {
	const int resetOnFork = 0x40000000; // SCHED_RESET_ON_FORK
	const struct sched_param priority = {.sched_priority = 1};
	(void)sched_setscheduler(0, SCHED_RR | resetOnFork, &priority);
}

long load_processors(uint64_t *mask, size_t bytes) {
	return syscall(SYS_sched_getaffinity, 0, bytes, mask);
}

long load_set_processors(const uint64_t *mask, size_t bytes) {
	return syscall(SYS_sched_setaffinity, 0, bytes, mask);
}
