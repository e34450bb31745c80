// Frames from and to the guest. Pending answers are kept as flags of the process records, never as bytes: a guest that
// does not read costs no memory, and receives the newest state when it reads again.
#define _GNU_SOURCE
#include "init.h"
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_BYTES (1 + KEY_BYTES)
#define RECORD_BYTES 39
#define MOST_ANSWER_BYTES (4 + HEAD_BYTES + 5 + RECORD_BYTES)
#define ANSWERS_PER_TURN 4

static void frames_ready(struct source *source, uint32_t events);

static struct source connection = {-1, false, frames_ready, NULL};
static unsigned char incoming[4 + MOST_FRAME_BYTES];
static size_t incoming_bytes;
static unsigned char outgoing[32 * 1024];
static size_t outgoing_bytes, outgoing_sent;
static struct process *greeting; // next record to send to a new guest
static bool ready_due;
static struct process *first_due, *last_due;

// ---- to the guest

static void put(uint64_t number, int bytes) {
  for (; bytes > 0; bytes--, number >>= 8) outgoing[outgoing_bytes++] = number & 255;
}

static void put_head(char type, const unsigned char *key, size_t payload_bytes) {
  static const unsigned char zeros[KEY_BYTES];
  put(HEAD_BYTES + payload_bytes, 4);
  put((unsigned char)type, 1);
  memcpy(outgoing + outgoing_bytes, key ? key : zeros, KEY_BYTES);
  outgoing_bytes += KEY_BYTES;
}

static void put_record(const struct process *process) {
  put((uint32_t)process->pid, 4);
  put(process->start_ticks, 8);
  for (int at = 0; at < LOG_COUNT; at++) put(process->logs[at].end, 8);
  bool settled = process->ended && process->out.fd < 0 && process->err.fd < 0;
  put(settled ? 2 : process->ended, 1);
  put(process->exit_code, 1);
  put(process->exit_signal, 1);
}

static void put_answers(struct process *process) {
  if (process->due & DUE_SPAWNED) {
    put_head('s', process->key, 5 + RECORD_BYTES);
    put(process->stage, 1);
    put(process->spawn_errno, 4);
    put_record(process);
  }
  if (process->written_due || process->refused_due) {
    bool ok = process->written_due > 0;
    put_head('w', process->key, 1);
    put(ok, 1);
    if (ok) process->written_due--;
    else process->refused_due--;
  }
  if (process->due & DUE_OUTPUT) {
    put_head('o', process->key, RECORD_BYTES);
    put_record(process);
  }
  if (process->due & DUE_EXIT) {
    put_head('x', process->key, RECORD_BYTES);
    put_record(process);
  }
  process->due = 0;
  if (process->written_due || process->refused_due) connection_queue(process);
  if (process->stage != STAGE_RUNS) free_process(process);
}

static bool put_next(void) {
  if (greeting) {
    struct process *process = greeting;
    greeting = process->next;
    if (process->forgotten) return true;
    put_head('r', process->key, RECORD_BYTES);
    put_record(process);
  } else if (ready_due) {
    ready_due = false;
    put_head('y', NULL, 0);
  } else if (first_due) {
    struct process *process = first_due;
    connection_drop(process);
    put_answers(process);
  } else {
    return false;
  }
  return true;
}

void connection_queue(struct process *process) {
  if (process->queued || process->forgotten || process->freed || connection.fd < 0) return;
  process->queued = true;
  process->next_due = NULL;
  if (last_due) last_due->next_due = process;
  else first_due = process;
  last_due = process;
}

void connection_drop(struct process *process) {
  if (greeting == process && process->freed) greeting = process->next;
  if (!process->queued) return;
  process->queued = false;
  struct process **link = &first_due, *before = NULL;
  while (*link != process) {
    before = *link;
    link = &before->next_due;
  }
  *link = process->next_due;
  if (last_due == process) last_due = before;
}

void connection_flush(void) {
  while (connection.fd >= 0) {
    if (outgoing_sent == outgoing_bytes) {
      outgoing_bytes = outgoing_sent = 0;
      while (sizeof outgoing - outgoing_bytes >= ANSWERS_PER_TURN * MOST_ANSWER_BYTES && put_next());
      if (outgoing_bytes == 0) {
        watch_source(&connection, EPOLLIN);
        return;
      }
    }
    ssize_t bytes = send(connection.fd, outgoing + outgoing_sent, outgoing_bytes - outgoing_sent, MSG_NOSIGNAL);
    if (bytes > 0) outgoing_sent += (size_t)bytes;
    else if (errno == EAGAIN) {
      watch_source(&connection, EPOLLIN | EPOLLOUT);
      return;
    } else if (errno != EINTR) guest_discard("its connection is broken");
  }
}

// ---- from the guest

static uint64_t number_at(const unsigned char *bytes, int count) {
  uint64_t number = 0;
  while (count > 0) number = number << 8 | bytes[--count];
  return number;
}

static bool read_spawn(const unsigned char *key, const unsigned char *payload, size_t bytes) {
  if (bytes < 21 || payload[bytes - 1] != 0 || payload[0] > INPUT_TERMINAL || find_process(key)) return false;
  struct spawn_wish wish = {
    .input = payload[0],
    .cols = (uint16_t)number_at(payload + 1, 2),
    .rows = (uint16_t)number_at(payload + 3, 2),
    .most_log_bytes = number_at(payload + 5, 8),
    .argc = (uint32_t)number_at(payload + 13, 4),
    .envc = (uint32_t)number_at(payload + 17, 4),
  };
  const char *text = (const char *)payload + 21, *end = (const char *)payload + bytes;
  uint64_t texts = 0;
  for (const char *at = text; at < end; at++) texts += *at == 0;
  if (wish.argc == 0 || texts != 2 + (uint64_t)wish.argc + wish.envc) return false;
  wish.log_folder = text;
  wish.working_directory = wish.log_folder + strlen(wish.log_folder) + 1;
  wish.texts = wish.working_directory + strlen(wish.working_directory) + 1;
  spawn_process(key, &wish);
  return true;
}

// Returns false when the frame does not follow the protocol.
static bool read_frame(char type, const unsigned char *key, const unsigned char *payload, size_t bytes) {
  if (type == 'S') return read_spawn(key, payload, bytes);
  // An unknown key is no error: the guest may have sent the frame before it learned that the process is gone.
  struct process *process = find_process(key);
  switch (type) {
  case 'K':
    if (bytes != 1 || payload[0] == 0 || payload[0] > 64) return false;
    if (process) signal_process(process, payload[0]);
    return true;
  case 'W':
    return !process || write_to_process(process, (const char *)payload, bytes);
  case 'E':
    if (process && bytes == 0) end_input(process);
    return bytes == 0;
  case 'R':
    if (process && bytes == 4) resize_terminal(process, (uint16_t)number_at(payload, 2), (uint16_t)number_at(payload + 2, 2));
    return bytes == 4;
  case 'L':
    if (process && bytes == 8) limit_log(process, number_at(payload, 8));
    return bytes == 8;
  case 'O':
    if (process && bytes == 8) want_output(process, number_at(payload, 8));
    return bytes == 8;
  case 'F':
    if (process && bytes == 0) forget_process(process);
    return bytes == 0;
  }
  return false;
}

static void read_frames(void) {
  size_t at = 0;
  while (incoming_bytes - at >= 4) {
    uint64_t length = number_at(incoming + at, 4);
    bool sound = length >= HEAD_BYTES && length <= MOST_FRAME_BYTES;
    if (sound && incoming_bytes - at < 4 + length) break;
    const unsigned char *frame = incoming + at + 4;
    if (!sound || !read_frame((char)frame[0], frame + 1, frame + HEAD_BYTES, length - HEAD_BYTES)) {
      guest_discard("it sent a malformed frame");
      return;
    }
    // A spawn that ran out of memory has discarded the guest and closed the connection.
    if (connection.fd < 0) return;
    at += 4 + length;
  }
  incoming_bytes -= at;
  if (at > 0) memmove(incoming, incoming + at, incoming_bytes);
}

static void frames_ready(struct source *source, uint32_t events) {
  if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
  ssize_t bytes = recv(source->fd, incoming + incoming_bytes, sizeof incoming - incoming_bytes, 0);
  if (bytes > 0) {
    incoming_bytes += (size_t)bytes;
    read_frames();
  } else if (bytes == 0 || (errno != EAGAIN && errno != EINTR)) {
    guest_discard("it closed its connection");
  }
}

// ---- opening and closing

void connection_open(int fd) {
  disown_processes();
  connection.fd = fd;
  greeting = first_process();
  ready_due = true;
  watch_source(&connection, EPOLLIN);
}

void connection_close(void) {
  if (connection.fd < 0) return;
  close_source(&connection);
  disown_processes();
  greeting = NULL;
  ready_due = false;
  incoming_bytes = outgoing_bytes = outgoing_sent = 0;
}
