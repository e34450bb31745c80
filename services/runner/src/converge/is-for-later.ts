import type { DesiredInstance } from '@berth/contract';

/** A sandbox that has no owner yet: nobody waits for it. */
export const isForLater = ({ sandbox, workspaceId }: DesiredInstance): boolean =>
  sandbox !== undefined && workspaceId === undefined;
