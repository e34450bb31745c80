import type { JsonObject } from '@berth/database';
import { JobSpec, volumesFault } from '@berth/instances';
import { jobErrors } from './errors.ts';

const WithVolumes = JobSpec.pick({ volumes: true });

/** Refuses volumes that a task with this memory cannot have. */
export function checkVolumes({ volumes }: JsonObject, memoryMb: number): void {
  const reason = volumesFault(WithVolumes.parse({ volumes: volumes ?? [] }), memoryMb);
  if (reason !== undefined) throw jobErrors.volumes_refused({ reason });
}
