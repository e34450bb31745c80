// Network membership of an instance: its workspace, and which of its ports its peers may reach.
import type { DesiredInstance } from '@berth/contract/node';

type Vpc = NonNullable<DesiredInstance['vpc']>;
export type PeerPort = Vpc['ports'][number];

export interface Membership {
  readonly workspaceId: string;
  /** If absent, the instance neither reaches other instances nor is reached by them. */
  readonly vpc?: Vpc | undefined;
}

/** Undefined for a warm instance, which has no network yet. */
export function membershipOf(desired: DesiredInstance): Membership | undefined {
  const { workspaceId, vpc } = desired;
  if (workspaceId === undefined) return undefined;
  if (vpc === undefined) return { workspaceId };
  // A caller that reaches the guest's port can run commands in the sandbox. Only the machine may reach it, even if
  // the port was declared.
  const ports = desired.mode === 'sandbox' ? vpc.ports.filter(({ port }) => port !== desired.port) : vpc.ports;
  return { workspaceId, vpc: { ...vpc, ports } };
}
