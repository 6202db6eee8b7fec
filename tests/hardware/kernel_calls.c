/* A Pi's GPIO chip and SPI, inside this process (LD_PRELOAD): it answers what the kernel would be asked, linux/gpio.h and
 * linux/spi/spidev.h. The functions at the end move the contacts; tests call them with ctypes. Edges have the time at which
 * they happened, wait in the queue of their request, and push out the oldest ones when it is full, as in gpiolib-cdev.c. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/spi/spidev.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINES 58
#define FILES 1024
#define REAL(name, ...) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))(__VA_ARGS__)

enum kind { NONE, CHIP, REQUEST, SPI };
static struct file {
  enum kind kind;
  int offsets[GPIO_V2_LINES_MAX]; /* what a request asked for */
  unsigned many, size, first, count;
  struct gpio_v2_line_event *queue;
} files[FILES];
static struct {
  int fd, closed, high, pulses; /* fd of its request, -1 if free */
  char user[32];                /* another one, outside of this process */
  unsigned long long flags;
} lines[LINES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int gone, spi_fails;
static unsigned char message[65536];
static unsigned message_size, messages;

__attribute__((constructor)) static void start(void) { for (int n = 0; n < LINES; n++) lines[n].fd = -1; }
static unsigned long long now_ns(void) {
  struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec;
}
static int level(int n) {
  if (lines[n].flags & GPIO_V2_LINE_FLAG_OUTPUT) return lines[n].high;
  return !lines[n].closed && lines[n].flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP;
}
static unsigned long long edge(int n, int was) {
  int is = level(n); unsigned long long wanted = is ? GPIO_V2_LINE_FLAG_EDGE_RISING : GPIO_V2_LINE_FLAG_EDGE_FALLING;
  unsigned long long at = now_ns();
  if (is == was || lines[n].fd < 0 || !(lines[n].flags & wanted)) return at;
  struct file *f = &files[lines[n].fd];
  if (f->count == f->size) { f->first = (f->first + 1) % f->size; f->count--; }
  f->queue[(f->first + f->count++) % f->size] = (struct gpio_v2_line_event){
    .timestamp_ns = at, .id = is ? GPIO_V2_LINE_EVENT_RISING_EDGE : GPIO_V2_LINE_EVENT_FALLING_EDGE, .offset = n };
  eventfd_write(lines[n].fd, 1); return at;
}
static void drive(int n, int high) {
  lines[n].pulses += high && !lines[n].high; lines[n].high = high;
}

/* What the process asks. */

static int is_chip(const char *path) { return !strcmp(path, "/dev/gpiochip0"); }
static const char *place(const char *path) { /* an ordinary file in its stead */
  static __thread char other[256]; const char *tree = getenv("PI_TREE");
  if (is_chip(path)) return gone ? "/nowhere" : "/dev/null";
  if (!strcmp(path, "/dev/spidev0.0")) return "/dev/null";
  if (tree && (!strncmp(path, "/proc/device-tree", 17) || !strcmp(path, "/proc/cpuinfo"))) {
    snprintf(other, sizeof other, "%s%s", tree, path); return other;
  }
  return path;
}
static int opened(const char *path, int fd) {
  if (fd >= 0 && fd < FILES) files[fd].kind = is_chip(path) ? CHIP : !strcmp(path, "/dev/spidev0.0") ? SPI : NONE;
  return fd;
}
#define MODE() int mode = 0; if (flags & (O_CREAT | __O_TMPFILE)) { va_list a; va_start(a, flags); mode = va_arg(a, int); va_end(a); }
int open(const char *path, int flags, ...) { MODE() return opened(path, REAL(open, place(path), flags, mode)); }
int open64(const char *path, int flags, ...) { MODE() return opened(path, REAL(open64, place(path), flags, mode)); }
FILE *fopen(const char *path, const char *mode) { return REAL(fopen, place(path), mode); }
FILE *fopen64(const char *path, const char *mode) { return REAL(fopen64, place(path), mode); }
int stat(const char *p, struct stat *s) { return REAL(stat, place(p), s); }
int stat64(const char *p, struct stat64 *s) { return REAL(stat64, place(p), s); }
int lstat(const char *p, struct stat *s) { return REAL(lstat, place(p), s); }
int lstat64(const char *p, struct stat64 *s) { return REAL(lstat64, place(p), s); }
int __xstat(int v, const char *p, struct stat *s) { (void)v; return stat(p, s); }
int __lxstat(int v, const char *p, struct stat *s) { (void)v; return lstat(p, s); }
char *realpath(const char *path, char *out) { /* libgpiod looks up what the device file is */
  const char *is = is_chip(path) ? path : !strcmp(path, "/sys/dev/char/1:3/subsystem") ? "/sys/bus/gpio" : 0;
  if (!is) return REAL(realpath, path, out);
  return out ? strcpy(out, is) : strdup(is);
}
static __thread DIR *dev; /* being listed: the chip is in there as well */
DIR *opendir(const char *path) { DIR *d = REAL(opendir, path); if (!strcmp(path, "/dev")) dev = d; return d; }
struct dirent64 *readdir64(DIR *d) {
  static struct dirent64 chip = { .d_ino = 1, .d_type = DT_CHR, .d_name = "gpiochip0" };
  struct dirent64 *next = REAL(readdir64, d);
  if (next || d != dev || gone) return next;
  dev = 0; return &chip;
}
struct dirent *readdir(DIR *d) { return (struct dirent *)readdir64(d); }
int close(int fd) {
  if (fd >= 0 && fd < FILES && files[fd].kind) {
    pthread_mutex_lock(&lock);
    if (files[fd].kind == REQUEST) {
      for (unsigned k = 0; k < files[fd].many; k++) {
        int n = files[fd].offsets[k]; drive(n, 0); lines[n].fd = -1; lines[n].flags = 0;
      }
      free(files[fd].queue);
    }
    files[fd].kind = NONE; pthread_mutex_unlock(&lock);
  }
  return REAL(close, fd);
}
ssize_t read(int fd, void *to, size_t size) {
  if (fd < 0 || fd >= FILES || files[fd].kind != REQUEST) return REAL(read, fd, to, size);
  struct file *f = &files[fd]; eventfd_t many; size_t got = 0;
  pthread_mutex_lock(&lock); if (gone) { pthread_mutex_unlock(&lock); errno = ENODEV; return -1; }
  for (; f->count && got + sizeof *f->queue <= size; got += sizeof *f->queue, f->count--) {
    memcpy((char *)to + got, &f->queue[f->first], sizeof *f->queue); f->first = (f->first + 1) % f->size;
  }
  if (!f->count) { eventfd_write(fd, 1); eventfd_read(fd, &many); }
  pthread_mutex_unlock(&lock); return got;
}
static int fails(int error) { errno = error; return -1; }
static void configure(int n, struct gpio_v2_line_config *c) { /* all lines of a request alike */
  int was = level(n); lines[n].flags = c->flags;
  for (unsigned k = 0; k < c->num_attrs; k++)
    if (c->attrs[k].attr.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES) drive(n, c->attrs[k].attr.values & 1);
  edge(n, was);
}
static int chip_asked(unsigned long what, void *how) {
  if (what == GPIO_GET_CHIPINFO_IOCTL) {
    *(struct gpiochip_info *)how = (struct gpiochip_info){ "gpiochip0", "pinctrl-bcm2711", LINES }; return 0;
  }
  if (what == GPIO_V2_GET_LINEINFO_IOCTL) {
    struct gpio_v2_line_info *info = how; int n = info->offset; const char *user = lines[n].fd < 0 ? lines[n].user : "pochboard";
    *info = (struct gpio_v2_line_info){ .offset = n, .flags = lines[n].flags | (*user ? GPIO_V2_LINE_FLAG_USED : GPIO_V2_LINE_FLAG_INPUT) };
    snprintf(info->name, sizeof info->name, n == 7 ? "SPI_CE1_N" : "GPIO%d", n); strcpy(info->consumer, user); return 0;
  }
  if (what != GPIO_V2_GET_LINE_IOCTL) return fails(EINVAL);
  struct gpio_v2_line_request *r = how;
  for (unsigned k = 0; k < r->num_lines; k++)
    if (lines[r->offsets[k]].fd >= 0 || *lines[r->offsets[k]].user) return fails(EBUSY);
  r->fd = eventfd(0, EFD_CLOEXEC); struct file *f = &files[r->fd];
  *f = (struct file){ .kind = REQUEST, .many = r->num_lines, .size = r->event_buffer_size ? r->event_buffer_size : 16 };
  f->queue = calloc(f->size, sizeof *f->queue);
  for (unsigned k = 0; k < f->many; k++) {
    int n = f->offsets[k] = r->offsets[k]; lines[n].fd = r->fd; configure(n, &r->config);
  }
  return 0;
}
static int line_asked(struct file *f, unsigned long what, void *how) {
  struct gpio_v2_line_values *v = how; unsigned long long bits = 0;
  for (unsigned k = 0; k < f->many; k++) {
    if (what == GPIO_V2_LINE_GET_VALUES_IOCTL) bits |= (unsigned long long)level(f->offsets[k]) << k;
    else if (what != GPIO_V2_LINE_SET_VALUES_IOCTL) return fails(EINVAL);
    else if (v->mask >> k & 1) drive(f->offsets[k], v->bits >> k & 1);
  }
  if (what == GPIO_V2_LINE_GET_VALUES_IOCTL) v->bits = bits & v->mask;
  return 0;
}
static int spi_asked(unsigned long what, void *how) {
  struct spi_ioc_transfer *t = how; unsigned many = _IOC_SIZE(what) / sizeof *t, size = 0;
  if (_IOC_NR(what)) return 0;
  if (spi_fails) return fails(EIO);
  for (unsigned k = 0; k < many; size += t[k++].len)
    if (t[k].tx_buf && size + t[k].len <= sizeof message) memcpy(message + size, (void *)(unsigned long)t[k].tx_buf, t[k].len);
  if (size > 4096) return fails(EMSGSIZE);
  message_size = size; messages++; return size;
}
int ioctl(int fd, unsigned long what, ...) {
  va_list a; va_start(a, what); void *how = va_arg(a, void *); va_end(a);
  if (fd < 0 || fd >= FILES || !files[fd].kind) return REAL(ioctl, fd, what, how);
  what &= 0xffffffff; /* who keeps it in an int extends its sign */
  pthread_mutex_lock(&lock);
  int done = files[fd].kind == SPI ? spi_asked(what, how) : gone ? fails(ENODEV)
    : files[fd].kind == CHIP ? chip_asked(what, how) : line_asked(&files[fd], what, how);
  int error = errno; pthread_mutex_unlock(&lock); errno = error; return done;
}

/* What tests do. */

long long contact(int n, int closed) { /* returns when it happened, in us */
  pthread_mutex_lock(&lock); int was = level(n); lines[n].closed = closed; long long at = edge(n, was); pthread_mutex_unlock(&lock);
  return at / 1000;
}
/* Called through ctypes.PyDLL it keeps Python's lock, so that all of Python stands still meanwhile. Returns how long. */
int press_in_stall(int n, int before_us, int held_us, int after_us) {
  usleep(before_us); long long at = contact(n, 1); usleep(held_us); int held = contact(n, 0) - at; usleep(after_us);
  return held;
}
void stall(int us) { usleep(us); }
void taken(int n, const char *user) { strncpy(lines[n].user, user, sizeof lines[n].user - 1); }
void unplug(int is_gone) { gone = is_gone; }
void fail_spi(int does) { spi_fails = does; }
int pulses(int n) { return lines[n].pulses; }
int last_message(unsigned char *to) { memcpy(to, message, message_size); return message_size; }
