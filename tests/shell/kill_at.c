/* Preloaded: kills the process just before the n-th call that changes a file, or amid a write. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long left = -1; /* calls until the kill; negative: not armed */
static long seen = 0;

void kill_at(long number) { left = number; seen = 0; }
long calls_seen(void) { return seen; }

static int due(void) {
    seen++;
    return left > 0 && --left == 0;
}
static void end(void) { kill(getpid(), SIGKILL); }

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define PLAIN(type, name, parameters, arguments) \
    type name parameters { if (due()) end(); return NEXT(name) arguments; }

PLAIN(int, fsync, (int fd), (fd))
PLAIN(int, fdatasync, (int fd), (fd))
PLAIN(int, rename, (const char *a, const char *b), (a, b))
PLAIN(int, renameat, (int f, const char *a, int t, const char *b), (f, a, t, b))
PLAIN(int, link, (const char *a, const char *b), (a, b))
PLAIN(int, linkat, (int f, const char *a, int t, const char *b, int g), (f, a, t, b, g))
PLAIN(int, unlink, (const char *a), (a))
PLAIN(int, unlinkat, (int f, const char *a, int g), (f, a, g))
PLAIN(int, rmdir, (const char *a), (a))
PLAIN(int, mkdir, (const char *a, mode_t m), (a, m))
PLAIN(int, mkdirat, (int f, const char *a, mode_t m), (f, a, m))
PLAIN(int, ftruncate, (int fd, off_t n), (fd, n))
PLAIN(int, ftruncate64, (int fd, off64_t n), (fd, n))
PLAIN(ssize_t, sendfile, (int o, int i, off_t *p, size_t n), (o, i, p, n))
PLAIN(ssize_t, sendfile64, (int o, int i, off64_t *p, size_t n), (o, i, p, n))

ssize_t write(int fd, const void *from, size_t size) {
    if (fd > 2 && due()) { NEXT(write)(fd, from, size / 2); end(); }
    return NEXT(write)(fd, from, size);
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
    if (due()) { NEXT(pwrite)(fd, from, size / 2, at); end(); }
    return NEXT(pwrite)(fd, from, size, at);
}
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
    if (due()) { NEXT(pwrite64)(fd, from, size / 2, at); end(); }
    return NEXT(pwrite64)(fd, from, size, at);
}

#define OPENED(name) \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TRUNC)) { \
        va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); \
        if (due()) end(); \
    }
int open(const char *path, int flags, ...) { OPENED(open) return NEXT(open)(path, flags, mode); }
int open64(const char *path, int flags, ...) { OPENED(open64) return NEXT(open64)(path, flags, mode); }
