// What the table needs to know of an instance: whose it is, and which of its ports its peers may reach.
import type { DesiredInstance } from '@berth/contract';

type Vpc = NonNullable<DesiredInstance['vpc']>;
export type PeerPort = Vpc['ports'][number];

export interface Membership {
  readonly workspaceId: string;
  /** Absent: it neither reaches nor is reached by any other instance. */
  readonly vpc?: Vpc | undefined;
}

/** Undefined for a warm instance, which has no network yet. */
export function membershipOf({ workspaceId, vpc, sandbox, port }: DesiredInstance): Membership | undefined {
  if (workspaceId === undefined) return undefined;
  if (vpc === undefined) return { workspaceId };
  // Whoever reaches the guest's port runs commands in the sandbox: it is the machine's alone, whatever was declared.
  const ports = sandbox === undefined ? vpc.ports : vpc.ports.filter((each) => each.port !== port);
  return { workspaceId, vpc: { ...vpc, ports } };
}
