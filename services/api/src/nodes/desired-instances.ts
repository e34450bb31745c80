// Desired instances of a runner, from the database, in the format of the node protocol.
import { parseImageReference, registryOf } from '@berth/contract';
import { type DesiredInstance, type ImageSource, InstanceSpec } from '@berth/contract/node';
import { unendedInstance } from '@berth/database';
import { openEnv, SealedEnv } from '@berth/identity';
import { sql } from 'kysely';
import { z } from 'zod';
import type { ApiConfig } from '../config.ts';
import { isListed } from '../images/allowed-registries.ts';
import type { NodeContext } from './node-context.ts';

/** `instances.spec`. */
export const StoredSpec = InstanceSpec.and(z.object({ env: SealedEnv }));

export type Desired = 'running' | 'leaving' | 'gone';

export interface DesiredRow {
  readonly id: string;
  /** Generation of the instance's spec; a higher one is sent to the runner again. */
  readonly generation: number;
  readonly desired: Desired;
  /**
   * True when the runner has confirmed this generation because the api called it directly, so the stream need not send
   * it.
   */
  readonly isApplied: boolean;
}

export function loadDesiredRows({ database }: NodeContext, runnerId: string): Promise<DesiredRow[]> {
  return database
    .selectFrom('instances')
    .select(['id', 'generation', 'desired', sql<boolean>`applied_generation >= generation`.as('isApplied')])
    .where('runner_id', '=', runnerId)
    .where(unendedInstance())
    .execute();
}

/** Loads instances with their secrets opened; they are sent to the runner and nowhere else. */
export async function loadInstances(context: NodeContext, ids: readonly string[]): Promise<DesiredInstance[]> {
  if (ids.length === 0) return [];
  const rows = await context.database
    .selectFrom('instances')
    .select(['id', 'generation', 'workspace_id', 'revision', 'spec'])
    .where('id', 'in', ids)
    .where('desired', '=', 'running')
    .orderBy('created_at')
    .execute();
  const opened = await Promise.all(rows.map((row) => open(context, row)));
  return opened.filter((instance) => instance !== undefined);
}

async function workspaceExists(database: NodeContext['database'], id: string): Promise<boolean> {
  const row = await database.selectFrom('workspaces').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

export interface StoredInstance {
  readonly id: string;
  readonly generation: number;
  readonly workspace_id: string | null;
  readonly revision: string;
  readonly spec: unknown;
}

/**
 * Undefined when the workspace was deleted in the meantime, and its data key with it: the instance is about to be
 * retired.
 */
async function open(context: NodeContext, row: StoredInstance): Promise<DesiredInstance | undefined> {
  const { id, workspace_id: workspaceId } = row;
  try {
    return await openInstance({ ...context, config: context.dependencies.config }, row);
  } catch (err) {
    // Skips the instance only if its workspace is gone: a runner removes instances that are not in the list, so a
    // database error must not cost a running instance.
    if (workspaceId === null || (await workspaceExists(context.database, workspaceId))) throw err;
    context.logger.info(
      { instance: id, workspaceId },
      'instance skipped because its workspace was deleted; it is retired soon',
    );
    return undefined;
  }
}

interface OpenContext extends Pick<NodeContext, 'database' | 'keyring'> {
  readonly config: Pick<ApiConfig, 'allowedRegistries'>;
}

/** Source of the image with the current list of allowed registries, which only the api knows. */
function currentSource(
  { image, imageSource = { origin: 'outside' } }: InstanceSpec,
  { allowedRegistries }: OpenContext['config'],
): ImageSource {
  const reference = parseImageReference(image);
  const listed = reference !== undefined && isListed(registryOf(reference), allowedRegistries);
  return listed ? { ...imageSource, isListed: true } : imageSource;
}

export async function openInstance(
  { database, keyring, config }: OpenContext,
  { id, generation, workspace_id, revision, spec }: StoredInstance,
): Promise<DesiredInstance> {
  const { env, ...stored } = z.parse(StoredSpec, spec);
  const rest = { ...stored, imageSource: currentSource(stored, config) };
  // An instance in the warm pool has no owner and holds no secret.
  if (workspace_id === null) return { ...rest, id, generation, revision, env: openEnv(env, Buffer.alloc(0)) };
  const secret = env.some((entry) => 'sealed' in entry);
  const key = secret ? await keyring.workspaceKey(database, workspace_id) : Buffer.alloc(0);
  return { ...rest, id, generation, workspaceId: workspace_id, revision, env: openEnv(env, key) };
}
