#define _GNU_SOURCE
#include "init.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 4096

static int try_listening(int family, const struct sockaddr *address, socklen_t bytes, int reuse) {
  int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  int off = 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (bind(fd, address, bytes) == 0 && listen(fd, BACKLOG) == 0) return fd;
  int reason = errno;
  close(fd);
  errno = reason;
  return -1;
}

// On Linux, a restarted sandbox can listen while its old connections are still remembered (TIME_WAIT, about a minute)
// only if those connections also came from a socket with SO_REUSEADDR. Under gVisor the option would let any process
// listen on a more specific address of the port and take the requests from outside; it is not needed there, because
// nothing is restarted.
static int listen_at(int family, const struct sockaddr *address, socklen_t bytes) {
  return try_listening(family, address, bytes, !is_gvisor());
}

int listen_on(unsigned port) {
  struct sockaddr_in6 both = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port), .sin6_addr = IN6ADDR_ANY_INIT};
  int fd = listen_at(AF_INET6, (struct sockaddr *)&both, sizeof both);
  if (fd >= 0) return fd;
  struct sockaddr_in old = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  fd = listen_at(AF_INET, (struct sockaddr *)&old, sizeof old);
  if (fd < 0) fail(1, "Port %u cannot be listened on: %m. Free it, or choose another with --port.", port);
  return fd;
}
