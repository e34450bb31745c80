// Kernel settings that make every packet pass the table. Another program may change them at any time.
import type { RunCommand } from './command.ts';

interface Switch {
  readonly name: string;
  readonly why: string;
}

/** All must be 1. */
const switches: readonly Switch[] = [
  { name: 'net.ipv4.ip_forward', why: 'instances would not reach the outside' },
  { name: 'net.bridge.bridge-nf-call-iptables', why: 'instances on one bridge would reach each other past all rules' },
  { name: 'net.bridge.bridge-nf-call-ip6tables', why: 'instances on one bridge would reach each other by IPv6' },
];
const bridgeFolder = 'net.bridge';

/** Turns on the settings that are off; returns a description of each. */
export async function mendSwitches(run: RunCommand): Promise<string[]> {
  await requireBridgeFilter(run);
  const values = (await run('sysctl', ['-n', ...switches.map(({ name }) => name)])).trim().split('\n');
  const off = switches.filter((_, index) => values[index] !== '1');
  // Only settings that are off are written: setting ip_forward, even to its current value, resets other settings of
  // the machine.
  for (const { name } of off) await run('sysctl', ['-w', `${name}=1`]);
  return off.map(({ name, why }) => `${name} was off: ${why}`);
}

/** Fails if the kernel has no such module. Its settings exist only once it is loaded. */
export async function loadBridgeFilter(run: RunCommand): Promise<void> {
  const readSwitch = () => run('sysctl', ['-n', `${bridgeFolder}.bridge-nf-call-iptables`]);
  await readSwitch().catch(() => run('modprobe', ['br_netfilter']).then(readSwitch));
}

/**
 * Without this module, traffic between the ports of a bridge bypasses every table. It is not loaded on every machine.
 */
async function requireBridgeFilter(run: RunCommand): Promise<void> {
  try {
    await loadBridgeFilter(run);
  } catch (error) {
    throw new Error(
      'The kernel module br_netfilter is missing. Without it instances of different workspaces cannot be kept apart: load it with "modprobe br_netfilter", then start the runner again.',
      { cause: error },
    );
  }
}
