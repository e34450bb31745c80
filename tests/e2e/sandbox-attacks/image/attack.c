// attack NAME…: tries things that code inside a sandbox must not be able to do. Prints for each DONE, or refused and
// why.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static long writes(const char *path, const char *text) {
  int file = open(path, O_WRONLY);
  return file < 0 ? -1 : write(file, text, strlen(text));
}

static long reads(const char *path) {
  char bytes[16];
  int file = open(path, O_RDONLY);
  return file < 0 ? -1 : read(file, bytes, sizeof bytes);
}

static long joins(const char *path, int kind) {
  int file = open(path, O_RDONLY);
  return file < 0 ? -1 : setns(file, kind);
}

/* Under the name of the first process and of the machine's disk: what a leaked handle would open. */
static long opens_by_handle(void) {
  struct { struct file_handle head; unsigned char bytes[8]; } handle = {{.handle_bytes = 8, .handle_type = 1}, {2}};
  int root = open("/etc/hosts", O_RDONLY);
  return open_by_handle_at(root, &handle.head, O_RDONLY);
}

/* Takes the identity of a neighbour: the lowest IP address after the bridge, or a hardware address that no card has. */
static long takes(unsigned long what) {
  struct ifreq card = {.ifr_name = "eth0"};
  struct sockaddr_in *address = (struct sockaddr_in *)&card.ifr_addr;
  address->sin_family = what == SIOCSIFADDR ? AF_INET : 1;
  address->sin_addr.s_addr = inet_addr("100.96.0.2");
  return ioctl(socket(AF_INET, SOCK_DGRAM, 0), what, &card);
}

static long mounts_as_own_root(void) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return -1;
  return mount("none", "/mnt", "tmpfs", 0, "");
}

static long mounts_cgroups_as_own_root(void) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWCGROUP) != 0) return -1;
  return mount("none", "/mnt", "cgroup", 0, "memory");
}

static long clones_user(void) {
  long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return child;
}

static long clones_user_anew(void) {
  /* struct clone_args: the first field is flags, the fifth is exit_signal. */
  uint64_t wish[8] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
  long child = syscall(SYS_clone3, wish, sizeof wish);
  if (child == 0) _exit(0);
  return child;
}

static long takes_descriptor(void) {
  int self = syscall(SYS_pidfd_open, getpid(), 0);
  return self < 0 ? -1 : syscall(SYS_pidfd_getfd, self, 0, 0);
}

/* No attack: the calls of a debugger, which must work. */
static long debugs(void) {
  int status;
  pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 ? raise(SIGSTOP) : 1);
  waitpid(child, &status, 0);
  return WIFSTOPPED(status) ? ptrace(PTRACE_CONT, child, 0, 0) : -1;
}

#ifdef __x86_64__
/* getpid, as a 32-bit program calls it. */
static long calls_as_32_bit(void) {
  long answer;
  __asm__ volatile("int $0x80" : "=a"(answer) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
  return answer;
}
#endif

static long attempt(const char *name) {
  struct timeval then = {.tv_sec = 1};
  /* struct io_uring_params, all zero: without it the kernel refuses the call from any process. */
  char ring[120] = {0};
#define IS(text) (strcmp(name, text) == 0)
  if (IS("mount")) return mount("none", "/mnt", "tmpfs", 0, "");
  if (IS("mount-proc")) return mount("proc", "/mnt", "proc", 0, "");
  if (IS("mount-disk")) return mount("/dev/vda", "/mnt", "ext4", 0, "");
  if (IS("bind-mount")) return mount("/", "/mnt", "", MS_BIND, "");
  if (IS("remount-sys")) return mount("", "/sys", "", MS_REMOUNT, "");
  if (IS("remount-proc-sys")) return mount("", "/proc/sys", "", MS_REMOUNT | MS_BIND, "");
  if (IS("unmount-guest")) return umount2("/.berth", MNT_DETACH);
  if (IS("write-guest")) return open("/.berth/init", O_WRONLY);
  if (IS("add-to-guest")) return open("/.berth/attack", O_WRONLY | O_CREAT, 0755);
  if (IS("pivot-root")) return syscall(SYS_pivot_root, "/", "/mnt");
  if (IS("user-namespace")) return mounts_as_own_root();
  if (IS("user-namespace-cgroup")) return mounts_cgroups_as_own_root();
  if (IS("join-mounts")) return joins("/proc/1/ns/mnt", CLONE_NEWNS);
  if (IS("join-network")) return joins("/proc/1/ns/net", CLONE_NEWNET);
  if (IS("debug")) return debugs();
  if (IS("ptrace-first")) return ptrace(PTRACE_SEIZE, 1, 0, 0);
  if (IS("device-disk")) return mknod("/disk", S_IFBLK | 0600, makedev(254, 0)) == 0 ? open("/disk", O_RDONLY) : -1;
  if (IS("device-memory")) return mknod("/memory", S_IFCHR | 0600, makedev(1, 1)) == 0 ? open("/memory", O_RDONLY) : -1;
  if (IS("raw-socket")) return socket(AF_INET, SOCK_RAW, 1);
  if (IS("packet-socket")) return socket(AF_PACKET, SOCK_RAW, 0x0300);
  if (IS("take-address")) return takes(SIOCSIFADDR);
  if (IS("take-card")) return takes(SIOCSIFHWADDR);
  if (IS("core-pattern")) return writes("/proc/sys/kernel/core_pattern", "|/tmp/berth-attack");
  if (IS("modprobe")) return writes("/proc/sys/kernel/modprobe", "/tmp/berth-attack");
  if (IS("sysrq")) return writes("/proc/sysrq-trigger", "h");
  if (IS("kcore")) return reads("/proc/kcore");
  if (IS("kmsg")) return reads("/dev/kmsg");
  if (IS("uevent-helper")) return writes("/sys/kernel/uevent_helper", "/tmp/berth-attack");
  if (IS("release-agent")) return writes("/sys/fs/cgroup/memory/release_agent", "/tmp/berth-attack");
  if (IS("own-memory-limit")) return writes("/sys/fs/cgroup/memory/memory.limit_in_bytes", "-1");
  if (IS("overcommit")) return writes("/proc/sys/vm/overcommit_memory", "1");
  if (IS("open-by-handle")) return opens_by_handle();
  if (IS("bpf")) return syscall(SYS_bpf, 0, "\0\0\0\0", 4);
  if (IS("perf-events")) return syscall(SYS_perf_event_open, 0, 0, -1, -1, 0);
  if (IS("kernel-module")) return syscall(SYS_init_module, "", 0, "");
  if (IS("kexec")) return syscall(SYS_kexec_load, 0, 0, 0, 0);
  if (IS("io-ports")) return syscall(SYS_iopl, 3);
  if (IS("keyring")) return syscall(SYS_add_key, "user", "berth", "x", 1, -4);
  if (IS("io-uring")) return syscall(SYS_io_uring_setup, 8, ring);
  /* Flag 1, faults in user mode only: open to every process, unlike faults in the kernel. */
  if (IS("userfaultfd")) return syscall(SYS_userfaultfd, 1);
  if (IS("clone-user")) return clones_user();
  if (IS("clone3-user")) return clones_user_anew();
  if (IS("open-tree")) return syscall(SYS_open_tree, AT_FDCWD, "/", 0);
  if (IS("take-descriptor")) return takes_descriptor();
  if (IS("keyring-of-session")) return syscall(SYS_keyctl, 0, -3, 0);
  if (IS("memory-policy")) return syscall(SYS_set_mempolicy, 0, 0, 0);
  if (IS("fixed-addresses")) return personality(ADDR_NO_RANDOMIZE);
  if (IS("crypto-socket")) return socket(AF_ALG, SOCK_SEQPACKET, 0);
  if (IS("crypto-socket-64")) return syscall(SYS_socket, 0x100000000 | AF_ALG, SOCK_SEQPACKET, 0);
  if (IS("machine-socket")) return socket(AF_VSOCK, SOCK_STREAM, 0);
  if (IS("sctp-socket")) return socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP);
  if (IS("sctp-socket-by-type")) return socket(AF_INET, SOCK_SEQPACKET, 0);
  if (IS("netlink-xfrm")) return socket(AF_NETLINK, SOCK_RAW, 6);
#ifdef __x86_64__
  if (IS("32-bit-call")) return calls_as_32_bit();
  if (IS("segments")) return syscall(SYS_modify_ldt, 0, ring, sizeof ring);
#endif
  if (strncmp(name, "number-", 7) == 0) return syscall(atol(name + 7), -1L, -1L, -1L, -1L, -1L, -1L);
  if (IS("reboot")) return reboot(RB_DISABLE_CAD);
  if (IS("swap")) return swapon("/etc/hosts", 0);
  if (IS("clock")) return settimeofday(&then, 0);
  if (IS("host-name")) return sethostname("berth-attack", 12);
  if (IS("accounting")) return acct("/tmp/berth-attack");
#undef IS
  fprintf(stderr, "unknown attack %s\n", name);
  exit(64);
}

int main(int argc, char **argv) {
  for (int index = 1; index < argc; index += 1) {
    int fds[2];
    if (pipe(fds) != 0) return 1;
    pid_t child = fork();
    if (child == 0) {
      errno = 0;
      long result = attempt(argv[index]);
      dprintf(fds[1], result < 0 ? "refused: %s" : "DONE", strerror(errno));
      _exit(0);
    }
    close(fds[1]);
    char said[200] = "";
    int status;
    waitpid(child, &status, 0);
    ssize_t length = read(fds[0], said, sizeof said - 1);
    close(fds[0]);
    if (length <= 0) snprintf(said, sizeof said, "refused: ended by signal %d", WTERMSIG(status));
    printf("%s\t%s\n", argv[index], said);
    fflush(stdout);
  }
  return 0;
}
