// What an earlier run of this runner left: instances that go on, the slots they stand in, and slots that nobody uses.
import type Docker from 'dockerode';
import { answered } from '../driver/docker-client.ts';
import { containerLabels } from '../driver/driver.ts';
import { findSlot, removeSlot } from './slot-container.ts';

export interface UsedSlot {
  readonly address: string;
  readonly workspaceId: string;
}

/**
 * The addresses of instances, with their workspaces, so that they go on speaking to each other while the runner starts.
 * Removes the other slots: whether one was used already can no longer be told, and each is used once.
 */
export async function takeStock(docker: Docker, runnerId: string, network: string): Promise<UsedSlot[]> {
  const filters = { label: [`${containerLabels.runner}=${runnerId}`] };
  const ours = await answered(docker.listContainers({ all: true, filters }));
  const workspaceOf = new Map<string, string>();
  for (const { Labels, HostConfig } of ours) {
    const [kind, slot] = HostConfig.NetworkMode.split(':');
    const workspace = Labels[containerLabels.workspace];
    if (kind === 'container' && slot !== undefined && workspace !== undefined) workspaceOf.set(slot, workspace);
  }
  const used: UsedSlot[] = [];
  for (const { Id } of ours.filter(({ Labels }) => containerLabels.slot in Labels)) {
    const workspaceId = workspaceOf.get(Id);
    const slot = workspaceId === undefined ? undefined : await findSlot(docker, Id, network);
    if (slot === undefined || workspaceId === undefined) await removeSlot(docker, Id);
    else used.push({ address: slot.address, workspaceId });
  }
  return used;
}
