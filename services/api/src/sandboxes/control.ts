// Wakes and freezes a sandbox on request. The runner is called before the transaction, which then records the result:
// the next read agrees with it, and the audit log holds only actions that took place.
import { requestErrors, sandbox, startSandbox, stopSandbox } from '@berth/contract';
import type { RunnerCallAnswer, RunnerCallName } from '@berth/contract/node';
import { type Database, liveInstance } from '@berth/database';
import { type ReadCall, type Registration, type WriteCall, writeAfter } from '../http/call.ts';
import { present } from '../resources/present.ts';
import { findLive, type ResourceRow } from '../resources/record.ts';
import { ruleContext } from '../resources/rule-context.ts';
import { sandboxErrors } from './errors.ts';
import { sandboxRules } from './rules.ts';

type Control = typeof startSandbox | typeof stopSandbox;
type ControlCall = Extract<RunnerCallName, 'wake' | 'sleep'>;

interface Controlled {
  readonly row: ResourceRow;
  readonly instance: string;
}

/** Waking waits for memory, freezing for the guest's consent. */
const maxAnswerMs = 20_000;

async function callRunner(call: ReadCall<Control>, control: ControlCall): Promise<Controlled> {
  const { database, workspace, params, dependencies } = call;
  const name = params.sandboxName;
  const row = await findLive(database, { workspaceId: workspace.id, kind: sandbox.kind }, name);
  if (row === undefined) throw requestErrors.not_found();
  const running = await findReady(database, row.uid);
  if (row.status !== 'DEPLOYED' || running === undefined)
    throw sandboxErrors.sandbox_not_deployed({ name, status: row.status ?? '' });
  const { instance, ...runner } = running;
  const result = await dependencies.runners.call(runner, control, { instance }, maxAnswerMs);
  requireDone(result, control, name);
  return { row, instance };
}

function requireDone(result: RunnerCallAnswer | undefined, control: ControlCall, name: string): void {
  switch (result?.call) {
    case 'done':
      return;
    case 'unchanged':
      throw control === 'wake' ? sandboxErrors.sandbox_running({ name }) : sandboxErrors.sandbox_not_running({ name });
    case 'failed':
      throw sandboxErrors.sandbox_in_use({ name, reason: result.message ?? 'it could not be frozen.' });
    default:
      throw sandboxErrors.sandbox_unreachable({ name });
  }
}

const findReady = (database: Database, uid: string) =>
  database
    .selectFrom('instances')
    .innerJoin('runners', 'runners.id', 'instances.runner_id')
    .select([
      'instances.id as instance',
      'runners.id',
      'runners.ingress_address as ingressAddress',
      'runners.ingress_secret as ingressSecret',
    ])
    .where('resource_uid', '=', uid)
    .where(liveInstance())
    .where('state', '=', 'ready')
    .executeTakeFirst();

async function record(call: WriteCall<Control>, { row, instance }: Controlled, awake: boolean): Promise<unknown> {
  call.target(`${sandbox.kind}/${row.name}`);
  await call.tx.updateTable('instances').set({ awake }).where('id', '=', instance).execute();
  const { metadata, status } = await present(call, sandboxRules, await ruleContext(call, sandboxRules), row, []);
  return { message: `The sandbox ${row.name} is ${awake ? 'awake' : 'asleep'}.`, metadata, status };
}

export const sandboxHandlers: readonly Registration[] = [
  writeAfter(
    startSandbox,
    (call) => callRunner(call, 'wake'),
    (call, done) => record(call, done, true),
  ),
  writeAfter(
    stopSandbox,
    (call) => callRunner(call, 'sleep'),
    (call, done) => record(call, done, false),
  ),
];
