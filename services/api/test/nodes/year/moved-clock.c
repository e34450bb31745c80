// Preloaded into one process: its wall clock is the machine's plus the seconds in a file, which the process itself
// writes. Timers use the monotonic clock, which is unchanged. OpenSSL checks certificates with `time`, so a year passes
// for it as well.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved_seconds;

static int64_t moved(void) { return moved_seconds == NULL ? 0 : *moved_seconds; }

__attribute__((constructor)) static void open_moved(void) {
  const char *path = getenv("MOVED_CLOCK");
  int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *moved_seconds, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) moved_seconds = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  int status = (int)syscall(SYS_clock_gettime, clock, at);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += moved();
  return status;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  at->tv_sec = precise.tv_sec;
  at->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *out) {
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  if (out != NULL) *out = precise.tv_sec;
  return precise.tv_sec;
}
