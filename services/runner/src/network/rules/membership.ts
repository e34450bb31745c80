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
export function membershipOf({ workspaceId, vpc, sandbox, port }: DesiredInstance): Membership | undefined {
  if (workspaceId === undefined) return undefined;
  if (vpc === undefined) return { workspaceId };
  // A caller that reaches the guest's port can run commands in the sandbox. Only the machine may reach it, even if
  // the port was declared.
  const ports = sandbox === undefined ? vpc.ports : vpc.ports.filter((each) => each.port !== port);
  return { workspaceId, vpc: { ...vpc, ports } };
}
