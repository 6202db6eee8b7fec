/* Preloaded into a process under test: records its file operations below one folder, makes them
   fail, kills the process at one of them, and shifts its clock. shim.py builds and drives it.

   The folder is named by TORTURE_FOLDER. Files in it are told apart by their names, because a
   fault on the log is not the same as one on the ledger or on the shared memory.

   Recording (torture_record, torture_take) serves simulated power cuts: every operation that
   changes a file or the folder is recorded with its data, in the order of completion.

   Faults are set through a struct in a file that both processes map (TORTURE_CONTROL).

   Kills (torture_kill_at) count the operations that change any file, wherever it is. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The order of both lists is that of shim.py. */
enum kind { READ = 1, WRITE = 2, SYNC = 4, TRUNCATE = 8, OPEN = 16, NAME = 32 };
enum file { LEDGER = 1, LOG = 2, SHARED = 4, JOURNAL = 8, FOLDER = 16, OTHER = 32 };

struct control {
    _Atomic uint32_t kinds;   /* operations that may fail; 0: none */
    _Atomic uint32_t files;   /* on these files */
    _Atomic uint32_t error;   /* with this errno; 0: they wait for as long as kinds is set */
    _Atomic uint32_t first;   /* from the first-th matching operation on ... */
    _Atomic uint32_t last;    /* ... up to the last-th */
    _Atomic uint32_t matched; /* operations that matched so far */
    _Atomic uint32_t failed;  /* operations that failed so far, or waited */
    _Atomic uint32_t partial; /* whether half of a write is done before it fails */
    _Atomic int64_t clock_ns; /* added to the time of day */
};

#define FILES 4096
static _Atomic unsigned char kind_of_file[FILES]; /* by descriptor; 0: not in the folder */
static char folder[4096];
static size_t folder_length;
static struct control *control;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int recording;
static char *trace;
static size_t used, room;

#define REAL(name, type, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

/* Sets the folder whose files are observed from now on. */
void torture_folder(const char *name) {
    snprintf(folder, sizeof folder, "%s", name);
    folder_length = strlen(folder);
}

/* Sets the file with the struct `control` to obey from now on. */
void torture_control(const char *name) {
    int fd = syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
    void *at = fd < 0 ? MAP_FAILED
                      : mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        fprintf(stderr, "the shim cannot map %s\n", name);
        _exit(97);
    }
    syscall(SYS_close, fd);
    control = at;
}

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("TORTURE_FOLDER");
    if (name) torture_folder(name);
    name = getenv("TORTURE_CONTROL");
    if (name) torture_control(name);
}

static int ends(const char *path, const char *with) {
    size_t a = strlen(path), b = strlen(with);
    return a >= b && !strcmp(path + a - b, with);
}

/* What a path is; 0 if it is not in the folder. */
static int file_at(const char *path) {
    if (!folder_length || strncmp(path, folder, folder_length)) return 0;
    if (!path[folder_length]) return FOLDER;
    if (path[folder_length] != '/') return 0;
    if (ends(path, "-wal")) return LOG;
    if (ends(path, "-shm")) return SHARED;
    if (ends(path, "-journal")) return JOURNAL;
    if (ends(path, "/ledger.db")) return LEDGER;
    return OTHER;
}

static int file_of(int fd) { return fd >= 0 && fd < FILES ? kind_of_file[fd] : 0; }

/* Whether an operation has to fail, with errno set. Waits if it has to wait. */
static int fails(int kind, int file) {
    if (!file || !control || !(control->kinds & kind) || !(control->files & file)) return 0;
    uint32_t n = atomic_fetch_add(&control->matched, 1) + 1;
    if (n < control->first || n > control->last) return 0;
    atomic_fetch_add(&control->failed, 1);
    if (control->error) {
        errno = control->error;
        return 1;
    }
    while (control->kinds) usleep(1000);
    return 0;
}

static void put(const void *data, size_t length) {
    if (used + length > room) {
        room = 2 * (used + length);
        trace = realloc(trace, room);
        if (!trace) abort();
    }
    memcpy(trace + used, data, length);
    used += length;
}

/* Adds an operation to the trace: a letter, the descriptor, an offset, and bytes. */
static void record(char what, int fd, int64_t at, const void *data, size_t length) {
    if (!recording) return;
    int saved = errno;
    pthread_mutex_lock(&lock);
    struct __attribute__((packed)) { char what; int32_t fd; int64_t at; uint32_t length; } head =
        {what, fd, at, (uint32_t)length};
    put(&head, sizeof head);
    put(data, length);
    pthread_mutex_unlock(&lock);
    errno = saved;
}

void torture_record(int on) { recording = on; }
void torture_mark(int number) { record('a', -1, number, "", 0); }

/* Returns the trace so far and starts a new one. The bytes stay valid until the next operation. */
size_t torture_take(char **data) {
    size_t length = used;
    *data = trace;
    used = 0;
    return length;
}

/* Kills */

static _Atomic long kill_in; /* operations until the kill; 0: none */

/* Kills just before the number-th operation from now on that changes a file, or within a write. */
void torture_kill_at(long number) { kill_in = number; }

static int due(void) { return kill_in > 0 && atomic_fetch_sub(&kill_in, 1) == 1; }
static void killed(void) { kill(getpid(), SIGKILL); }

/* Operations */

static int opened(const char *path, int flags, int fd) {
    if (fd < 0 || fd >= FILES) return fd;
    int file = file_at(path);
    kind_of_file[fd] = file;
    if (file && file != SHARED) record('o', fd, flags, path, strlen(path));
    return fd;
}

/* A disk that became read-only still opens files for reading. */
static int cannot_open(const char *path, int flags) {
    if (flags & (O_CREAT | O_TRUNC) && due()) killed();
    if (control && control->error == EROFS && (flags & O_ACCMODE) == O_RDONLY) return 0;
    return fails(OPEN, file_at(path));
}

#define OPEN_WRAPPER(name) \
    int name(const char *path, int flags, ...) { \
        REAL(#name, int, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (cannot_open(path, flags)) return -1; \
        return opened(path, flags, real(path, flags, mode)); \
    }
OPEN_WRAPPER(open)
OPEN_WRAPPER(open64)

#define OPENAT_WRAPPER(name) \
    int name(int at, const char *path, int flags, ...) { \
        REAL(#name, int, int, const char *, int, ...); \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        if (cannot_open(path, flags)) return -1; \
        return opened(path, flags, real(at, path, flags, mode)); \
    }
OPENAT_WRAPPER(openat)
OPENAT_WRAPPER(openat64)

int close(int fd) {
    REAL("close", int, int);
    if (file_of(fd)) kind_of_file[fd] = 0;
    return real(fd);
}

/* Half of a write that fails may have been done. */
static size_t half(size_t length) { return control->partial ? length / 2 : 0; }

ssize_t write(int fd, const void *data, size_t length) {
    REAL("write", ssize_t, int, const void *, size_t);
    if (fd > 2 && due()) {
        real(fd, data, length / 2);
        killed();
    }
    int file = file_of(fd);
    if (!file) return real(fd, data, length);
    if (fails(WRITE, file)) {
        if (!half(length)) return -1;
        length = half(length);
    }
    off_t at = lseek(fd, 0, SEEK_CUR);
    ssize_t done = real(fd, data, length);
    if (done > 0 && file != SHARED) record('w', fd, at, data, done);
    return done;
}

#define PWRITE_WRAPPER(name, offset) \
    ssize_t name(int fd, const void *data, size_t length, offset at) { \
        REAL(#name, ssize_t, int, const void *, size_t, offset); \
        if (due()) { \
            real(fd, data, length / 2, at); \
            killed(); \
        } \
        int file = file_of(fd); \
        if (fails(WRITE, file)) { \
            if (!half(length)) return -1; \
            length = half(length); \
        } \
        ssize_t done = real(fd, data, length, at); \
        if (file && done > 0 && file != SHARED) record('w', fd, at, data, done); \
        return done; \
    }
PWRITE_WRAPPER(pwrite, off_t)
PWRITE_WRAPPER(pwrite64, off64_t)

ssize_t read(int fd, void *data, size_t length) {
    REAL("read", ssize_t, int, void *, size_t);
    return fails(READ, file_of(fd)) ? -1 : real(fd, data, length);
}

#define PREAD_WRAPPER(name, offset) \
    ssize_t name(int fd, void *data, size_t length, offset at) { \
        REAL(#name, ssize_t, int, void *, size_t, offset); \
        return fails(READ, file_of(fd)) ? -1 : real(fd, data, length, at); \
    }
PREAD_WRAPPER(pread, off_t)
PREAD_WRAPPER(pread64, off64_t)

#define TRUNCATE_WRAPPER(name, offset) \
    int name(int fd, offset size) { \
        REAL(#name, int, int, offset); \
        if (due()) killed(); \
        int file = file_of(fd); \
        if (fails(TRUNCATE, file)) return -1; \
        int done = real(fd, size); \
        if (file && !done && file != SHARED) record('t', fd, size, "", 0); \
        return done; \
    }
TRUNCATE_WRAPPER(ftruncate, off_t)
TRUNCATE_WRAPPER(ftruncate64, off64_t)

#define SYNC_WRAPPER(name) \
    int name(int fd) { \
        REAL(#name, int, int); \
        if (due()) killed(); \
        int file = file_of(fd); \
        if (fails(SYNC, file)) return -1; \
        int done = real(fd); \
        if (file && !done && file != SHARED) record('s', fd, 0, "", 0); \
        return done; \
    }
SYNC_WRAPPER(fsync)
SYNC_WRAPPER(fdatasync)

int unlink(const char *path) {
    REAL("unlink", int, const char *);
    if (due()) killed();
    int file = file_at(path);
    if (fails(NAME, file)) return -1;
    int done = real(path);
    if (file && !done && file != SHARED) record('u', -1, 0, path, strlen(path));
    return done;
}

int rename(const char *from, const char *to) {
    REAL("rename", int, const char *, const char *);
    if (due()) killed();
    int file = file_at(to);
    if (fails(NAME, file)) return -1;
    int done = real(from, to);
    if (file && !done) {
        size_t length = strlen(from) + 1 + strlen(to);
        char both[length + 1];
        snprintf(both, sizeof both, "%s\n%s", from, to);
        record('r', -1, 0, both, length);
    }
    return done;
}

/* The store uses none of these, but backups and restores do. */
#define ONLY_KILLED(type, name, parameters, arguments) \
    type name parameters { \
        static type(*real) parameters; \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name); \
        if (due()) killed(); \
        return real arguments; \
    }
ONLY_KILLED(int, renameat, (int f, const char *a, int t, const char *b), (f, a, t, b))
ONLY_KILLED(int, link, (const char *a, const char *b), (a, b))
ONLY_KILLED(int, linkat, (int f, const char *a, int t, const char *b, int g), (f, a, t, b, g))
ONLY_KILLED(int, unlinkat, (int f, const char *a, int g), (f, a, g))
ONLY_KILLED(int, rmdir, (const char *a), (a))
ONLY_KILLED(int, mkdir, (const char *a, mode_t m), (a, m))
ONLY_KILLED(int, mkdirat, (int f, const char *a, mode_t m), (f, a, m))
ONLY_KILLED(ssize_t, sendfile, (int o, int i, off_t *p, size_t n), (o, i, p, n))
ONLY_KILLED(ssize_t, sendfile64, (int o, int i, off64_t *p, size_t n), (o, i, p, n))

int clock_gettime(clockid_t id, struct timespec *now) {
    REAL("clock_gettime", int, clockid_t, struct timespec *);
    int done = real(id, now);
    if (!done && control && id == CLOCK_REALTIME && control->clock_ns) {
        int64_t ns = now->tv_sec * 1000000000LL + now->tv_nsec + control->clock_ns;
        now->tv_sec = ns / 1000000000LL;
        now->tv_nsec = ns % 1000000000LL;
    }
    return done;
}
