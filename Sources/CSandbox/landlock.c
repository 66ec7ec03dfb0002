#define _GNU_SOURCE
#include "parts.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// Landlock (kernel documentation, userspace-api/landlock). Its header may be older than the kernel
// that runs the program, so that the rights are defined here.

enum {
    CREATE_RULESET_VERSION = 1,
    RULE_PATH_BENEATH = 1,
    ACCESS_FS_READ_FILE = 1 << 2,
    ACCESS_FS_READ_DIR = 1 << 3,
};

struct ruleset {
    uint64_t files;
    /// Since version 4.
    uint64_t network;
    /// Since version 6.
    uint64_t scopes;
};

struct path_beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static int version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
}

bool sandbox_has_landlock(void) { return version() >= 1; }

// Forbids everything that a version knows.
static struct ruleset everything(int version) {
    // To execute, read, write, remove and make files; 2: to move them; 3: to truncate them; 5: to
    // control devices.
    int rights = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return (struct ruleset){
        .files = (UINT64_C(1) << rights) - 1,
        // To listen and to connect by TCP.
        .network = version >= 4 ? 3 : 0,
        // Abstract sockets and signals of processes outside.
        .scopes = version >= 6 ? 3 : 0,
    };
}

static size_t size_of(int version) {
    return version >= 6 ? sizeof(struct ruleset) : version >= 4 ? 16 : 8;
}

bool sandbox_landlock(const char *const *readable) {
    int found = version();
    if (found < 1) return false;
    struct ruleset rules = everything(found);
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size_of(found), 0);
    if (set < 0) return false;
    for (; *readable; readable++) {
        int place = open(*readable, O_PATH | O_CLOEXEC);
        if (place < 0) continue;
        struct path_beneath rule = {ACCESS_FS_READ_FILE | ACCESS_FS_READ_DIR, place};
        syscall(SYS_landlock_add_rule, set, RULE_PATH_BENEATH, &rule, 0);
        close(place);
    }
    bool done = syscall(SYS_landlock_restrict_self, set, 0) == 0;
    close(set);
    return done;
}
