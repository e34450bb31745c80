// Starts the guest and restarts it when it dies, which may happen at any moment. The next guest finds the listening
// socket, the processes and their logs unchanged.
#define _GNU_SOURCE
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_LIFE_MS 1000
#define FIRST_DELAY_MS 50
#define LONGEST_DELAY_MS 1000

static struct guest_options options;
static pid_t guest;
static int64_t started_at, start_due_at = -1;
static int delay_ms = FIRST_DELAY_MS;
static bool stopping;

static void start_later(void) {
  start_due_at = now_ms() + delay_ms;
  delay_ms = delay_ms * 2 > LONGEST_DELAY_MS ? LONGEST_DELAY_MS : delay_ms * 2;
}

static void start(void) {
  int ends[2];
  start_due_at = -1;
  started_at = now_ms();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    start_later();
    return;
  }
  guest = fork();
  if (guest == 0) run_guest(&options, ends[1]);
  close(ends[1]);
  if (guest < 0) {
    say("The guest cannot be forked: %m. It is tried again.");
    close(ends[0]);
    guest = 0;
    start_later();
    return;
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  connection_open(ends[0]);
}

void guest_start(const struct guest_options *wanted) {
  options = *wanted;
  start();
}

int guest_wait_ms(void) {
  if (start_due_at < 0 || stopping) return -1;
  int64_t left = start_due_at - now_ms();
  return left > 0 ? (int)left : 0;
}

void guest_start_when_due(void) {
  if (!stopping && start_due_at >= 0 && now_ms() >= start_due_at) start();
}

bool guest_ended(pid_t pid, int status) {
  if (pid != guest) return false;
  guest = 0;
  connection_close();
  if (stopping) return true;
  if (WIFSIGNALED(status)) say("The guest was ended by signal %d. It is started again.", WTERMSIG(status));
  else say("The guest ended with code %d. It is started again.", WEXITSTATUS(status));
  if (now_ms() - started_at < SHORT_LIFE_MS) {
    start_later();
    return true;
  }
  delay_ms = FIRST_DELAY_MS;
  start();
  return true;
}

void guest_signal(int signal) {
  if (guest > 0) kill(guest, signal);
}

void guest_discard(const char *reason) {
  if (!stopping) say("The guest is ended: %s.", reason);
  connection_close();
  guest_signal(SIGKILL);
}

void guest_stop_restarting(void) { stopping = true; }
