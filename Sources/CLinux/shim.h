// Linux calls for many sockets on one thread, which Swift's Glibc module doesn't include.
#pragma once
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

// Declared here because the header declares it only with _GNU_SOURCE, and with _GNU_SOURCE other
// types differ from those of the Glibc module.
extern int pthread_setname_np(pthread_t thread, const char *name);
// The calls made for each request bypass glibc's functions of the same names. Those are
// cancellation points, which cost two locked instructions each, and no thread is canceled here.
// Errors are the same: -1 and errno.
extern long syscall(long number, ...);

// Returns a non-blocking TCP socket, or -1 and errno.
static inline int vitrine_stream_socket(int family) {
	return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

// Accepts the next connection of a listening socket without blocking. Returns -1 and errno if there
// is none.
static inline int vitrine_accept(int listener) {
	return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// Receives the bytes that have arrived, without waiting for more. Returns 0 at the end of the
// stream.
static inline ssize_t vitrine_receive(int socket, void *bytes, size_t count) {
	return syscall(SYS_recvfrom, socket, bytes, count, MSG_DONTWAIT, NULL, NULL);
}

// Sends what fits without blocking. A closed connection is an error, never a signal. With `more` the
// kernel may send what follows at once, which can be the end of the connection, in the packet of the
// last bytes.
static inline ssize_t vitrine_send(int socket, const struct iovec *parts, size_t count, bool more) {
	const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0);
	// A single part without the kernel's copies of the message and of the list.
	if (count == 1) return syscall(SYS_sendto, socket, parts->iov_base, parts->iov_len, flags, NULL, 0);
	struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = count};
	return syscall(SYS_sendmsg, socket, &message, flags);
}

// Sends bytes of a file as far as they fit, without a copy in this program. The socket must be
// non-blocking; a page that is not in memory makes the thread wait for the disk. Returns 0 at the
// end of the file.
static inline ssize_t vitrine_send_file(int socket, int file, size_t offset, size_t count) {
	off_t place = (off_t)offset;
	return syscall(SYS_sendfile, socket, file, &place, count);
}

// Returns the bytes of a TCP connection that the other end has not acknowledged.
static inline int vitrine_unacknowledged(int socket) {
	int count = 0;
	return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

static inline int vitrine_close(int file) { return (int)syscall(SYS_close, file); }

// Adds (EPOLL_CTL_ADD) or removes (EPOLL_CTL_DEL) a file descriptor. Its events carry its number and a tag.
static inline int vitrine_watch(int epoll, int operation, int file, uint32_t tag, uint32_t events) {
	struct epoll_event event = {
		.events = events, .data = {.u64 = (uint64_t)tag << 32 | (uint32_t)file}};
	return epoll_ctl(epoll, operation, file, &event);
}

// Waits at most `milliseconds` and returns the number of events.
static inline int vitrine_wait(int epoll, struct epoll_event *events, int capacity, int milliseconds) {
	return (int)syscall(SYS_epoll_pwait, epoll, events, capacity, milliseconds, NULL, (size_t)0);
}

// Returns the file descriptor that an event belongs to.
static inline int vitrine_file(const struct epoll_event *event) { return (int)event->data.u64; }

// Returns the tag of the file descriptor that an event belongs to.
static inline uint32_t vitrine_tag(const struct epoll_event *event) { return (uint32_t)(event->data.u64 >> 32); }

// Returns whether the event reports that the peer will send nothing more.
static inline bool vitrine_is_end(const struct epoll_event *event) {
	return (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}

// Returns whether the event reports that nothing can be sent any more either.
static inline bool vitrine_is_gone(const struct epoll_event *event) {
	return (event->events & (EPOLLHUP | EPOLLERR)) != 0;
}

// Returns whether the event reports bytes, or the end of the stream.
static inline bool vitrine_is_readable(const struct epoll_event *event) {
	return (event->events & EPOLLIN) != 0 || vitrine_is_end(event);
}

static inline int vitrine_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int vitrine_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

// Names the calling thread for tools that list threads.
static inline void vitrine_name_this_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

// Gives the calling thread a short time slice, for which it needs no permission: when it wakes, it
// runs before threads with longer ones that have used their share. Returns -1 and errno if this kernel
// (before 6.12) has no slices; older ones may accept and ignore it.
static inline int vitrine_run_soon(void) {
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attributes = {.size = sizeof attributes};
	if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0U) != 0) return -1;
	if (attributes.policy != SCHED_OTHER) return 0;
	attributes.runtime = 100 * 1000; // nanoseconds, the shortest that the kernel takes
	return (int)syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

// Opens a file for reading without waiting for the disk. Never follows a symbolic link at its end.
// Returns -1 and errno: EAGAIN if it would wait; ENOSYS, EINVAL or EPERM if this system can't tell.
static inline int vitrine_open_cached(const char *path) {
	struct open_how how = {
	    .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, .resolve = RESOLVE_CACHED};
	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

// Reads the first bytes of a file as far as they are in memory. Returns -1 and errno: EAGAIN if it
// would wait, EOPNOTSUPP if the filesystem can't tell.
static inline ssize_t vitrine_read_cached(int file, void *bytes, size_t count) {
	const int noWait = 0x8; // RWF_NOWAIT
	struct iovec part = {.iov_base = bytes, .iov_len = count};
	return syscall(SYS_preadv2, file, &part, 1L, 0L, 0L, noWait);
}

// Returns whether a range of a file is in the page cache, so that sending it doesn't wait for the
// disk. A kernel before 6.5, or a sandbox that forbids the call, is asked for the first and the last
// byte instead; what lies on a tmpfs counts as cached then.
static inline bool vitrine_is_cached(int file, size_t offset, size_t count) {
	const long cachestat = 451; // not in older headers
	struct {
		uint64_t offset, count;
	} range = {offset, count};
	struct {
		uint64_t cached, dirty, written, evicted, recent;
	} pages = {0};
	if (count == 0) return true;
	if (syscall(cachestat, file, &range, &pages, 0U) == 0) {
		const uint64_t size = (uint64_t)getpagesize(); // 4, 16 or 64 KiB on arm64
		return pages.cached > (offset + count - 1) / size - offset / size;
	}
	const long tmpfs = 0x01021994;
	struct statfs filesystem;
	if (fstatfs(file, &filesystem) == 0 && filesystem.f_type == tmpfs) return true;
	const int noWait = 0x8; // RWF_NOWAIT
	char byte;
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	return syscall(SYS_preadv2, file, &part, 1L, (long)offset, 0L, noWait) == 1 &&
	       syscall(SYS_preadv2, file, &part, 1L, (long)(offset + count - 1), 0L, noWait) == 1;
}

// Reads an extended attribute of a file. Returns its length, or -1 and errno.
static inline ssize_t vitrine_get_attribute(const char *path, const char *name, void *value, size_t size) {
	return getxattr(path, name, value, size);
}

// Sets an extended attribute of an open file. Returns -1 and errno: ENOTSUP if the file system has
// none.
static inline int vitrine_set_attribute(int file, const char *name, const void *value, size_t size) {
	return fsetxattr(file, name, value, size, 0);
}

// --- folders ------------------------------------------------------------------------------------

// Opens a file beneath a directory. No part of the path leads out of the directory: neither `..` nor a
// symbolic link nor a link of /proc; without `links` no symbolic link is followed at all. Returns -1
// and errno: EXDEV if it would leave the directory, ELOOP for a link that is not followed, ENOSYS if
// this kernel (before 5.6) can't tell.
static inline int vitrine_open_beneath(int directory, const char *path, int flags, bool links) {
	struct open_how how = {
	    .flags = (uint64_t)(uint32_t)(flags | O_CLOEXEC),
	    .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | (links ? 0 : RESOLVE_NO_SYMLINKS)};
	return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

// A descriptor that names a file without opening it.
static inline int vitrine_path_flag(void) { return 010000000; } // O_PATH, which needs _GNU_SOURCE

static inline int vitrine_inotify(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

// Watches an open directory for everything that changes its entries or their bytes. Returns the number
// of the watch, or -1 and errno: ENOSPC if the user has too many.
static inline int vitrine_watch_directory(int inotify, const char *path) {
	return inotify_add_watch(
	    inotify, path,
	    IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
	        IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK);
}

static inline int vitrine_unwatch(int inotify, int watch) { return inotify_rm_watch(inotify, watch); }

// Returns whether changes of an open file are made by this machine only, so that the kernel knows of
// all of them. False for network file systems and those in programs.
static inline bool vitrine_is_local(int file) {
	struct statfs system;
	if (fstatfs(file, &system) != 0) return false;
	switch ((uint32_t)system.f_type) {
	case 0x6969:     // NFS
	case 0x517B:     // SMB
	case 0xFE534D42: // SMB2
	case 0xFF534D42: // CIFS
	case 0x65735546: // FUSE
	case 0x01021997: // 9P
	case 0x00C36400: // Ceph
	case 0x5346414F: // AFS
	case 0x73757245: // Coda
	case 0x47504653: // GPFS
	case 0x0BD00BD0: // Lustre
	case 0x786F4256: // VirtualBox
		return false;
	default: return true;
	}
}

// --- the program --------------------------------------------------------------------------------

#define VITRINE_COMMIT_SIZE 40

// Writes the commit that the program was built from, padded with blanks, and a zero. `Tools/release/stamp`
// writes it into the finished program, so that a new commit alone compiles and links nothing. Reads
// as volatile: the compiler would otherwise take the blanks for what will always be there.
static inline void vitrine_commit(char *text) {
    static const volatile char mark[] = "vitrine-commit:                                        ";
    const size_t start = sizeof "vitrine-commit:" - 1;
    for (size_t i = 0; i < VITRINE_COMMIT_SIZE; i++) text[i] = mark[start + i];
    text[VITRINE_COMMIT_SIZE] = 0;
}
