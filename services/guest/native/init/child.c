// Code that runs between fork and exec. run_child and run_guest never return.
#define _GNU_SOURCE
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

#define HELD_PREFIX "SANDBOX_HELD_"
#define FIRST_SPARE_DESCRIPTOR 64
#define NICENESS 10
// Kernel build date that every release of gVisor reports in /proc/version.
#define GVISOR_DATE "Sun Jan 10 15:06:54 PST 2016"
#define GVISOR_TASKS 64

static struct rlimit descriptors;
static rlim_t most_tasks; // 0: no limit set here, the kernel counts tasks itself

bool is_gvisor(void) {
  char version[256] = "";
  int fd = open("/proc/version", O_RDONLY | O_CLOEXEC);
  ssize_t bytes = fd < 0 ? 0 : read(fd, version, sizeof version - 1);
  if (fd >= 0) close(fd);
  return bytes > 0 && strstr(version, GVISOR_DATE);
}

// gVisor itself counts against the process limit of its container on the machine, and when it hits that limit the whole
// sandbox ends. So processes inside get a lower limit. Measured: the machine counts two tasks for each task inside,
// plus some forty of gVisor's own. Ended tasks linger for a moment; on a busy machine they add half as many again. Not
// used on Linux, where RLIMIT_NPROC would count all processes of the account on the machine, in every container.
static void remember_tasks(void) {
  const char *told = getenv("SANDBOX_PIDS_LIMIT");
  long limit = told ? strtol(told, NULL, 10) : 0;
  if (is_gvisor() && limit > 2 * GVISOR_TASKS) most_tasks = (rlim_t)(limit - GVISOR_TASKS) / 3;
}

// This program needs several descriptors for each process, so it raises its own limit. The processes get the original
// limit of the container back.
void remember_limits(void) {
  remember_tasks();
  if (getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return;
  struct rlimit raised = {descriptors.rlim_max, descriptors.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
}

static void reset(void) {
  // Uses the system call directly: the C library refuses signals 32 and 33, which the parent of this program may have
  // set to ignored. Zeros mean the default handler, no flags and an empty mask.
  const unsigned long standard[4] = {0};
  for (int signal = 1; signal < NSIG; signal++) syscall(SYS_rt_sigaction, signal, standard, NULL, sizeof *standard);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (descriptors.rlim_max) setrlimit(RLIMIT_NOFILE, &descriptors);
  setsid();
}

// Makes the process the first victim of the OOM killer, so that the API survives to report what happened. Must run
// before the account changes, because the file then belongs to root.
static void offer_as_victim(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t ignored = write(fd, "500", 3);
  (void)ignored;
  close(fd);
}

// Two hundred busy processes would leave the API a two-hundredth of the sandbox's CPU time. The niceness changes
// nothing among the processes themselves, nor in relation to other sandboxes.
static void yield_to_guest(void) { setpriority(PRIO_PROCESS, 0, NICENESS); }

static void close_from(unsigned first) { syscall(SYS_close_range, first, UINT_MAX, 0); }

static _Noreturn void give_up(int status, uint32_t stage) {
  struct spawn_failure failure = {stage, (uint32_t)errno};
  ssize_t ignored = write(status, &failure, sizeof failure);
  (void)ignored;
  _exit(127);
}

static char **list_of(const char **text, uint32_t count) {
  char **list = calloc((size_t)count + 1, sizeof *list);
  for (uint32_t at = 0; list && at < count; at++) {
    list[at] = (char *)(uintptr_t)*text;
    *text += strlen(*text) + 1;
  }
  return list;
}

void run_child(const struct spawn_wish *wish, int input, int output, int errors, int status) {
  reset();
  if (input < 0) input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0) give_up(status, STAGE_FORK);
  if (wish->input == INPUT_TERMINAL) ioctl(0, TIOCSCTTY, 0);
  if (status != 3 && dup3(status, 3, O_CLOEXEC) < 0) give_up(status, STAGE_FORK);
  close_from(4);
  if (workload.may_switch && seteuid(0) != 0) give_up(3, STAGE_FORK);
  offer_as_victim();
  yield_to_guest();
  if (most_tasks) setrlimit(RLIMIT_NPROC, &(struct rlimit){most_tasks, most_tasks});
  if (!become_account()) give_up(3, STAGE_FORK);
  umask(022);
  if (chdir(wish->working_directory) != 0) give_up(3, STAGE_FOLDER);
  const char *text = wish->texts;
  char **arguments = list_of(&text, wish->argc);
  char **variables = list_of(&text, wish->envc);
  if (!arguments || !variables) give_up(3, STAGE_FORK);
  // execvp searches the PATH of the spawn request, not that of this program.
  environ = variables;
  execvp(arguments[0], arguments);
  give_up(3, STAGE_PROGRAM);
}

// True for variables of the image that would change how the guest itself is loaded: a library to preload, an option for
// Node.js. They are meant for the workload, so they are passed under another name and the guest restores them.
static bool bends_the_guest(const char *variable) {
  static const char *const prefixes[] = {"LD_", "NODE_", "OPENSSL_CONF=", "GLIBC_TUNABLES=", "MALLOC_", "UV_"};
  for (size_t at = 0; at < sizeof prefixes / sizeof *prefixes; at++)
    if (strncmp(variable, prefixes[at], strlen(prefixes[at])) == 0) return true;
  return false;
}

static void hold_back_variables(void) {
  for (char **variable = environ; *variable; variable++) {
    if (!bends_the_guest(*variable)) continue;
    char *held = malloc(strlen(HELD_PREFIX) + strlen(*variable) + 1);
    if (!held) _exit(127);
    strcpy(stpcpy(held, HELD_PREFIX), *variable);
    *variable = held;
  }
}

void run_guest(const struct guest_options *options, int connection) {
  reset();
  if (workload.may_switch && seteuid(0) != 0) _exit(127);
  int connection_copy = fcntl(connection, F_DUPFD_CLOEXEC, FIRST_SPARE_DESCRIPTOR);
  int listening_copy = fcntl(options->listening, F_DUPFD_CLOEXEC, FIRST_SPARE_DESCRIPTOR);
  if (connection_copy < 0 || listening_copy < 0 || dup2(connection_copy, 3) < 0 || dup2(listening_copy, 4) < 0) _exit(127);
  close_from(5);
  if (!become_account()) _exit(127);
  umask(022);

  char node[PATH_MAX], main[PATH_MAX], heap[48], libraries[PATH_MAX];
  snprintf(node, sizeof node, "%s/node", options->runtime);
  snprintf(main, sizeof main, "%s/guest/main.js", options->runtime);
  snprintf(libraries, sizeof libraries, "%s/lib", options->runtime);
  snprintf(heap, sizeof heap, "--max-old-space-size=%u", heap_megabytes());
  size_t count = 0;
  while (options->arguments[count]) count++;
  char **arguments = calloc(count + 8, sizeof *arguments);
  if (!arguments) _exit(127);
  size_t at = 0;
  arguments[at++] = node;
  arguments[at++] = heap;
  // One V8 thread beside the main thread is enough for an API, and each idle one costs memory.
  arguments[at++] = "--v8-pool-size=1";
  // The default semi-space is sixteen times as large; short-lived objects would fill it and stay resident.
  arguments[at++] = "--max-semi-space-size=1";
  arguments[at++] = main;
  memcpy(arguments + at, options->arguments, count * sizeof *arguments);
  hold_back_variables();
  if (!options->node) setenv("LD_LIBRARY_PATH", libraries, 1);
  const char *program = options->node ? options->node : node;
  execv(program, arguments);
  say("%s cannot be executed: %m. Mount the runtime folder there, or name it with --runtime.", program);
  _exit(127);
}
