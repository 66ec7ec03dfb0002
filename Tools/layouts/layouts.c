// Compares two layouts of thumbnails on this file system: a file per blob, as the store has it, and a
// bundle per picture, with all its levels and formats in one file. Both have 256
// directories and are published in the same way: an unnamed file, then a name.
//
// usage: layouts DIRECTORY [PICTURES] [ROUNDS], with a new directory, best on a new file system
//
// Prints medians of rounds that alternate. Files are dropped from the kernel's cache before cold
// reads; with privileges, names are, too.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Bytes of the thumbnails of a poster: five levels, WebP and JPEG.
static const int sizes[] = {2100, 6200, 17000, 46000, 61000, 2700, 7200, 21000, 71000, 105000};
enum { blobs = sizeof sizes / sizeof *sizes, entry = 48 };

static char root[4096];
// Counts the trees: nothing is deleted before the end, because ext4 passes by the inodes of files
// that were deleted lately, which takes longer than all the rest.
static int tree;
static unsigned char *bytes;
static long pictures = 2000;

static void fail(const char *what) {
	perror(what);
	exit(1);
}

static uint64_t mix(uint64_t x) {
	x += 0x9E3779B97F4A7C15u;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
	x = (x ^ x >> 27) * 0x94D049BB133111EBu;
	return x ^ x >> 31;
}

static double seconds(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// The path of a blob, or of a bundle if `blob` is -1.
static void name(char *path, const char *layout, long picture, int blob) {
	uint64_t key = mix((uint64_t)picture * 64 + (uint64_t)(blob + 1));
	sprintf(path, "%s/%s-%d/%02x/%016llx%016llx", root, layout, tree, (unsigned)(key >> 56),
		(unsigned long long)key, (unsigned long long)mix(key));
}

static void put_all(int file, const void *from, size_t count) {
	const char *at = from;
	while (count > 0) {
		ssize_t done = write(file, at, count);
		if (done < 0) fail("write");
		at += done;
		count -= (size_t)done;
	}
}

static int begin(void) {
	int file = open(root, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file < 0) fail("O_TMPFILE");
	return file;
}

// Gives the file its name. A bundle replaces the one before.
static void publish(int file, const char *path, int replaces) {
	char source[64], temporary[4200];
	sprintf(source, "/proc/self/fd/%d", file);
	if (!replaces) {
		if (linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) fail(path);
	} else {
		snprintf(temporary, sizeof temporary, "%s/new", root);
		unlink(temporary);
		if (linkat(AT_FDCWD, source, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW)) fail(temporary);
		if (rename(temporary, path)) fail(path);
	}
	close(file);
}

static void write_files(long picture, int first, int last) {
	char path[4200];
	for (int blob = first; blob < last; blob++) {
		int file = begin();
		put_all(file, bytes + picture % 4096, (size_t)sizes[blob]);
		name(path, "files", picture, blob);
		publish(file, path, 0);
	}
}

// Writes the bundle with blobs 0 to `count`: a table of contents, then the blobs.
static void write_bundle(long picture, int count, int replaces) {
	char path[4200], table[blobs * entry] = {0};
	int file = begin();
	for (int blob = 0; blob < count; blob++) memcpy(table + blob * entry, &sizes[blob], sizeof(int));
	put_all(file, table, (size_t)(count * entry));
	for (int blob = 0; blob < count; blob++) put_all(file, bytes + picture % 4096, (size_t)sizes[blob]);
	name(path, "bundles", picture, -1);
	publish(file, path, replaces);
}

static void read_part(const char *path, off_t from, size_t count, int has_table) {
	static unsigned char buffer[1 << 18];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (file < 0) fail(path);
	if (has_table && pread(file, buffer, blobs * entry, 0) < 0) fail(path);
	size_t done = 0;
	while (done < count) {
		ssize_t got = pread(file, buffer + done, count - done, from + (off_t)done);
		if (got <= 0) fail(path);
		done += (size_t)got;
	}
	close(file);
}

static void read_blob(int bundled, long picture, int blob) {
	char path[4200];
	off_t from = 0;
	name(path, bundled ? "bundles" : "files", picture, bundled ? -1 : blob);
	if (bundled) {
		from = blobs * entry;
		for (int other = 0; other < blob; other++) from += sizes[other];
	}
	read_part(path, from, (size_t)sizes[blob], bundled);
}

static void drop_caches(int bundled) {
	char path[4200];
	sync();
	for (long picture = 0; picture < pictures; picture++)
		for (int blob = bundled ? -1 : 0; blob < (bundled ? 0 : blobs); blob++) {
			name(path, bundled ? "bundles" : "files", picture, blob);
			int file = open(path, O_RDONLY | O_CLOEXEC);
			if (file < 0) continue;
			posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
			close(file);
		}
	int control = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	if (control >= 0) {
		if (write(control, "2", 1) < 0) { /* Names stay in memory. */ }
		close(control);
	}
}

static void count(int bundled, long *files, double *disk) {
	char path[4200];
	*files = 0;
	*disk = 0;
	for (long picture = 0; picture < pictures; picture++)
		for (int blob = bundled ? -1 : 0; blob < (bundled ? 0 : blobs); blob++) {
			struct stat status;
			name(path, bundled ? "bundles" : "files", picture, blob);
			if (stat(path, &status)) continue;
			*files += 1;
			*disk += (double)status.st_blocks * 512;
		}
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
	(void)status, (void)type, (void)walk;
	return remove(path);
}

// Makes all directories of a new tree.
static void renew(int bundled) {
	char path[4200];
	tree++;
	for (int number = -1; number < 256; number++) {
		int length = sprintf(path, "%s/%s-%d", root, bundled ? "bundles" : "files", tree);
		if (number >= 0) sprintf(path + length, "/%02x", number);
		if (mkdir(path, 0700)) fail(path);
	}
}

enum { once, each, warm, cold, evict, size, inodes, figures };
static const char *titles[] = {
	"all levels at once, ms of processor time", "one level after the other, ms of processor time",
	"read from the page cache, µs", "read from disk, µs", "evict one level, µs of processor time",
	"kB on disk", "files"};

static double measure(int bundled, int what, int round) {
	double began = 0, total = 0;
	long files;
	switch (what) {
	case once:
	case each:
		renew(bundled);
		sync();
		began = seconds(CLOCK_PROCESS_CPUTIME_ID);
		for (long picture = 0; picture < pictures; picture++) {
			if (!bundled) write_files(picture, 0, blobs);
			else if (what == once) write_bundle(picture, blobs, 0);
			else for (int blob = 1; blob <= blobs; blob++) write_bundle(picture, blob, blob > 1);
		}
		return (seconds(CLOCK_PROCESS_CPUTIME_ID) - began) / (double)pictures * 1e3;
	case warm:
	case cold:
		if (what == cold) drop_caches(bundled);
		else for (long picture = 0; picture < pictures; picture++) read_blob(bundled, picture, 2);
		began = seconds(CLOCK_MONOTONIC);
		for (long number = 0; number < pictures; number++)
			read_blob(bundled, (long)(mix((uint64_t)(number + round * 7)) % (uint64_t)pictures), 2);
		return (seconds(CLOCK_MONOTONIC) - began) / (double)pictures * 1e6;
	case evict:
		began = seconds(CLOCK_PROCESS_CPUTIME_ID);
		for (long picture = 0; picture < pictures; picture++) {
			char path[4200];
			if (bundled) {
				// What stays is read and published anew.
				for (int blob = 0; blob < blobs - 1; blob++) read_blob(1, picture, blob);
				write_bundle(picture, blobs - 1, 1);
			} else {
				name(path, "files", picture, blobs - 1);
				if (unlink(path)) fail(path);
			}
		}
		return (seconds(CLOCK_PROCESS_CPUTIME_ID) - began) / (double)pictures * 1e6;
	default:
		sync();
		count(bundled, &files, &total);
		return (what == size ? total / 1e3 : (double)files) / (double)pictures;
	}
}

static int ascending(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv) {
	static double results[figures][2][64];
	if (argc < 2 || strlen(argv[1]) > 4000) {
		fprintf(stderr, "usage: layouts DIRECTORY [PICTURES] [ROUNDS]\n");
		return 64;
	}
	snprintf(root, sizeof root, "%s", argv[1]);
	if (argc > 2) pictures = atol(argv[2]);
	int rounds = argc > 3 ? atoi(argv[3]) : 5;
	if (pictures < 1 || rounds < 1 || rounds > 64) return 64;
	if (mkdir(root, 0700)) fail(root);
	bytes = malloc(1 << 18);
	if (!bytes) fail("malloc");
	for (size_t at = 0; at < 1 << 18; at += 8) {
		uint64_t word = mix(at);
		memcpy(bytes + at, &word, 8);
	}
	// Eviction comes after the figures of a whole cache.
	static const int order[] = {each, once, size, inodes, warm, cold, evict};
	for (int round = 0; round < rounds; round++)
		for (int turn = 0; turn < 2; turn++) {
			int bundled = (round + turn) % 2;
			for (int step = 0; step < figures; step++)
				results[order[step]][bundled][round] = measure(bundled, order[step], round);
		}
	printf("%ld pictures of %d thumbnails, %d rounds\n", pictures, blobs, rounds);
	printf("%-50s %12s %12s\n", "for each picture", "files", "bundle");
	for (int what = 0; what < figures; what++) {
		printf("%-50s", titles[what]);
		for (int bundled = 0; bundled < 2; bundled++) {
			qsort(results[what][bundled], (size_t)rounds, sizeof(double), ascending);
			printf(" %12.2f", results[what][bundled][rounds / 2]);
		}
		printf("\n");
	}
	if (nftw(root, remove_one, 64, FTW_DEPTH | FTW_PHYS)) fail(root);
	return 0;
}
