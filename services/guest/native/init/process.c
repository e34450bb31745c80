// The record of a process, from the spawn request until the guest drops it.
#define _GNU_SOURCE
#include "init.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Leaves room for the head within the 64 KiB of a record, and is a whole number of pipe pages.
#define MOST_PIECE_BYTES (60u * 1024)
// Largest pipe that a process can make without privilege; bounds the final read of each pipe.
#define MOST_PIPE_BYTES (1024u * 1024)
#define MOST_UNWRITTEN_BYTES (1024u * 1024)

static struct process *processes, **last_link = &processes, *freed;
static char piece[MOST_PIECE_BYTES];

struct process *first_process(void) { return processes; }

struct process *find_process(const unsigned char *key) {
  for (struct process *process = processes; process; process = process->next)
    if (!process->forgotten && memcmp(process->key, key, KEY_BYTES) == 0) return process;
  return NULL;
}

static void owe(struct process *process, unsigned due) {
  process->due |= due;
  connection_queue(process);
}

static void refuse_writes(struct process *process) {
  free(process->unwritten);
  process->unwritten = NULL;
  process->unwritten_bytes = process->unwritten_sent = 0;
  process->refused_due += process->writes_waiting;
  process->writes_waiting = 0;
  if (process->refused_due) connection_queue(process);
}

static void close_input(struct process *process) {
  close_source(&process->in);
  refuse_writes(process);
}

static void close_everything(struct process *process) {
  close_input(process);
  close_source(&process->status);
  close_source(&process->out);
  close_source(&process->err);
  if (process->terminal_end >= 0) close(process->terminal_end);
  process->terminal_end = -1;
  for (int at = 0; at < LOG_COUNT; at++) log_free(&process->logs[at]);
  if (process->folder >= 0) close(process->folder);
  process->folder = -1;
}

void free_process(struct process *process) {
  if (process->freed) return;
  close_everything(process);
  process->freed = true;
  connection_drop(process);
  *process->link = process->next;
  if (process->next) process->next->link = process->link;
  else last_link = process->link;
  process->next = freed;
  freed = process;
}

// Called only after a turn of the loop: epoll may have returned a source of the record in the same turn.
void sweep_freed(void) {
  while (freed) {
    struct process *process = freed;
    freed = process->next;
    free(process);
  }
}

// ---- output

static void keep(struct process *process, int log, size_t bytes) {
  if (process->forgotten) return;
  struct iovec raw = {piece, bytes};
  if (process->input != INPUT_TERMINAL)
    log_append(&process->logs[log], process->folder, process->most_log_bytes, &raw, 1);
  unsigned char head[5] = {(unsigned char)(log + 1), bytes & 255, bytes >> 8 & 255, bytes >> 16 & 255, bytes >> 24 & 255};
  struct iovec record[] = {{head, sizeof head}, {piece, bytes}};
  log_append(&process->logs[ALL_LOG], process->folder, process->most_log_bytes, record, 2);
  if (process->output_wanted && process->logs[ALL_LOG].end > process->output_past) {
    process->output_wanted = false;
    owe(process, DUE_OUTPUT);
  }
}

static void settle(struct process *process) {
  if (!process->ended || process->out.fd >= 0 || process->err.fd >= 0) return;
  for (int at = 0; at < LOG_COUNT; at++) log_close(&process->logs[at]);
  if (process->forgotten) free_process(process);
}

// Returns the number of bytes read; 0 when nothing is readable now or the source has ended.
static size_t pump(struct process *process, struct source *source) {
  ssize_t bytes;
  if (source->fd < 0) return 0;
  do bytes = read(source->fd, piece, sizeof piece);
  while (bytes < 0 && errno == EINTR);
  if (bytes > 0) {
    keep(process, source == &process->err ? STDERR_LOG : STDOUT_LOG, (size_t)bytes);
    return (size_t)bytes;
  }
  if (bytes < 0 && errno == EAGAIN) return 0;
  // Closing our side of the terminal would hang up a leader that closed its own side only for a while.
  if (process->input == INPUT_TERMINAL && !process->reaped) watch_source(source, 0);
  else close_source(source);
  return 0;
}

static void finish(struct process *process) {
  if (!process->reaped || process->starting || process->ended || process->stage != STAGE_RUNS) return;
  struct source *sources[] = {&process->out, &process->err};
  for (int at = 0; at < 2; at++) {
    size_t total = 0, bytes;
    while (total < MOST_PIPE_BYTES && (bytes = pump(process, sources[at])) > 0) total += bytes;
  }
  process->ended = true;
  close_input(process);
  owe(process, DUE_EXIT | (process->output_wanted ? DUE_OUTPUT : 0));
  process->output_wanted = false;
  settle(process);
}

// ---- input

static void feed(struct process *process) {
  struct source *source = process->input == INPUT_TERMINAL ? &process->out : &process->in;
  while (source->fd >= 0 && process->unwritten_sent < process->unwritten_bytes) {
    size_t left = process->unwritten_bytes - process->unwritten_sent;
    ssize_t bytes = write(source->fd, process->unwritten + process->unwritten_sent, left);
    if (bytes > 0) process->unwritten_sent += (size_t)bytes;
    else if (bytes < 0 && errno == EAGAIN) break;
    else if (bytes == 0 || errno != EINTR) {
      refuse_writes(process);
      if (process->input == INPUT_PIPE) close_source(source);
    }
  }
  bool waits = process->unwritten_sent < process->unwritten_bytes;
  if (!waits) {
    free(process->unwritten);
    process->unwritten = NULL;
    process->unwritten_bytes = process->unwritten_sent = 0;
    process->written_due += process->writes_waiting;
    process->writes_waiting = 0;
    if (process->written_due) connection_queue(process);
  }
  if (process->input == INPUT_TERMINAL) watch_source(source, EPOLLIN | (waits ? EPOLLOUT : 0));
  else if (!waits && process->input_ends) close_source(source);
  else watch_source(source, waits ? EPOLLOUT : 0);
}

bool write_to_process(struct process *process, const char *bytes, size_t count) {
  struct source *source = process->input == INPUT_TERMINAL ? &process->out : &process->in;
  process->writes_waiting++;
  if (source->fd < 0 || process->ended || process->input_ends) {
    process->writes_waiting--;
    process->refused_due++;
    connection_queue(process);
    return true;
  }
  size_t left = process->unwritten_bytes - process->unwritten_sent;
  if (left + count > MOST_UNWRITTEN_BYTES) return false;
  char *whole = malloc(left + count + 1);
  if (!whole) {
    refuse_writes(process);
    return true;
  }
  if (left) memcpy(whole, process->unwritten + process->unwritten_sent, left);
  memcpy(whole + left, bytes, count);
  free(process->unwritten);
  process->unwritten = whole;
  process->unwritten_bytes = left + count;
  process->unwritten_sent = 0;
  if (!process->starting) feed(process);
  return true;
}

void end_input(struct process *process) {
  if (process->input != INPUT_PIPE) return;
  process->input_ends = true;
  if (!process->starting) feed(process);
}

void resize_terminal(struct process *process, uint16_t cols, uint16_t rows) {
  if (process->input != INPUT_TERMINAL || process->out.fd < 0) return;
  struct winsize size = {.ws_col = cols, .ws_row = rows};
  ioctl(process->out.fd, TIOCSWINSZ, &size);
}

// ---- events from the kernel

static void output_ready(struct source *source, uint32_t events) {
  struct process *process = source->owner;
  if (events & EPOLLOUT) feed(process);
  if (source->fd >= 0 && events & (EPOLLIN | EPOLLHUP | EPOLLERR)) pump(process, source);
  settle(process);
}

static void input_ready(struct source *source, uint32_t events) {
  (void)events;
  feed(source->owner);
}

// The status pipe closes when the program is executed, and carries the failure when it is not.
static void status_ready(struct source *source, uint32_t events) {
  (void)events;
  struct process *process = source->owner;
  struct spawn_failure failure;
  ssize_t bytes = read(source->fd, &failure, sizeof failure);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
  process->starting = false;
  close_source(source);
  if (process->terminal_end >= 0) close(process->terminal_end);
  process->terminal_end = -1;
  // A disowned process is already known to the next guest as running. So a failed start is not reported as one; the
  // process ends with 127, as in a shell.
  if (bytes == sizeof failure && !process->disowned) {
    process->stage = (uint8_t)failure.stage;
    process->spawn_errno = failure.code;
    close_everything(process);
    owe(process, DUE_SPAWNED);
    return;
  }
  if (!process->disowned) owe(process, DUE_SPAWNED);
  watch_source(&process->out, EPOLLIN);
  watch_source(&process->err, EPOLLIN);
  if (process->unwritten || process->input_ends) feed(process);
  finish(process);
}

bool process_ended(pid_t pid, int status) {
  for (struct process *process = processes; process; process = process->next) {
    if (process->pid != pid || process->reaped) continue;
    process->reaped = true;
    process->exit_signal = WIFSIGNALED(status) ? (uint8_t)WTERMSIG(status) : 0;
    process->exit_code = (uint8_t)(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    if (process->starting) status_ready(&process->status, 0);
    else finish(process);
    return true;
  }
  return false;
}

// ---- spawning

static uint64_t start_ticks_of(pid_t pid) {
  char path[48], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t bytes = read(fd, text, sizeof text - 1);
  close(fd);
  if (bytes <= 0) return 0;
  text[bytes] = '\0';
  // The process name may contain spaces and brackets; field 22 is the twentieth after it.
  char *at = strrchr(text, ')');
  for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
  return at ? strtoull(at + 1, NULL, 10) : 0;
}

static bool open_pipe(struct source *ours, int *theirs, bool we_read) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  ours->fd = ends[we_read ? 0 : 1];
  *theirs = ends[we_read ? 1 : 0];
  return fcntl(ours->fd, F_SETFL, O_NONBLOCK) == 0;
}

static bool open_terminal(struct process *process, const struct spawn_wish *wish) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  process->out.fd = fd;
  char name[64];
  struct winsize size = {.ws_col = wish->cols, .ws_row = wish->rows};
  if (unlockpt(fd) != 0 || ptsname_r(fd, name, sizeof name) != 0) return false;
  // Our copy stays open until the program has its own: a terminal whose other side is not open yet reads as hung up.
  process->terminal_end = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  ioctl(fd, TIOCSWINSZ, &size);
  return process->terminal_end >= 0;
}

static bool open_logs(struct process *process, const char *folder) {
  process->folder = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (process->folder < 0) return false;
  for (int at = process->input == INPUT_TERMINAL ? ALL_LOG : STDOUT_LOG; at < LOG_COUNT; at++)
    if (!log_begin(&process->logs[at], process->folder)) return false;
  return true;
}

static void give_up(struct process *process, int stage, int code) {
  process->stage = (uint8_t)stage;
  process->spawn_errno = (uint32_t)code;
  process->starting = false;
  process->reaped = true;
  close_everything(process);
  owe(process, DUE_SPAWNED);
}

static struct process *new_process(const unsigned char *key, const struct spawn_wish *wish) {
  struct process *process = calloc(1, sizeof *process);
  if (!process) return NULL;
  memcpy(process->key, key, KEY_BYTES);
  process->starting = true;
  process->input = wish->input;
  process->most_log_bytes = wish->most_log_bytes;
  process->folder = process->terminal_end = -1;
  process->status = (struct source){-1, false, status_ready, process};
  process->out = process->err = (struct source){-1, false, output_ready, process};
  process->in = (struct source){-1, false, input_ready, process};
  static const char *const names[LOG_COUNT] = {"stdout", "stderr", "all"};
  for (int at = 0; at < LOG_COUNT; at++) process->logs[at] = (struct log){.name = names[at], .fd = -1};
  process->link = last_link;
  *last_link = process;
  last_link = &process->next;
  return process;
}

void spawn_process(const unsigned char *key, const struct spawn_wish *wish) {
  struct process *process = new_process(key, wish);
  if (!process) {
    guest_discard("there is no memory for another process");
    return;
  }
  if (!open_logs(process, wish->log_folder)) {
    give_up(process, STAGE_LOG, errno);
    return;
  }
  int input = -1, output = -1, errors = -1, status = -1;
  bool opened = open_pipe(&process->status, &status, true);
  if (wish->input == INPUT_TERMINAL) {
    opened = opened && open_terminal(process, wish);
    input = output = errors = process->terminal_end;
  } else {
    opened = opened && open_pipe(&process->out, &output, true) && open_pipe(&process->err, &errors, true);
    if (wish->input == INPUT_PIPE) opened = opened && open_pipe(&process->in, &input, false);
  }
  pid_t pid = opened ? fork() : -1;
  if (pid == 0) run_child(wish, input, output, errors, status);
  int cause = errno;
  if (status >= 0) close(status);
  if (wish->input != INPUT_TERMINAL) {
    if (input >= 0) close(input);
    if (output >= 0) close(output);
    if (errors >= 0) close(errors);
  }
  if (pid < 0) {
    give_up(process, STAGE_FORK, cause);
    return;
  }
  process->pid = pid;
  process->start_ticks = start_ticks_of(pid);
  watch_source(&process->status, EPOLLIN);
}

// ---- requests of the guest

void signal_process(struct process *process, int signal) {
  // The pid belongs to the process until it is reaped; afterwards the kernel may give it to another process.
  if (process->reaped || process->pid <= 0) return;
  if (kill(-process->pid, signal) != 0 && process->starting) kill(process->pid, signal);
}

void limit_log(struct process *process, uint64_t most_bytes) {
  process->most_log_bytes = most_bytes;
  for (int at = 0; at < LOG_COUNT; at++) log_trim(&process->logs[at], process->folder, most_bytes);
}

void want_output(struct process *process, uint64_t past) {
  process->output_past = past;
  process->output_wanted = !process->ended && process->logs[ALL_LOG].end <= past;
  if (!process->output_wanted) owe(process, DUE_OUTPUT);
}

// A background server outlives the shell that started it, and must not die of a closed pipe when the shell's record is
// dropped. A terminal is hung up, as usual when its last user leaves.
void forget_process(struct process *process) {
  if (!process->ended) return;
  bool still_read = process->input != INPUT_TERMINAL && (process->out.fd >= 0 || process->err.fd >= 0);
  if (!still_read) {
    free_process(process);
    return;
  }
  process->forgotten = true;
  connection_drop(process);
  for (int at = 0; at < LOG_COUNT; at++) log_free(&process->logs[at]);
  close(process->folder);
  process->folder = -1;
}

void disown_processes(void) {
  for (struct process *process = processes, *next; process; process = next) {
    next = process->next;
    process->output_wanted = false;
    process->disowned = process->starting;
    process->due = process->written_due = process->refused_due = process->writes_waiting = 0;
    connection_drop(process);
    if (process->stage != STAGE_RUNS) free_process(process);
  }
}

void signal_processes(int signal) {
  for (struct process *process = processes; process; process = process->next) signal_process(process, signal);
}
