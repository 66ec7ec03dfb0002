#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int sandbox_pair(int *one, int *other) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    *one = pair[0];
    *other = pair[1];
    return 0;
}

ssize_t sandbox_send(int socket, const void *bytes, size_t count, int descriptor) {
    struct iovec part = {(void *)bytes, count};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    memset(&control, 0, sizeof control);
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control.space;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

ssize_t sandbox_receive(int socket, void *bytes, size_t count, int *descriptor) {
    struct iovec part = {bytes, count};
    // Room for more descriptors than are accepted, so that extra ones are noticed and closed.
    enum { ROOM = 8 };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(ROOM * sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control.space,
    };
    *descriptor = -1;
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -1;
    size_t files = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < here; index++) {
            int file;
            memcpy(&file, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
            if (files++ == 0) {
                *descriptor = file;
            } else {
                close(file);
            }
        }
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) || files > 1) {
        if (*descriptor >= 0) close(*descriptor);
        *descriptor = -1;
        errno = EMSGSIZE;
        return -1;
    }
    return received;
}

int sandbox_memory(size_t size) {
#ifdef MFD_NOEXEC_SEAL
    int memory = memfd_create("vitrine", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    // Kernels before 6.3.
    if (memory < 0 && errno == EINVAL) {
        memory = memfd_create("vitrine", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    }
#else
    int memory = memfd_create("vitrine", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#endif
    if (memory < 0) return -1;
    // Reading behind a shrunk end would kill the reader.
    if (ftruncate(memory, (off_t)size) != 0
        || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int error = errno;
        close(memory);
        errno = error;
        return -1;
    }
    return memory;
}
