// What an earlier run of this runner left: instances that go on, the slots they stand in, and slots that nobody uses.
import type Docker from 'dockerode';
import { answered } from '../driver/docker-client.ts';
import { containerLabels } from '../driver/driver.ts';
import type { Membership } from './membership.ts';
import { findSlot, removeSlot } from './slot-container.ts';

export interface UsedAddress {
  readonly address: string;
  /** Absent while the one in it waits for an owner: it speaks to nobody. */
  readonly membership: Membership | undefined;
}

/** What is known of instances beside their labels, which cannot change. */
export type MembershipOf = (instance: string) => Membership | undefined;

/**
 * The addresses of instances, with their memberships, so that their connections go on while the runner starts.
 * Removes the other slots: whether one was used already can no longer be told, and each is used once.
 */
export async function takeStock(
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
    // What was noted first: a label names no VPC.
    membershipIn.set(slot, membershipOf(instance) ?? (workspaceId === undefined ? undefined : { workspaceId }));
  }
  const used: UsedAddress[] = [];
  for (const { Id } of ours.filter(({ Labels }) => containerLabels.slot in Labels)) {
    if (!membershipIn.has(Id)) {
      await removeSlot(docker, Id);
      continue;
    }
    // One that has ended is its instance's all the same, which may be started in it again.
    const slot = await findSlot(docker, Id, network);
    if (slot !== undefined) used.push({ address: slot.address, membership: membershipIn.get(Id) });
  }
  return used;
}
