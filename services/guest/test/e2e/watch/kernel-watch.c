// kernel-watch DIR: prints every name that appears anywhere below DIR, from the kernel's events of the whole file
// system (fanotify). It sets one mark instead of a watch per folder, so it cannot lose the race that a recursive watch
// has to win. Prints `READY`, then paths, each ended by NUL. Needs root. Folders must not be moved meanwhile: a path is
// resolved when its event is read.
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <unistd.h>

static void tell(int mount, const char *root, struct fanotify_event_info_fid *info) {
  struct file_handle *handle = (struct file_handle *)info->handle;
  const char *name = (const char *)handle->f_handle + handle->handle_bytes;
  char link[64], folder[PATH_MAX];
  int fd = open_by_handle_at(mount, handle, O_PATH);
  if (fd < 0) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, folder, sizeof folder - 1);
  close(fd);
  if (length <= 0) return;
  folder[length] = 0;
  if (strncmp(folder, root, strlen(root)) == 0) printf("%s/%s%c", folder, name, 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  int watch = fanotify_init(FAN_CLASS_NOTIF | FAN_REPORT_DFID_NAME | FAN_UNLIMITED_QUEUE, O_RDONLY);
  int mount = open(argv[1], O_RDONLY | O_DIRECTORY);
  unsigned events = FAN_CREATE | FAN_MOVED_TO | FAN_ONDIR;
  if (watch < 0 || mount < 0 || fanotify_mark(watch, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, events, AT_FDCWD, argv[1]) < 0) {
    perror("fanotify");
    return 1;
  }
  printf("READY%c", 0);
  fflush(stdout);
  static char buffer[1 << 18] __attribute__((aligned(8)));
  for (ssize_t count; (count = read(watch, buffer, sizeof buffer)) > 0; fflush(stdout)) {
    struct fanotify_event_metadata *event = (void *)buffer;
    for (; FAN_EVENT_OK(event, count); event = FAN_EVENT_NEXT(event, count))
      tell(mount, argv[1], (struct fanotify_event_info_fid *)(event + 1));
  }
  return 0;
}
