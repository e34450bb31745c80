// Reserves a persistent volume for one workload at a time, from the workload's creation to its deletion. Control-plane
// sheet 3.6. The holder is stored but not shown as `attachedTo`, because nothing is mounted until there is storage.
import { resourceErrors } from '@berth/contract';
import { type JsonObject, liveResource } from '@berth/database';
import { sql } from 'kysely';
import { addEvent } from '../resources/events.ts';
import type { ResourceRow } from '../resources/record.ts';
import { resourceColumns } from '../resources/record.ts';
import type { RuleContext } from '../resources/rules.ts';
import { kindErrors } from './errors.ts';
import { objectsOf, textOf, without } from './spec-fields.ts';

export interface Workload {
  readonly kind: 'sandbox' | 'agent';
  readonly name: string;
}

const holderOf = ({ kind, name }: Workload): string => `${kind}:${name}`;

export const persistentVolumes = (spec: JsonObject): string[] => [
  ...new Set(
    objectsOf(spec.volumes)
      .filter(({ type }) => type !== 'ephemeral')
      .flatMap(({ name }) => textOf(name) ?? []),
  ),
];

/**
 * Locks volumes in order of their names, so that two workloads that use the same volumes wait instead of deadlocking.
 */
async function lockVolumes({ tx, workspace }: RuleContext, names: readonly string[]): Promise<ResourceRow[]> {
  if (names.length === 0) return [];
  return tx
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', workspace.id)
    .where('kind', '=', 'volume')
    .where('name', 'in', [...names])
    .where(liveResource())
    .orderBy('name')
    .forUpdate()
    .execute();
}

export async function attachVolumes(
  context: RuleContext,
  workload: Workload,
  region: string,
  names: readonly string[],
): Promise<void> {
  const field = 'spec.volumes';
  const holder = holderOf(workload);
  const volumes = await lockVolumes(context, names);
  const missing = names.find((name) => !volumes.some((volume) => volume.name === name));
  if (missing !== undefined) throw resourceErrors.unknown_reference({ field, kind: 'volume', name: missing });
  for (const { name, spec, state } of volumes) {
    const there = textOf(spec.region) ?? '';
    if (there !== region) throw kindErrors.other_region({ field, kind: 'volume', name, there, here: region });
    const attachedTo = textOf(state?.attachedTo);
    if (attachedTo !== undefined && attachedTo !== holder) throw kindErrors.volume_attached({ name, attachedTo });
  }
  for (const volume of volumes) {
    await setHolder(context, volume, { ...volume.state, attachedTo: holder });
    await addEvent(context.tx, volume.uid, {
      type: 'attach',
      message: `Reserved for ${holder}. It is not mounted: this deployment has no storage yet.`,
    });
  }
}

export async function detachVolumes(context: RuleContext, workload: Workload, names: readonly string[]): Promise<void> {
  const holder = holderOf(workload);
  for (const volume of await lockVolumes(context, names)) {
    if (volume.state?.attachedTo !== holder) continue;
    await setHolder(context, volume, without(volume.state, 'attachedTo'));
    await addEvent(context.tx, volume.uid, { type: 'detach', message: `No longer reserved for ${holder}.` });
  }
}

async function setHolder({ tx }: RuleContext, { uid }: ResourceRow, state: JsonObject): Promise<void> {
  await tx
    .updateTable('resources')
    .set({ state: JSON.stringify(state), updated_at: sql`now()` })
    .where('uid', '=', uid)
    .execute();
}
