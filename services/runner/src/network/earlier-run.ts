// State left by an earlier run of this runner: instances that go on, the slots they use, and unused slots.
import type Docker from 'dockerode';
import { answered } from '../driver/docker-client.ts';
import { containerLabels } from '../driver/driver.ts';
import type { Membership } from './rules/membership.ts';
import { findSlot, removeSlot } from './slots/slot-container.ts';

export interface UsedAddress {
  readonly address: string;
  /** Undefined while the instance in the slot waits for an owner; it has no network access then. */
  readonly membership: Membership | undefined;
}

/** Looks up the membership that is recorded for an instance beside its labels, which cannot change. */
export type MembershipOf = (instance: string) => Membership | undefined;

/**
 * Returns the addresses of instances with their memberships, so that their connections go on while the runner starts.
 * Removes the other slots: each is used once, and whether one was used already is no longer known.
 */
export async function recoverEarlierRun(
  docker: Docker,
  runnerId: string,
  network: string,
  membershipOf: MembershipOf,
): Promise<UsedAddress[]> {
  const filters = { label: [`${containerLabels.runner}=${runnerId}`] };
  const ours = await answered(docker.listContainers({ all: true, filters }));
  const membershipIn = new Map<string, Membership | undefined>();
  for (const { Labels, HostConfig } of ours) {
    const [kind, slot] = HostConfig.NetworkMode.split(':');
    const instance = Labels[containerLabels.instance];
    if (kind !== 'container' || slot === undefined || instance === undefined) continue;
    const workspaceId = Labels[containerLabels.workspace];
    // The recorded membership wins, because a label names no VPC.
    membershipIn.set(slot, membershipOf(instance) ?? (workspaceId === undefined ? undefined : { workspaceId }));
  }
  const used: UsedAddress[] = [];
  for (const { Id } of ours.filter(({ Labels }) => containerLabels.slot in Labels)) {
    if (!membershipIn.has(Id)) {
      await removeSlot(docker, Id);
      continue;
    }
    // A slot that has ended still belongs to its instance, which may be started in it again.
    const slot = await findSlot(docker, Id, network);
    if (slot !== undefined) used.push({ address: slot.address, membership: membershipIn.get(Id) });
  }
  return used;
}
