// watch [--recursive] DIR
//
// Reports changes in a folder, as the kernel announces them. Records on standard output, each ended by NUL:
//   <op><kind> <path>   op: C created or moved in, W written, R removed, N moved away, A attributes;
//                       kind: d folder, f anything else
//   Y  every watch is set      O  the kernel dropped events; with --recursive, new folders are searched for
//   L  no more watches may be set      E  DIR itself is gone; the program ends
// A separate program, because a new folder must be watched before any further event is read, and Node's own watcher
// loses that race. A new folder is watched first and its content is reported afterwards; events that the kernel queued
// for the same names meanwhile are dropped, so each name is reported once.
// The program ends when its output is closed. With a slow reader it waits, and only the kernel's queue grows, up to its
// limit.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUCKETS 4096
#define CHANGES (IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

// Reason for entering a folder: QUIET at the start, TELL for a new folder, AGAIN to find new folders after events were
// dropped.
enum mode { QUIET, TELL, AGAIN };

struct folder {
  struct folder *next;
  int wd;
  bool told;
  char path[];
};

// A name that a scan has reported. An event for the same name is a duplicate until the event queue has been read as far
// as it was filled at the time of the scan.
struct found {
  struct found *next, *fresh;
  int wd;
  uint64_t until;
  char name[];
};

static int inotify;
static bool recursive, limit_told;
static int root_wd;
static struct folder *folders[BUCKETS];
static struct found *founds[BUCKETS];
static size_t found_count;
static uint64_t taken_bytes, unread_bytes, founds_until;
static char output[65536];
static size_t output_bytes;

static void *allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (!memory) {
    fputs("There is no memory left to watch with.\n", stderr);
    exit(1);
  }
  return memory;
}

static void flush(void) {
  for (size_t at = 0; at < output_bytes;) {
    ssize_t written = write(STDOUT_FILENO, output + at, output_bytes - at);
    if (written > 0) at += (size_t)written;
    else if (errno == EAGAIN) poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
    else if (errno != EINTR) exit(0);
  }
  output_bytes = 0;
}

static void put(const char *bytes, size_t count) {
  if (output_bytes + count > sizeof output) flush();
  memcpy(output + output_bytes, bytes, count);
  output_bytes += count;
}

static void put_sign(char sign) { put((char[]){sign, 0}, 2); }

static void put_event(char op, bool is_folder, const char *path) {
  put((char[]){op, is_folder ? 'd' : 'f', ' '}, 3);
  put(path, strlen(path) + 1);
}

// Returns false when the path is longer than the kernel accepts; such a path cannot be used at all.
static bool join(char target[PATH_MAX], const char *folder, const char *name) {
  const char *between = strcmp(folder, "/") == 0 ? "" : "/";
  int length = snprintf(target, PATH_MAX, "%s%s%s", folder, between, name);
  return length > 0 && length < PATH_MAX;
}

static struct folder *folder_of(int wd) {
  struct folder *folder = folders[wd % BUCKETS];
  while (folder && folder->wd != wd) folder = folder->next;
  return folder;
}

static void forget(int wd) {
  for (struct folder **at = &folders[wd % BUCKETS]; *at; at = &(*at)->next) {
    if ((*at)->wd != wd) continue;
    struct folder *gone = *at;
    *at = gone->next;
    free(gone);
    return;
  }
}

static struct folder *remember(int wd, const char *path) {
  size_t length = strlen(path) + 1;
  struct folder *folder = allocate(sizeof *folder + length);
  memcpy(folder->path, path, length);
  folder->wd = wd;
  folder->told = false;
  folder->next = folders[wd % BUCKETS];
  return folders[wd % BUCKETS] = folder;
}

// A folder that moved away keeps its watches, under paths that are no longer valid: removes them.
static void forget_below(const char *path) {
  size_t length = strlen(path);
  for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
    for (struct folder *folder = folders[bucket], *next; folder; folder = next) {
      next = folder->next;
      if (strncmp(folder->path, path, length) != 0 || (folder->path[length] != '/' && folder->path[length])) continue;
      inotify_rm_watch(inotify, folder->wd);
      forget(folder->wd);
    }
  }
}

static size_t bucket_of(int wd, const char *name) {
  uint32_t hash = 2166136261u ^ (uint32_t)wd;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return hash % BUCKETS;
}

static struct found *add_found(int wd, const char *name, struct found *fresh) {
  size_t length = strlen(name) + 1, bucket = bucket_of(wd, name);
  struct found *found = allocate(sizeof *found + length);
  *found = (struct found){.next = founds[bucket], .fresh = fresh, .wd = wd};
  memcpy(found->name, name, length);
  found_count++;
  return founds[bucket] = found;
}

// Returns true when a scan has reported this name and the event is older than that scan. The entry is removed, so a
// second event for the name counts as new.
static bool take_found(int wd, const char *name) {
  for (struct found **at = &founds[bucket_of(wd, name)]; *at; at = &(*at)->next) {
    if ((*at)->wd != wd || strcmp((*at)->name, name) != 0) continue;
    struct found *found = *at;
    bool is_old_news = taken_bytes <= found->until;
    *at = found->next;
    free(found);
    found_count--;
    return is_old_news;
  }
  return false;
}

static void drop_founds(void) {
  for (size_t bucket = 0; bucket < BUCKETS; bucket++)
    while (founds[bucket]) {
      struct found *gone = founds[bucket];
      founds[bucket] = gone->next;
      free(gone);
    }
  found_count = 0;
}

static void set_until(struct found *fresh) {
  int queued = 0;
  ioctl(inotify, FIONREAD, &queued);
  founds_until = taken_bytes + unread_bytes + (uint64_t)queued;
  for (; fresh; fresh = fresh->fresh) fresh->until = founds_until;
}

static bool is_folder(const struct dirent *entry, const char *path) {
  if (entry->d_type != DT_UNKNOWN) return entry->d_type == DT_DIR;
  struct stat status;
  return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// File systems of the kernel: endless, and of no use to a watch.
static bool is_pseudo(const char *path) {
  return strcmp(path, "/proc") == 0 || strcmp(path, "/sys") == 0 || strcmp(path, "/dev") == 0;
}

static void enter(const char *path, enum mode mode);

// Subfolders are entered after this one is closed: a deep tree must not use up the descriptors.
static void list(const struct folder *folder, enum mode mode) {
  struct below {
    struct below *next;
    char path[];
  } *below = NULL;
  struct found *fresh = NULL;
  char path[PATH_MAX];
  DIR *stream = opendir(folder->path);
  for (struct dirent *entry; stream && (entry = readdir(stream));) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !join(path, folder->path, name)) continue;
    bool is_dir = is_folder(entry, path);
    if (mode == TELL) {
      put_event('C', is_dir, path);
      fresh = add_found(folder->wd, name, fresh);
    }
    if (!is_dir || !recursive || is_pseudo(path)) continue;
    struct below *one = allocate(sizeof *one + strlen(path) + 1);
    strcpy(one->path, path);
    one->next = below;
    below = one;
  }
  if (stream) closedir(stream);
  set_until(fresh);
  while (below) {
    struct below *one = below;
    below = one->next;
    enter(one->path, mode);
    free(one);
  }
}

static void enter(const char *path, enum mode mode) {
  int wd = inotify_add_watch(inotify, path, CHANGES | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (wd < 0) {
    if (errno == ENOSPC && !limit_told) put_sign('L');
    limit_told = limit_told || errno == ENOSPC;
    return;
  }
  struct folder *folder = folder_of(wd);
  // The folder moved while events were dropped.
  if (folder && strcmp(folder->path, path) != 0) {
    forget(wd);
    folder = NULL;
  }
  if (folder && mode == TELL && folder->told) return;
  if (!folder) {
    folder = remember(wd, path);
    if (mode == AGAIN) {
      put_event('C', true, path);
      mode = TELL;
    }
  }
  if (mode == TELL) folder->told = true;
  list(folder, mode);
}

static void end_if_root_is_gone(const struct inotify_event *event) {
  if (event->wd != root_wd || !(event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED))) return;
  put_sign('E');
  flush();
  exit(0);
}

static void appear(const struct folder *folder, const struct inotify_event *event, const char *path) {
  if (take_found(folder->wd, event->name)) return;
  bool is_dir = event->mask & IN_ISDIR;
  put_event('C', is_dir, path);
  if (is_dir && recursive && !is_pseudo(path)) enter(path, TELL);
}

static void disappear(const struct folder *folder, const struct inotify_event *event, const char *path) {
  bool is_dir = event->mask & IN_ISDIR;
  take_found(folder->wd, event->name);
  put_event(event->mask & IN_DELETE ? 'R' : 'N', is_dir, path);
  // The kernel removes the watches of a deleted folder itself, but not those of a moved one.
  if (is_dir && event->mask & IN_MOVED_FROM) forget_below(path);
}

static void take(const struct inotify_event *event) {
  if (event->mask & IN_Q_OVERFLOW) {
    put_sign('O');
    if (recursive) list(folder_of(root_wd), AGAIN);
    return;
  }
  end_if_root_is_gone(event);
  struct folder *folder = folder_of(event->wd);
  char path[PATH_MAX];
  if (!folder) return;
  if (event->mask & IN_IGNORED) forget(event->wd);
  else if (event->len == 0 || !join(path, folder->path, event->name)) return;
  else if (event->mask & (IN_CREATE | IN_MOVED_TO)) appear(folder, event, path);
  else if (event->mask & (IN_DELETE | IN_MOVED_FROM)) disappear(folder, event, path);
  else put_event(event->mask & IN_MODIFY ? 'W' : 'A', event->mask & IN_ISDIR, path);
}

static void take_all(void) {
  static char buffer[65536] __attribute__((aligned(__alignof__(struct inotify_event))));
  ssize_t count = read(inotify, buffer, sizeof buffer);
  for (char *at = buffer; at < buffer + count;) {
    const struct inotify_event *event = (const struct inotify_event *)at;
    at += sizeof *event + event->len;
    taken_bytes += sizeof *event + event->len;
    unread_bytes = (uint64_t)(buffer + count - at);
    if (found_count > 0 && taken_bytes > founds_until) drop_founds();
    take(event);
  }
}

int main(int argc, char **argv) {
  recursive = argc == 3 && strcmp(argv[1], "--recursive") == 0;
  if (argc != (recursive ? 3 : 2)) {
    fputs("usage: watch [--recursive] DIR\n", stderr);
    return 2;
  }
  const char *path = argv[argc - 1];
  inotify = inotify_init1(IN_CLOEXEC);
  // DIR itself may be a link; links below it are not followed.
  root_wd = inotify < 0 ? -1 : inotify_add_watch(inotify, path, CHANGES | IN_ONLYDIR);
  if (root_wd < 0) {
    fprintf(stderr, "%s cannot be watched: %s\n", path, strerror(errno));
    return 1;
  }
  struct folder *root = remember(root_wd, path);
  if (recursive) list(root, QUIET);
  put_sign('Y');
  flush();
  struct pollfd both[2] = {{.fd = inotify, .events = POLLIN}, {.fd = STDOUT_FILENO}};
  while (poll(both, 2, -1) > 0 || errno == EINTR) {
    if (both[1].revents) return 0;
    if (both[0].revents) take_all();
    flush();
  }
  return 1;
}
