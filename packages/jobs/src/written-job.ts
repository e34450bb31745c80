import type { JsonObject } from '@berth/database';

export interface WrittenJob {
  readonly uid: string;
  readonly workspaceId: string;
  /** The stored spec, with sealed secrets. */
  readonly spec: JsonObject;
}
