/* Remembers what a program has synced, for a simulated power cut. Preload it (LD_PRELOAD) with

       POWERCUT_ROOT    the directory that is watched
       POWERCUT_SHADOW  a directory for what would survive:
                        data/INODE   a file's content when it was last synced
                        names/INODE  a directory's entries when it was last synced, "INODE NAME\n" each
                        early        the names that files got before all of their bytes were synced, a line each

   A file or a directory without such a record has lost everything since it was created. Syncs
   themselves do nothing, so that they take no time. Tests/TestSupport/SyncWatch.swift reads the records, and
   Tests/StoreTests/PowerCut.swift drops the rest. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Later syncs of a file must not be replaced by earlier ones. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *root, *shadow;

__attribute__((constructor)) static void begin(void) {
    root = getenv("POWERCUT_ROOT");
    shadow = getenv("POWERCUT_SHADOW");
}

/* Ends the program: a record that is missing would look like a loss. */
static void fail(const char *what) {
    dprintf(2, "powercut: %s: %s\n", what, strerror(errno));
    abort();
}

/* Whether a path, or what a descriptor has open, is below the root. */
static int is_watched(const char *path) {
    size_t length = root ? strlen(root) : 0;
    return length && shadow && !strncmp(path, root, length) && (path[length] == '/' || !path[length]);
}

static int path_of(int file, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return length > 0 && is_watched(path);
}

static void record_path(char path[PATH_MAX], const char *kind, ino_t inode) {
    snprintf(path, PATH_MAX, "%s/%s/%lu", shadow, kind, (unsigned long)inode);
}

/* A number that was used before begins without a record. */
static void forget(const char *kind, ino_t inode) {
    char path[PATH_MAX];
    record_path(path, kind, inode);
    unlink(path);
}

static void record_names(int from, const char *path) {
    DIR *directory = opendir(path);
    if (!directory) return; /* It was removed meanwhile. */
    struct dirent *entry;
    while ((entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")
            && dprintf(from, "%lu %s\n", (unsigned long)entry->d_ino, entry->d_name) < 0) fail("names");
    closedir(directory);
}

static void record_data(int to, int file) {
    char link[64], *buffer = malloc(1 << 20);
    /* A second descriptor only where the first can't read: closing it drops the locks that the
       program has on the file. */
    int from = file;
    if ((fcntl(file, F_GETFL) & O_ACCMODE) == O_WRONLY) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        from = open(link, O_RDONLY | O_CLOEXEC);
    }
    off_t place = 0;
    ssize_t count;
    while ((count = pread(from, buffer, 1 << 20, place)) > 0) {
        if (write(to, buffer, count) != count) fail("data");
        place += count;
    }
    if (count < 0) fail("read");
    if (from != file) close(from);
    free(buffer);
}

static int record(int file) {
    char path[PATH_MAX], target[PATH_MAX], fresh[PATH_MAX];
    struct stat status;
    if (!path_of(file, path) || fstat(file, &status)) return 0;
    int is_directory = S_ISDIR(status.st_mode);
    if (!is_directory && !S_ISREG(status.st_mode)) return 0;
    pthread_mutex_lock(&lock);
    record_path(target, is_directory ? "names" : "data", status.st_ino);
    snprintf(fresh, sizeof fresh, "%s/new", shadow);
    int to = open(fresh, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (to < 0) fail(fresh);
    if (is_directory) record_names(to, path);
    else record_data(to, file);
    close(to);
    if (rename(fresh, target)) fail(target);
    pthread_mutex_unlock(&lock);
    return 0;
}

int fsync(int file) { return record(file); }
int fdatasync(int file) { return record(file); }

static int opened(int file) {
    char path[PATH_MAX];
    struct stat status;
    int code = errno;
    if (file >= 0 && path_of(file, path) && !fstat(file, &status) && S_ISREG(status.st_mode) && !status.st_size)
        forget("data", status.st_ino);
    errno = code;
    return file;
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define WRAP_OPEN(name, declared, given)                                                 \
    int name declared {                                                                  \
        static int(*next) declared;                                                      \
        if (!next) next = (int(*) declared)dlsym(RTLD_NEXT, #name);                      \
        va_list rest;                                                                    \
        va_start(rest, flags);                                                           \
        mode_t mode = mode_of(flags, rest);                                              \
        va_end(rest);                                                                    \
        int file = next given;                                                           \
        return flags & (O_CREAT | __O_TMPFILE) ? opened(file) : file;                    \
    }

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
WRAP_OPEN(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))

int mkdir(const char *path, mode_t mode) {
    static int (*next)(const char *, mode_t);
    if (!next) next = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
    int result = next(path, mode), code = errno;
    struct stat status;
    if (!result && is_watched(path) && !lstat(path, &status)) forget("names", status.st_ino);
    errno = code;
    return result;
}

/* Records a file that gets a name, or another file's, while bytes are missing from its record. */
static void name(const char *from, const char *to) {
    char path[PATH_MAX];
    struct stat status, synced;
    if (!is_watched(to) || lstat(from, &status) || !S_ISREG(status.st_mode)) return;
    record_path(path, "data", status.st_ino);
    if (!stat(path, &synced) && synced.st_size == status.st_size) return;
    snprintf(path, sizeof path, "%s/early", shadow);
    int list = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
    if (list < 0 || dprintf(list, "%s\n", to) < 0) fail(path);
    close(list);
}

int rename(const char *from, const char *to) {
    static int (*next)(const char *, const char *);
    if (!next) next = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    name(from, to);
    return next(from, to);
}
