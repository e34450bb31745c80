// System calls that workloads on runc may make; all others are refused. Reasons: docs/decisions/015-seccomp.md.

interface Argument {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: 'SCMP_CMP_MASKED_EQ' | 'SCMP_CMP_GT';
}

interface Rule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly errnoRet?: number;
  readonly args?: readonly Argument[];
}

// Calls of x86-64 and arm64 in one list: the engine leaves out calls that the machine does not have.
const allowed = {
  bytes: `
    open openat openat2 creat close close_range read readv pread64 preadv preadv2 write writev pwrite64 pwritev pwritev2
    lseek sendfile splice tee vmsplice copy_file_range dup dup2 dup3 fcntl flock ioctl fsync fdatasync sync syncfs
    sync_file_range fallocate fadvise64 readahead truncate ftruncate cachestat
    io_setup io_submit io_getevents io_pgetevents io_cancel io_destroy`,
  names: `
    access faccessat faccessat2 stat lstat fstat newfstatat statx statfs fstatfs statmount listmount getdents getdents64
    getcwd chdir fchdir mkdir mkdirat mknod mknodat rmdir rename renameat renameat2 link linkat symlink symlinkat
    readlink readlinkat unlink unlinkat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat umask
    utime utimes futimesat utimensat getxattr lgetxattr fgetxattr getxattrat setxattr lsetxattr fsetxattr setxattrat
    listxattr llistxattr flistxattr listxattrat removexattr lremovexattr fremovexattr removexattrat
    inotify_init inotify_init1 inotify_add_watch inotify_rm_watch`,
  memory: `
    brk mmap mprotect munmap mremap msync madvise mincore mlock mlock2 mlockall munlock munlockall memfd_create mseal
    membarrier map_shadow_stack pkey_alloc pkey_free pkey_mprotect shmget shmat shmctl shmdt`,
  processes: `
    fork vfork execve execveat exit exit_group wait4 waitid kill tkill tgkill getpid getppid gettid
    getpgid getpgrp setpgid getsid setsid pidfd_open pidfd_send_signal process_mrelease prctl arch_prctl
    seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self
    set_tid_address set_robust_list get_robust_list rseq futex futex_waitv futex_wait futex_wake futex_requeue
    sched_yield sched_getaffinity sched_setaffinity sched_getparam sched_setparam sched_getscheduler sched_setscheduler
    sched_getattr sched_setattr sched_get_priority_max sched_get_priority_min sched_rr_get_interval
    getcpu getpriority setpriority ioprio_get ioprio_set getrlimit setrlimit prlimit64 getrusage
    times sysinfo uname getrandom restart_syscall uretprobe`,
  // They reach only processes of the same container: the kernel requires the same user, and capabilities that do not
  // extend to other containers.
  debuggers: 'ptrace process_vm_readv process_vm_writev',
  signals: `
    rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
    rt_tgsigqueueinfo sigaltstack signalfd signalfd4 pause alarm`,
  accounts: `
    getuid geteuid getgid getegid getgroups getresuid getresgid setuid setgid setreuid setregid setresuid setresgid
    setfsuid setfsgid setgroups capget capset`,
  time: `
    time gettimeofday clock_gettime clock_getres clock_nanosleep nanosleep adjtimex clock_adjtime getitimer setitimer
    timer_create timer_settime timer_gettime timer_getoverrun timer_delete
    timerfd_create timerfd_settime timerfd_gettime`,
  waiting: `
    poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2
    eventfd eventfd2 pipe pipe2 msgget msgsnd msgrcv msgctl semget semop semtimedop semctl
    mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr`,
  sockets: `
    connect accept accept4 bind listen shutdown sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg
    getsockname getpeername getsockopt setsockopt`,
};

// Programs fall back to an older call when these are missing. At EPERM, the engine's default refusal, some give up.
const absent = `
  clone3 io_uring_setup io_uring_enter io_uring_register memfd_secret pidfd_getfd process_madvise name_to_handle_at`;

const errors = { ENOSYS: 38, EPROTONOSUPPORT: 93, EAFNOSUPPORT: 97 };

// Flags for new mount, cgroup, UTS, IPC, user, PID and network namespaces.
const newNamespaces = 0x7e02_0000;

const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 };
const streams = 1;
const datagrams = 2;
const protocols = { any: 0, icmp: 1, tcp: 6, udp: 17, icmp6: 58 };
/** Network interfaces and addresses. */
const netlinkRoute = 0;

// The kernel reads only 32 bits of these arguments, so higher bits must not affect the match.
const is = (index: number, value: number): Argument => masked(index, 0xffff_ffff, value);

const masked = (index: number, mask: number, value: number): Argument => ({
  ...{ index, value: mask, valueTwo: value },
  op: 'SCMP_CMP_MASKED_EQ',
});

const allow = (names: string, ...args: Argument[]): Rule => ({
  ...{ names: names.trim().split(/\s+/), action: 'SCMP_ACT_ALLOW' },
  ...(args.length === 0 ? {} : { args }),
});

const refuse = (names: string, error: keyof typeof errors, ...args: Argument[]): Rule => ({
  ...allow(names, ...args),
  ...{ action: 'SCMP_ACT_ERRNO', errnoRet: errors[error] },
});

/** The type has four bits beside its flags. Without the type, `any` would allow SCTP for a third type. */
const internet = (family: number, type: number, ...of: number[]): Rule[] =>
  of.map((protocol) => allow('socket', is(0, family), masked(1, 0xf, type), is(2, protocol)));

const rules: readonly Rule[] = [
  allow(Object.values(allowed).join(' ')),
  refuse(absent, 'ENOSYS'),
  allow('clone', masked(0, newNamespaces, 0)),
  // The default personality, and the query of the current one.
  allow('personality', is(0, 0)),
  allow('personality', is(0, 0xffff_ffff)),
  allow('socketpair', is(0, families.unix)),
  allow('socket', is(0, families.unix)),
  ...internet(families.inet, streams, protocols.any, protocols.tcp),
  ...internet(families.inet6, streams, protocols.any, protocols.tcp),
  ...internet(families.inet, datagrams, protocols.any, protocols.udp, protocols.icmp),
  ...internet(families.inet6, datagrams, protocols.any, protocols.udp, protocols.icmp6),
  allow('socket', is(0, families.netlink), is(2, netlinkRoute)),
  // useradd and others continue without the kernel's audit log when it does not exist, and fail on any other error.
  refuse('socket', 'EPROTONOSUPPORT', is(0, families.netlink), { index: 2, value: netlinkRoute, op: 'SCMP_CMP_GT' }),
  refuse('socket', 'EAFNOSUPPORT', { index: 0, value: families.netlink, op: 'SCMP_CMP_GT' }),
];

/**
 * Profile in the engine's format. No sub-architectures: calls of 32-bit programs, which gVisor does not run either, are
 * refused.
 */
export const seccompProfile = JSON.stringify({
  defaultAction: 'SCMP_ACT_ERRNO',
  archMap: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'].map((architecture) => ({ architecture, subArchitectures: [] })),
  syscalls: rules,
});
