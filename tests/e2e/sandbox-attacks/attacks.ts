// What is tried from inside, and what must come of it on either isolation class. `refused`: nothing happens. `own`: it works, and
// reaches nothing but the sandbox that tried it; the reason says why that is no way out. `engine`: the engine's own filter decides, so it
// is shown and not asserted.

type Outcome = 'refused' | 'own' | 'engine';

export interface Attack {
  readonly name: string;
  readonly runc: Outcome;
  readonly gvisor: Outcome;
  readonly reason?: string;
}

const refused = (...names: string[]): Attack[] => names.map((name) => ({ name, runc: 'refused', gvisor: 'refused' }));

/** What gVisor answers itself: there is another kernel behind it, of which nobody else has a part. */
const inSentry = (reason: string, ...names: string[]): Attack[] =>
  names.map((name) => ({ name, runc: 'refused', gvisor: 'own', reason }));

export const attacks: readonly Attack[] = [
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
  ...refused('kernel-module', 'kexec', 'io-ports', 'keyring', 'userfaultfd', 'reboot', 'swap', 'clock'),
  ...refused('host-name', 'accounting', 'join-mounts'),
  ...inSentry(
    'a user namespace of gVisor’s own kernel, and mounts that only it sees',
    'user-namespace',
    'user-namespace-cgroup',
  ),
  ...inSentry('a file of gVisor’s own kernel; the limit is the machine’s, and stays', 'own-memory-limit'),
  {
    name: 'io-uring',
    runc: 'engine',
    gvisor: 'refused',
    reason: 'older engines leave it open on runc; docs/operations/runners.md says what an operator sets',
  },
  {
    name: 'ptrace-first',
    runc: 'own',
    gvisor: 'refused',
    reason: 'the helper of the same sandbox, which holds no secret',
  },
];
