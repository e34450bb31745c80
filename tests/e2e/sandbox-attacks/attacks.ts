// Attacks from inside, with the required outcome on each isolation class. `refused`: nothing happens. `own`: the attack
// works but affects only the attacker's own sandbox; `reason` explains why that is no way out.

type Outcome = 'refused' | 'own';

export interface Attack {
  readonly name: string;
  readonly runc: Outcome;
  readonly gvisor: Outcome;
  readonly reason?: string;
}

const refused = (...names: string[]): Attack[] => names.map((name) => ({ name, runc: 'refused', gvisor: 'refused' }));

/** Calls that gVisor answers itself: they reach gVisor's own kernel, which no other sandbox shares. */
const inSentry = (reason: string, ...names: string[]): Attack[] =>
  names.map((name) => ({ name, runc: 'refused', gvisor: 'own', reason }));

/** Calls that most kernels grant to every process: on runc the runner's profile refuses them. */
export const systemCalls: readonly Attack[] = [
  ...refused('io-uring', 'userfaultfd', 'keyring', 'fixed-addresses', 'segments'),
  ...refused('crypto-socket', 'crypto-socket-64', 'machine-socket', 'sctp-socket', 'sctp-socket-by-type'),
  ...refused('netlink-xfrm', '32-bit-call'),
  ...inSentry('objects of gVisor’s own kernel', 'clone-user', 'clone3-user', 'keyring-of-session', 'memory-policy'),
  ...inSentry('files of the same sandbox', 'open-tree', 'take-descriptor'),
];

export const attacks: readonly Attack[] = [
  ...systemCalls,
  ...refused('mount', 'mount-proc', 'mount-disk', 'bind-mount', 'remount-sys', 'remount-proc-sys', 'pivot-root'),
  ...refused(
    'unmount-guest',
    'write-guest',
    'add-to-guest',
    'take-address',
    'take-card',
    'join-network',
    'device-disk',
    'device-memory',
  ),
  ...refused('raw-socket', 'packet-socket', 'core-pattern', 'modprobe', 'sysrq', 'kcore', 'kmsg', 'uevent-helper'),
  ...refused('release-agent', 'overcommit', 'open-by-handle', 'bpf', 'perf-events'),
  ...refused('kernel-module', 'kexec', 'io-ports', 'reboot', 'swap', 'clock'),
  ...refused('host-name', 'accounting', 'join-mounts'),
  ...inSentry(
    'a user namespace of gVisor’s own kernel, and mounts that only it sees',
    'user-namespace',
    'user-namespace-cgroup',
  ),
  ...inSentry('a file of gVisor’s own kernel; the limit is the machine’s, and stays', 'own-memory-limit'),
  {
    name: 'ptrace-first',
    runc: 'own',
    gvisor: 'refused',
    reason: 'the helper of the same sandbox, which holds no secret',
  },
];
