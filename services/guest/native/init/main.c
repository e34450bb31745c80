#define _GNU_SOURCE
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_PORT 8080
#define DEFAULT_RUNTIME "/.berth"
#define STOP_GRACE_MS 10000

static int64_t stop_deadline = -1;

static const char *option(char **arguments, const char *name, const char *letter) {
  for (; *arguments; arguments++)
    if (arguments[1] && (strcmp(*arguments, name) == 0 || (letter && strcmp(*arguments, letter) == 0))) return arguments[1];
  return NULL;
}

static unsigned port_of(const char *text) {
  if (!text) return DEFAULT_PORT;
  char *end;
  unsigned long port = strtoul(text, &end, 10);
  if (!*text || *end || port == 0 || port > 65535) fail(EXIT_SETTING, "\"%s\" is no port. Give --port a number from 1 to 65535.", text);
  return (unsigned)port;
}

static void own_descriptors(void) {
  int fd;
  do fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd < 3 && fcntl(fd, F_SETFD, 0) == 0);
  if (fd >= 3) close(fd);
  syscall(SYS_close_range, 3u, UINT_MAX, 0);
}

static void be_spared(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t ignored = write(fd, "-500", 4);
  (void)ignored;
  close(fd);
}

static bool leads_a_process(pid_t pid) {
  for (struct process *process = first_process(); process; process = process->next)
    if (process->pid == pid) return true;
  return false;
}

// Signals every process when this program is process 1; otherwise (in tests) the processes it started and the orphans
// they left behind. Each gets one signal, because some programs react differently to a second SIGTERM.
static void signal_everyone(int signal) {
  if (getpid() == 1) {
    kill(-1, signal);
    return;
  }
  signal_processes(signal);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  FILE *children = fopen(path, "re");
  if (!children) guest_signal(signal);
  for (int child; children && fscanf(children, "%d", &child) == 1;)
    if (!leads_a_process(child)) kill(child, signal);
  if (children) fclose(children);
}

// Returns true while there are children.
static bool reap(void) {
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return pid == 0;
    // A pid that is neither the guest nor a known process is an orphan; its exit status is not needed.
    if (!guest_ended(pid, status)) process_ended(pid, status);
  }
}

static void signals_ready(struct source *source, uint32_t events) {
  (void)events;
  struct signalfd_siginfo info;
  while (read(source->fd, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD || stop_deadline >= 0) continue;
    stop_deadline = now_ms() + STOP_GRACE_MS;
    guest_stop_restarting();
    signal_everyone(SIGTERM);
  }
  if (!reap() && stop_deadline >= 0) exit(0);
}

static struct source signals = {-1, false, signals_ready, NULL};

static void watch_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_SETMASK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals.fd < 0) fail(1, "The kernel gives no signal descriptor: %m.");
  watch_source(&signals, EPOLLIN);
}

static int wait_ms(void) {
  if (stop_deadline < 0) return guest_wait_ms();
  int64_t left = stop_deadline - now_ms();
  return left > 0 ? (int)left : 0;
}

int main(int argc, char **argv) {
  char **arguments = argc > 0 ? argv + 1 : argv;
  own_descriptors();
  remember_limits();
  umask(077);
  const char *runtime = option(arguments, "--runtime", NULL);
  struct guest_options guest = {
    .runtime = runtime ? runtime : DEFAULT_RUNTIME,
    .node = option(arguments, "--node", NULL),
    .arguments = arguments,
  };
  guest.listening = listen_on(port_of(option(arguments, "--port", "-p")));
  choose_account(option(arguments, "--user", NULL));
  be_spared();
  choose_state_folder();
  act_as_account();
  if (getpid() != 1) prctl(PR_SET_CHILD_SUBREAPER, 1);
  loop_open();
  watch_signals();
  guest_start(&guest);
  for (;;) {
    connection_flush();
    sweep_freed();
    loop_once(wait_ms());
    guest_start_when_due();
    if (stop_deadline < 0 || now_ms() < stop_deadline) continue;
    signal_everyone(SIGKILL);
    exit(0);
  }
}
