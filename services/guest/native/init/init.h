// The first process of a sandbox. ../PROTOCOL.md describes its guarantees.
//
//   main.c        options, start-up, the loop, shutdown
//   account.c     the account that the guest and the processes run as
//   state-folder.c, listen.c, memory.c, loop.c   one small task each
//   guest.c       starts and restarts the guest
//   connection.c  frames from and to the guest
//   process.c     the record of a process: spawn, input, output, end
//   child.c       code between fork and exec
//   output-log.c  the files that output is kept in
#ifndef INIT_H
#define INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#define KEY_BYTES 16
#define MOST_FRAME_BYTES (4u * 1024 * 1024)

// From sysexits.h: a setting is wrong, so a restart would not help.
#define EXIT_SETTING 78

// ---- loop.c

struct source {
  int fd; // -1: closed
  bool watched;
  void (*ready)(struct source *source, uint32_t events);
  void *owner;
};

void loop_open(void);
// `events` 0 stops watching and leaves the descriptor open.
void watch_source(struct source *source, uint32_t events);
void close_source(struct source *source);
void loop_once(int timeout_ms);
int64_t now_ms(void);
_Noreturn void fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// ---- account.c

struct account {
  bool chosen; // false: everything runs as the account that started this program
  bool may_switch; // this program is root: it takes the account's effective ids and can return to root
  uid_t uid;
  gid_t gid;
  char name[128];
  char home[256];
};

extern struct account workload;

void choose_account(const char *option);
// From this call on, files are accessed with the rights of the account only.
void act_as_account(void);
void act_as_root(void);
// Switches to the account permanently; called in a child. On false the child must exit.
bool become_account(void);

// ---- listen.c, memory.c, state-folder.c

int listen_on(unsigned port);
unsigned heap_megabytes(void);
void choose_state_folder(void);

// ---- guest.c

struct guest_options {
  const char *runtime;
  const char *node; // NULL: RUNTIME/node, with its own loader and libraries
  int listening;
  char **arguments; // all arguments of this program: the guest picks its own
};

void guest_start(const struct guest_options *options);
// Milliseconds until the next start is due; -1: no start is due.
int guest_wait_ms(void);
void guest_start_when_due(void);
bool guest_ended(pid_t pid, int status);
void guest_signal(int signal);
// Kills a guest that broke the protocol or lost its connection, so that the next guest starts clean.
void guest_discard(const char *reason);
void guest_stop_restarting(void);

// ---- connection.c

struct process;

void connection_open(int fd);
void connection_close(void);
void connection_flush(void);
// Queues a record with pending answers; its flags name them.
void connection_queue(struct process *process);
void connection_drop(struct process *process);

// ---- output-log.c

struct log {
  const char *name;
  int fd; // descriptor of the newest file; -1: the next piece starts a new file
  uint64_t end; // logical length
  uint64_t file_bytes;
  uint64_t *starts; // first logical byte of every remaining file, oldest first
  size_t count, room;
};

bool log_begin(struct log *log, int folder);
void log_append(struct log *log, int folder, uint64_t most_bytes, struct iovec *parts, int count);
void log_trim(struct log *log, int folder, uint64_t most_bytes);
void log_close(struct log *log);
void log_free(struct log *log);

// ---- process.c

enum { STDOUT_LOG, STDERR_LOG, ALL_LOG, LOG_COUNT };
enum { DUE_SPAWNED = 1, DUE_OUTPUT = 2, DUE_EXIT = 4 };
enum { INPUT_NONE, INPUT_PIPE, INPUT_TERMINAL };
enum { STAGE_RUNS, STAGE_FOLDER, STAGE_PROGRAM, STAGE_LOG, STAGE_FORK };

struct process {
  struct process *next, **link;
  unsigned char key[KEY_BYTES];
  pid_t pid;
  uint64_t start_ticks;
  bool starting; // the program is not executed yet
  bool reaped;
  bool ended; // reaped, and everything written until then is in the log
  bool disowned; // the guest that asked for it died before the program was executed
  bool forgotten; // the guest has dropped the record, but a descendant still writes
  bool freed; // memory is released at the end of this turn of the loop
  uint8_t input;
  uint8_t stage, exit_code, exit_signal;
  uint32_t spawn_errno;

  struct source status, out, err, in; // terminal: `out` is used in both directions
  int terminal_end; // the process's side of the terminal, held open until the program has its own
  int folder;
  uint64_t most_log_bytes;
  struct log logs[LOG_COUNT];

  char *unwritten;
  size_t unwritten_bytes, unwritten_sent;
  unsigned writes_waiting;
  bool input_ends;

  bool output_wanted;
  uint64_t output_past;
  unsigned due, written_due, refused_due;
  bool queued;
  struct process *next_due;
};

struct spawn_wish {
  uint8_t input;
  uint16_t cols, rows;
  uint64_t most_log_bytes;
  uint32_t argc, envc;
  const char *log_folder, *working_directory;
  const char *texts; // the arguments, then the variables, each NUL-ended
};

// Sent by a child through the status pipe when it cannot execute the requested program.
struct spawn_failure {
  uint32_t stage, code;
};

struct process *first_process(void);
struct process *find_process(const unsigned char *key);
void spawn_process(const unsigned char *key, const struct spawn_wish *wish);
void signal_process(struct process *process, int signal);
// Returns false when more bytes would be waiting than the protocol allows.
bool write_to_process(struct process *process, const char *bytes, size_t count);
void end_input(struct process *process);
void resize_terminal(struct process *process, uint16_t cols, uint16_t rows);
void limit_log(struct process *process, uint64_t most_bytes);
void want_output(struct process *process, uint64_t past);
void forget_process(struct process *process);
void free_process(struct process *process);
bool process_ended(pid_t pid, int status);
// Clears the answers owed to the old guest: a new guest receives the records instead.
void disown_processes(void);
void signal_processes(int signal);
void sweep_freed(void);

// ---- child.c

_Noreturn void run_child(const struct spawn_wish *wish, int input, int output, int errors, int status);
_Noreturn void run_guest(const struct guest_options *options, int connection);
void remember_limits(void);
// True when the kernel is gVisor.
bool is_gvisor(void);

#endif
