// A log is a sequence of files, each named after its first logical byte. Only whole files are deleted, from the head,
// so no byte ever moves and an offset always means the same byte.
#define _GNU_SOURCE
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST_FILE_BYTES (32u * 1024)
#define MOST_FILE_BYTES (4u * 1024 * 1024)

static uint64_t file_bytes_for(uint64_t most_bytes) {
  uint64_t eighth = most_bytes / 8;
  if (most_bytes == 0 || eighth > MOST_FILE_BYTES) return MOST_FILE_BYTES;
  return eighth < LEAST_FILE_BYTES ? LEAST_FILE_BYTES : eighth;
}

static void name_of(const struct log *log, uint64_t start, char *name, size_t room) {
  snprintf(name, room, "%s-%016" PRIx64, log->name, start);
}

static bool remember_start(struct log *log) {
  if (log->count == log->room) {
    size_t room = log->room ? log->room * 2 : 16;
    uint64_t *starts = realloc(log->starts, room * sizeof *starts);
    if (!starts) return false;
    log->starts = starts;
    log->room = room;
  }
  log->starts[log->count++] = log->end;
  return true;
}

bool log_begin(struct log *log, int folder) {
  char name[48];
  name_of(log, log->end, name, sizeof name);
  int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  if (!remember_start(log)) {
    close(fd);
    unlinkat(folder, name, 0);
    errno = ENOMEM;
    return false;
  }
  log->fd = fd;
  log->file_bytes = 0;
  return true;
}

// Removes a partly written piece: half a record would make the rest of the file unreadable.
static void give_up_file(struct log *log, int folder) {
  int ignored = ftruncate(log->fd, (off_t)log->file_bytes);
  (void)ignored;
  log_close(log);
  if (log->file_bytes > 0) return;
  char name[48];
  name_of(log, log->starts[--log->count], name, sizeof name);
  unlinkat(folder, name, 0);
}

void log_append(struct log *log, int folder, uint64_t most_bytes, struct iovec *parts, int count) {
  size_t bytes = 0;
  for (int at = 0; at < count; at++) bytes += parts[at].iov_len;
  if (log->fd >= 0 && log->file_bytes >= file_bytes_for(most_bytes)) log_close(log);
  if (log->fd >= 0 || log_begin(log, folder)) {
    ssize_t written = writev(log->fd, parts, count);
    if (written == (ssize_t)bytes) log->file_bytes += bytes;
    else give_up_file(log, folder);
  }
  log->end += bytes;
  log_trim(log, folder, most_bytes);
}

void log_trim(struct log *log, int folder, uint64_t most_bytes) {
  if (most_bytes == 0) return;
  uint64_t kept = most_bytes / 8 * 7 + most_bytes % 8 * 7 / 8;
  size_t gone = 0;
  while (gone + 1 < log->count && log->end - log->starts[gone + 1] >= kept) {
    char name[48];
    name_of(log, log->starts[gone++], name, sizeof name);
    unlinkat(folder, name, 0);
  }
  if (gone == 0) return;
  log->count -= gone;
  memmove(log->starts, log->starts + gone, log->count * sizeof *log->starts);
}

void log_close(struct log *log) {
  if (log->fd >= 0) close(log->fd);
  log->fd = -1;
}

void log_free(struct log *log) {
  log_close(log);
  free(log->starts);
  log->starts = NULL;
  log->count = log->room = 0;
}
