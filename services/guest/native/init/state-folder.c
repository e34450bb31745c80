// Chooses the folder for the guest's lasting state. It starts empty, because files of an earlier container describe
// processes that are gone. It is a subfolder of the named folder, which may hold files of others.
#define _GNU_SOURCE
#include "init.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PLACE "/var/lib/sandbox"
#define DEEPEST 64

static void empty_folder(int folder, int depth) {
  DIR *entries = depth < DEEPEST ? fdopendir(folder) : NULL;
  if (!entries) {
    close(folder);
    return;
  }
  for (struct dirent *entry; (entry = readdir(entries));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (unlinkat(folder, entry->d_name, 0) == 0) continue;
    int inner = openat(folder, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) continue;
    empty_folder(inner, depth + 1);
    unlinkat(folder, entry->d_name, AT_REMOVEDIR);
  }
  closedir(entries);
}

static bool make_with_parents(const char *path) {
  char part[512];
  for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
    mkdir(part, 0755);
  }
  return mkdir(path, 0755) == 0 || errno == EEXIST;
}

// Makes the folder empty and accessible to the guest's account only. Returns false when that is not possible there.
static bool claim(const char *path) {
  if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return false;
  bool mine = true;
  if (workload.may_switch) mine = fchown(folder, workload.uid, workload.gid) == 0;
  mine = mine && fchmod(folder, 0700) == 0;
  empty_folder(folder, 0);
  act_as_account();
  mine = mine && faccessat(AT_FDCWD, path, R_OK | W_OK | X_OK, AT_EACCESS) == 0;
  act_as_root();
  return mine;
}

static bool claim_in(const char *place) {
  char path[512];
  if (!place || place[0] != '/') return false;
  if ((size_t)snprintf(path, sizeof path, "%s/state", place) >= sizeof path) return false;
  umask(022);
  bool mine = make_with_parents(place) && claim(path);
  umask(077);
  if (mine) setenv("SANDBOX_LOG_DIR", path, 1);
  return mine;
}

static bool claim_new_in(const char *place) {
  char path[64];
  snprintf(path, sizeof path, "%s/sandbox-XXXXXX", place);
  if (!mkdtemp(path) || !claim(path)) return false;
  setenv("SANDBOX_LOG_DIR", path, 1);
  return true;
}

void choose_state_folder(void) {
  if (claim_in(getenv("SANDBOX_LOG_DIR")) || claim_in(DEFAULT_PLACE)) return;
  if (claim_new_in("/tmp") || claim_new_in("/dev/shm")) return;
  fail(1, "No folder can be written: neither " DEFAULT_PLACE " nor /tmp nor /dev/shm. Name one with SANDBOX_LOG_DIR.");
}
