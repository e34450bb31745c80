// Orphans: instances on a machine that its deployment does not know, because it was restored from a backup that is older
// than they are. A runner keeps them until the operator orders their removal.
import { z } from 'zod';

export const Orphan = z.object({
  instance: z.uuid(),
  /** Absent where the runner knows of no owner. */
  workspaceId: z.uuid().optional(),
  isSandbox: z.boolean(),
});
export type Orphan = z.infer<typeof Orphan>;

/** All orphans of the runner; those that it named before and does not name any more are gone. */
export const OrphanReport = z.object({ session: z.int(), orphans: z.array(Orphan).max(10_000) });
export type OrphanReport = z.infer<typeof OrphanReport>;
