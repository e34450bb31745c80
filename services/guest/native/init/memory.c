// Heap limit of the guest: a fifth of the sandbox's memory, so that it cannot grow into the workload's share.
#define _GNU_SOURCE
#include "init.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysinfo.h>

#define SHARE 5
#define LEAST_MEGABYTES 64
#define MOST_MEGABYTES 4096

static uint64_t limit_in(const char *path) {
  FILE *file = fopen(path, "re");
  if (!file) return UINT64_MAX;
  unsigned long long bytes = 0;
  bool found = fscanf(file, "%llu", &bytes) == 1;
  fclose(file);
  return found && bytes > 0 ? bytes : UINT64_MAX;
}

unsigned heap_megabytes(void) {
  static const char *const files[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
  uint64_t bytes = UINT64_MAX;
  struct sysinfo info;
  if (sysinfo(&info) == 0) bytes = (uint64_t)info.totalram * info.mem_unit;
  for (size_t at = 0; at < sizeof files / sizeof *files; at++) {
    uint64_t limit = limit_in(files[at]);
    if (limit < bytes) bytes = limit;
  }
  uint64_t megabytes = bytes / SHARE / 1024 / 1024;
  if (megabytes < LEAST_MEGABYTES) return LEAST_MEGABYTES;
  return megabytes > MOST_MEGABYTES ? MOST_MEGABYTES : (unsigned)megabytes;
}
