// The first process of a machine that has nothing else: starts a child as the service does, which gives up its
// rights and then tries everything that SandboxProbe knows. Prints what the kernel offered and what the child could do.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe.h"
#include "sandbox.h"

enum { memory = 256 << 20, room = 4096 };

static void child(void) {
    const char *const fonts[] = {"/usr/share/fonts", NULL};
    char first[room], new[room], said[2 * room + 64];
    int parts = sandbox_confine(fonts);
    const probe_target target = {"/tmp/file", 1, memory};
    probe_attempt(target, first, sizeof first);
    probe_attempt_on_thread(target, new, sizeof new);
    snprintf(said, sizeof said, "confined %d; first:%s; new:%s", parts, first, new);
    ssize_t written = write(SANDBOX_CHANNEL, said, strlen(said));
    _exit(written < 0);
}

static void parent(void) {
    static const char text[] = "stays";
    char *arguments[] = {"init", "child", NULL}, said[2 * room + 64] = "", kept[sizeof text] = "";
    int own, other, signal = 0;
    uint64_t peak = 0;
    mkdir("/proc", 0755), mkdir("/tmp", 0755);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("tmpfs", "/tmp", "tmpfs", 0, NULL);
    int file = open("/tmp/file", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (write(file, text, sizeof text) < 0 || sandbox_pair(&own, &other) != 0) return;
    pid_t started = sandbox_spawn("/init", arguments, other, (sandbox_limits){.memory = memory});
    close(other);
    ssize_t count = started > 0 ? read(own, said, sizeof said - 1) : -1;
    sandbox_end(started, &signal, &peak);
    int stays = pread(file, kept, sizeof kept, 0) > 0 && memcmp(kept, text, sizeof text) == 0;
    printf("\nvitrine: offered %d; %s; the file %s\n", sandbox_offered(), count > 0 ? said : "no answer",
           stays ? "stays" : "changed");
}

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "child") == 0) child();
    parent();
    fflush(stdout);
    reboot(RB_POWER_OFF);
    return 1;
}
