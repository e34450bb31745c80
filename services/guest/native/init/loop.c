#define _GNU_SOURCE
#include "init.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_PER_TURN 64

static int epoll = -1;

void loop_open(void) {
  epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) fail(1, "The kernel gives no epoll descriptor: %m.");
}

void watch_source(struct source *source, uint32_t events) {
  if (source->fd < 0) return;
  struct epoll_event event = {.events = events, .data.ptr = source};
  if (events == 0) {
    if (source->watched) epoll_ctl(epoll, EPOLL_CTL_DEL, source->fd, NULL);
    source->watched = false;
    return;
  }
  if (epoll_ctl(epoll, source->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, source->fd, &event) == 0) source->watched = true;
}

void close_source(struct source *source) {
  if (source->fd < 0) return;
  watch_source(source, 0);
  close(source->fd);
  source->fd = -1;
}

void loop_once(int timeout_ms) {
  struct epoll_event events[EVENTS_PER_TURN];
  int count = epoll_wait(epoll, events, EVENTS_PER_TURN, timeout_ms);
  for (int at = 0; at < count; at++) {
    struct source *source = events[at].data.ptr;
    // An earlier event of the same turn may have closed the source. The pointer is valid, because records are freed
    // only after the turn.
    if (source->fd >= 0 && source->watched) source->ready(source, events[at].events);
  }
}

int64_t now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void print_line(const char *format, va_list values) {
  char line[512];
  vsnprintf(line, sizeof line, format, values);
  dprintf(2, "sandbox init: %s\n", line);
}

void say(const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_line(format, values);
  va_end(values);
}

void fail(int code, const char *format, ...) {
  va_list values;
  va_start(values, format);
  print_line(format, values);
  va_end(values);
  exit(code);
}
