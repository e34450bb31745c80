// Applies a change of a sandbox to its running instance. Control-plane sheet 3.4, with the decisions: a new image or
// memory size starts a new boot and the content is lost; every other change is applied in place.
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, liveInstance } from '@berth/database';
import {
  bootOf,
  bootRevision,
  deployedMessage,
  SandboxSpec,
  sandboxImageName,
  sandboxInstanceSpec,
  sandboxMemoryMb,
} from '@berth/instances';
import { openInstance, StoredSpec } from '../nodes/desired-instances.ts';
import { type ResourceRow, resourceColumns } from '../resources/record.ts';
import type { Draft, RuleContext } from '../resources/rules.ts';
import { section, textOf } from '../rules/spec-fields.ts';
import { expiryOf } from './expiry.ts';

/** The same limit as for adoption. */
const maxChangeMs = 5_000;

/** Runs before the change is written: sets the new boot, the status and the events. */
export async function announceChange(context: RuleContext, draft: Draft, previous: ResourceRow): Promise<void> {
  const isEnabled = draft.spec.enabled !== false;
  const reason = newBootReason(context, draft.spec, previous);
  if (reason !== undefined) draft.state = { ...previous.state, boot: bootOf(previous.state) + 1 };
  if (!isEnabled) {
    if (previous.spec.enabled === false) return;
    draft.status = 'DEACTIVATED';
    draft.events.push({
      type: 'deactivation',
      status: 'DEACTIVATED',
      message: 'Not enabled; it takes no connections.',
    });
    return;
  }
  const isSwitchedOn = previous.spec.enabled === false;
  if (reason === undefined && !isSwitchedOn) return;
  const running = reason === undefined ? await findRunning(context, previous) : undefined;
  const isReady = running?.state === 'ready';
  draft.status = isReady ? 'DEPLOYED' : 'DEPLOYING';
  const waiting = isReady ? 'Enabled again.' : 'Waiting for a runner.';
  draft.events.push({ type: 'deployment', status: 'DEPLOYING', message: reason ?? waiting });
  if (running !== undefined && isReady)
    draft.events.push({ type: 'deployment', status: 'DEPLOYED', message: deployedMessage(running.spec.isolation) });
}

/** Reason for a new boot, shown to people; undefined when the running instance can stay. */
function newBootReason(
  { dependencies, query }: RuleContext,
  wanted: JsonObject,
  { spec, status }: ResourceRow,
): string | undefined {
  const { placement } = dependencies;
  const [before, after] = [SandboxSpec.parse(spec), SandboxSpec.parse(wanted)];
  if (query.restart === true) return 'Begins anew on request.';
  if (sandboxImageName(before, placement) !== sandboxImageName(after, placement))
    return 'Begins anew: its image was changed.';
  if (sandboxMemoryMb(before, placement) !== sandboxMemoryMb(after, placement))
    return 'Begins anew: its memory was changed.';
  const isChanged = !isDeepStrictEqual(section(spec, 'runtime'), section(wanted, 'runtime'));
  return status === 'FAILED' && isChanged ? 'Begins anew: what had failed was changed.' : undefined;
}

/** Runs after the change is written: gives the running instance a higher generation and recomputes the expiry. */
export async function applyChange(context: RuleContext, row: ResourceRow): Promise<ResourceRow> {
  const { tx, workspace, dependencies } = context;
  const running = await findRunning(context, row);
  if (running?.spec.mode === 'sandbox') {
    const { placement, config } = dependencies;
    // These values stay as they were when the instance started, because the operator's defaults may have changed since.
    const { image, imageSource = { origin: 'outside' }, isolation, port, memoryMb, cpus } = running.spec;
    const made = sandboxInstanceSpec(
      { uid: row.uid, name: row.name, workspace: { id: workspace.id, name: workspace.name } },
      SandboxSpec.parse(row.spec),
      { region: textOf(row.spec.region) ?? '', isolation, image: { image, source: imageSource } },
      { placement, brand: config.brand },
    );
    const { traceparent: _earlier, ...before } = running.spec;
    const after = { ...made, port, memoryMb, cpus };
    if (!isDeepStrictEqual(after, before)) {
      const spec = { ...after, traceparent: context.trace };
      await tx
        .updateTable('instances')
        .set({ spec: JSON.stringify(spec), generation: running.generation + 1 })
        .where('id', '=', running.id)
        .execute();
      context.beforeAnswer(async (answer) => {
        await sendToRunner(context, running, spec);
        return answer;
      });
    }
  }
  return setExpiry(context, row);
}

type Running = NonNullable<Awaited<ReturnType<typeof findRunning>>>;

/**
 * Calls the runner directly, so that the change is in effect when the client gets its response; an unreachable runner
 * receives it by its stream.
 */
async function sendToRunner(
  context: RuleContext,
  { id, runner, revision, generation }: Running,
  spec: unknown,
): Promise<void> {
  const { dependencies, workspace } = context;
  const changed = { id, generation: generation + 1, workspace_id: workspace.id, revision, spec };
  const result = await dependencies.runners.call(
    runner,
    'adopt',
    await openInstance(dependencies, changed),
    maxChangeMs,
  );
  if (result?.call !== 'done' && result?.call !== 'unchanged') dependencies.notifyInstances(runner.id);
}

async function setExpiry(context: RuleContext, row: ResourceRow): Promise<ResourceRow> {
  const expiresAt = expiryOf(context, row);
  if (expiresAt?.getTime() === row.expires_at?.getTime()) return row;
  return context.tx
    .updateTable('resources')
    .set({ expires_at: expiresAt })
    .where('uid', '=', row.uid)
    .returning(resourceColumns)
    .executeTakeFirstOrThrow();
}

/** Running instance of the current boot, locked. */
async function findRunning({ tx }: RuleContext, { uid, state }: ResourceRow) {
  const row = await tx
    .selectFrom('instances')
    .innerJoin('runners', 'runners.id', 'instances.runner_id')
    .select(['instances.id', 'instances.state', 'instances.revision', 'generation', 'spec'])
    .select(['runner_id', 'ingress_address', 'ingress_secret'])
    .where('resource_uid', '=', uid)
    .where('revision', '=', bootRevision(bootOf(state)))
    .where(liveInstance())
    .forUpdate('instances')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { id, revision, generation, state: instanceState } = row;
  const runner = { id: row.runner_id, ingressAddress: row.ingress_address, ingressSecret: row.ingress_secret };
  return { id, runner, revision, generation, state: instanceState, spec: StoredSpec.parse(row.spec) };
}
