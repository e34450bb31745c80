import type { DesiredInstance } from '@berth/contract';

/** True for a warm sandbox: it has no owner yet, so no caller waits for it. */
export const isForLater = ({ sandbox, workspaceId }: DesiredInstance): boolean =>
  sandbox !== undefined && workspaceId === undefined;
