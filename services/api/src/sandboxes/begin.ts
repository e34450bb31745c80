// Starts a new sandbox. The create transaction claims an instance of the warm pool; after the commit the api calls the
// runner directly, and the client gets its response when the sandbox is reachable. Without a warm instance the response
// waits for a started one, or is sent at once when none can be started.
import { resourceErrors } from '@berth/contract';
import {
  bootRevision,
  type Claimed,
  type ClaimResult,
  claimWarm,
  commitClaim,
  deployedMessage,
  findImage,
  loadAccountUsage,
  roomFor,
  SandboxSpec,
  sandboxImageName,
  sandboxReservedMb,
} from '@berth/instances';
import { openInstance } from '../nodes/desired-instances.ts';
import { type ResourceRow, resourceColumns } from '../resources/record.ts';
import type { Draft, RuleContext } from '../resources/rules.ts';
import { textOf } from '../rules/spec-fields.ts';
import { expiryOf } from './expiry.ts';
import { replaceDeadClaim } from './replace-dead-claim.ts';

/**
 * Maximum time for a runner to adopt an instance before the client gets its response anyway; by then the stream has
 * delivered it too.
 */
const maxAdoptionMs = 5_000;

export async function beginSandbox(context: RuleContext, row: ResourceRow, draft: Draft): Promise<ResourceRow> {
  const expiresAt = expiryOf(context, row);
  const isOver = expiresAt !== null && expiresAt.getTime() <= context.dependencies.now();
  const isWanted = row.spec.enabled !== false && !isOver;
  const { claimed, mayStart } = isWanted ? await claim(context, row) : { claimed: undefined, mayStart: false };
  if (claimed !== undefined) {
    draft.status = 'DEPLOYED';
    draft.events = [{ type: 'deployment', status: 'DEPLOYED', message: deployedMessage(claimed.spec.isolation) }];
    context.beforeCommit(() =>
      commitClaim(context.tx, claimed, context.workspace.account.id, context.dependencies.config),
    );
    context.beforeAnswer((answer) => adopt(context, row, claimed, answer));
  } else if (isWanted) {
    await requireRoom(context, row);
  }
  if (claimed === undefined && mayStart) {
    context.beforeAnswer((answer) => answerWhenDeployed(context, row.uid, answer));
  }
  if (claimed === undefined && expiresAt === null) return row;
  return context.tx
    .updateTable('resources')
    .set({ status: draft.status ?? null, expires_at: expiresAt })
    .where('uid', '=', row.uid)
    .returning(resourceColumns)
    .executeTakeFirstOrThrow();
}

/**
 * Refuses here, so that the caller gets the error at once. Takes no lock: many simultaneous creates may all pass, and
 * placement then starts only as many as the account has room for.
 */
async function requireRoom({ tx, workspace, dependencies }: RuleContext, { spec }: ResourceRow): Promise<void> {
  const { config, placement } = dependencies;
  const held = await loadAccountUsage(tx, workspace.account.id);
  const room = roomFor(held, workspace.account, config, sandboxReservedMb(SandboxSpec.parse(spec), placement));
  if (room.count < 1) throw resourceErrors.quota_exceeded(room.limit);
}

async function claim(
  { tx, workspace, dependencies, trace }: RuleContext,
  { uid, name, spec: stored }: ResourceRow,
): Promise<ClaimResult> {
  const { placement, config } = dependencies;
  const settings = { placement, brand: config.brand };
  const spec = SandboxSpec.parse(stored);
  const image = await findImage(tx, workspace, sandboxImageName(spec, placement) ?? '', settings);
  if ('fault' in image) return { claimed: undefined, mayStart: false };
  const sandbox = { uid, name, workspace: { id: workspace.id, name: workspace.name } };
  const region = textOf(stored.region) ?? '';
  return claimWarm(tx, { sandbox, spec, image, region, random: Math.random, traceparent: trace }, settings);
}

async function adopt(context: RuleContext, row: ResourceRow, claimed: Claimed, answer: unknown): Promise<unknown> {
  const { dependencies, workspace } = context;
  const { runner, id, generation, revision, spec } = claimed;
  const instance = { id, generation, workspace_id: workspace.id, revision, spec };
  // The sandbox is already committed: if anything fails from here on, the runner's stream delivers the instance.
  const desired = await openInstance(dependencies, instance).catch(() => undefined);
  const result = desired && (await dependencies.runners.call(runner, 'adopt', desired, maxAdoptionMs));
  if (result?.call === 'done' || result?.call === 'unchanged') return answer;
  dependencies.notifyInstances(runner.id);
  // An instance that was never adopted has no user data, so replacing it loses nothing.
  const isUnusable = result?.call === 'failed' || result?.call === 'unknown';
  if (!isUnusable) return answer;
  // A process that received the report of the instance's end may have replaced it already.
  if (!(await replaceDeadClaim(context, row.uid, bootRevision(1), id)))
    return (await context.readAgain(row.uid)) ?? answer;
  return answerWhenDeployed(context, row.uid, answer);
}

/**
 * Waits until the sandbox is deployed and returns its record; returns the given answer when it is still being deployed.
 */
export async function answerWhenDeployed(context: RuleContext, uid: string, answer: unknown): Promise<unknown> {
  const { config, deployments } = context.dependencies;
  const isDeployed = await deployments.waitUntilDeployed(uid, config.createWaitSeconds * 1_000, context.clientGone());
  return (isDeployed ? await context.readAgain(uid) : undefined) ?? answer;
}
