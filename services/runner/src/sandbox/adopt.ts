// A sandbox that runs becomes what is wanted now: its new owner's, or another version of what it was. Without the engine, which
// would take a tenth of a second: an element in the network's table, files of the kernel, one call to the guest. All of it may be done
// twice, so whatever was cut off in between is done again from the beginning.
import { isDeepStrictEqual } from 'node:util';
import type { DesiredInstance } from '@berth/contract';
import { setLimits } from '../cgroup/limits.ts';
import { membershipOf } from '../network/membership.ts';
import type { Network } from '../network/network.ts';
import { machine } from '../node/machine.ts';
import type { AdoptedBook } from './adopted-book.ts';
import type { GuestControl } from './guest-control.ts';
import type { RunningSandbox, SandboxKeeper } from './keeper.ts';

export interface AdoptTools {
  readonly network: Pick<Network, 'admit'>;
  readonly control: Pick<GuestControl, 'setEnvironment'>;
  readonly keeper: Pick<SandboxKeeper, 'keep' | 'release'>;
  readonly adopted: AdoptedBook;
}

export interface Changes {
  /** Its owner, or whom it reaches beside the outside. */
  readonly network: boolean;
  readonly limits: boolean;
  readonly environment: boolean;
}

/** `before` is what this very run was made to be; nothing is known of one that another process of the runner cared for. */
export function changesOf(before: DesiredInstance | undefined, after: DesiredInstance): Changes {
  return {
    network: before === undefined || !isDeepStrictEqual(membershipOf(before), membershipOf(after)),
    limits: before?.memoryMb !== after.memoryMb || before?.cpus !== after.cpus,
    // One that waits for an owner was given none.
    environment: before?.workspaceId === undefined || !isDeepStrictEqual(before.env, after.env),
  };
}

export async function adopt(
  running: RunningSandbox,
  desired: DesiredInstance & { readonly workspaceId: string },
  before: DesiredInstance | undefined,
  { network, control, keeper, adopted }: AdoptTools,
): Promise<void> {
  const { id, generation, env } = desired;
  const membership = membershipOf(desired) ?? { workspaceId: desired.workspaceId };
  const changes = changesOf(before, desired);
  // Before the network is opened: whoever finds the sandbox after a crash must know whose network it may be in.
  adopted.save(id, { ...membership, generation: adopted.find(id)?.generation ?? 0 });
  // It has to be awake to hear of it.
  if (changes.environment) await keeper.release(id);
  const done = await Promise.allSettled([
    changes.network ? network.admit(running.address, membership) : undefined,
    changes.limits ? setLimits(running.pid, desired, machine.cpus()) : undefined,
    changes.environment ? control.setEnvironment(running, { generation, environment: env }) : undefined,
  ]);
  const failed = done.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  adopted.save(id, { ...membership, generation });
  // The first who comes must not wait for a look at what has answered a moment ago.
  keeper.keep(changes.environment ? { ...running, isAwake: true } : running);
}
