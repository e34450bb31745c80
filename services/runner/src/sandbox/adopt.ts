// Applies a new desired state to a running sandbox: a new owner, or a newer generation. It bypasses the engine, which
// would take a tenth of a second: an element in the network table, cgroup files, one call to the guest. Every step is
// idempotent, so an interrupted adoption is repeated from the beginning.
import { isDeepStrictEqual } from 'node:util';
import type { SandboxInstance } from '@berth/contract/node';
import { setLimits } from '../machine/cgroup/limits.ts';
import { machine } from '../machine/machine.ts';
import type { UsageMeter } from '../meter/meter.ts';
import type { Network } from '../network/network.ts';
import { membershipOf } from '../network/rules/membership.ts';
import type { RunningSandbox } from '../sleep/running-sandbox.ts';
import type { SleepManager } from '../sleep/sleep-manager.ts';
import type { AdoptionFiles } from './adoption-files.ts';
import type { GuestControl } from './guest-control.ts';

export interface AdoptDependencies {
  readonly network: Pick<Network, 'admit'>;
  readonly control: Pick<GuestControl, 'setEnvironment'>;
  readonly sleep: Pick<SleepManager, 'manage' | 'release'>;
  readonly adopted: AdoptionFiles;
  /** Absent where nothing is metered. */
  readonly meter?: Pick<UsageMeter, 'change'> | undefined;
}

export interface Changes {
  /** The workspace, its VPC or the ports that peers may reach have changed. */
  readonly network: boolean;
  readonly limits: boolean;
  readonly environment: boolean;
}

/** `before` is the state applied to this run; undefined when an earlier run of this process applied it. */
export function changesOf(before: SandboxInstance | undefined, after: SandboxInstance): Changes {
  return {
    network: before === undefined || !isDeepStrictEqual(membershipOf(before), membershipOf(after)),
    limits: before?.memoryMb !== after.memoryMb || before?.cpus !== after.cpus,
    // A warm sandbox has no variables of an owner.
    environment: before?.workspaceId === undefined || !isDeepStrictEqual(before.env, after.env),
  };
}

export async function adopt(
  running: RunningSandbox,
  desired: SandboxInstance & { readonly workspaceId: string },
  before: SandboxInstance | undefined,
  { network, control, sleep, adopted, meter }: AdoptDependencies,
): Promise<void> {
  const { id, generation, env } = desired;
  const membership = membershipOf(desired) ?? { workspaceId: desired.workspaceId };
  const changes = changesOf(before, desired);
  // Saved before the network is opened: after a crash the runner must know which network the sandbox may be in.
  adopted.save(id, { ...membership, generation: adopted.find(id)?.generation ?? 0 });
  // The guest must be awake to receive its environment.
  if (changes.environment) await sleep.release(id);
  const done = await Promise.allSettled([
    changes.network ? network.admit(running.address, membership) : undefined,
    changes.limits ? setLimits(running.pid, desired, machine.cpus()) : undefined,
    changes.environment ? control.setEnvironment(running, { generation, environment: env }) : undefined,
  ]);
  const failed = done.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  if (changes.limits) meter?.change(id, desired.memoryMb);
  adopted.save(id, { ...membership, generation });
  // The guest has just answered, so the first connection need not wait for a check that it is awake.
  sleep.manage(changes.environment ? { ...running, isAwake: true } : running);
}
