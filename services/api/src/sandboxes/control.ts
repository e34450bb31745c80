// Wakes and freezes a sandbox on request. The runner is called before the transaction, which then records the result:
// the next read agrees with it, and the audit log holds only actions that took place.
import { requestErrors, sandbox, startSandbox, stopSandbox } from '@berth/contract';
import type { RunnerCallAnswer, RunnerCallName } from '@berth/contract/node';
import type { Database } from '@berth/database';
import { type ReadCall, type Registration, type WriteCall, writeAfter } from '../http/call.ts';
import { present, ruleContext } from '../resources/create.ts';
import { findLive, type ResourceRow } from '../resources/record.ts';
import { sandboxErrors } from './errors.ts';

type Control = typeof startSandbox | typeof stopSandbox;
type Wish = Extract<RunnerCallName, 'wake' | 'sleep'>;

interface Done {
  readonly row: ResourceRow;
  readonly instance: string;
}

/** Waking waits for memory, freezing for the guest's consent. */
const answerMs = 20_000;

async function ask(call: ReadCall<Control>, wish: Wish): Promise<Done> {
  const { database, workspace, params, dependencies } = call;
  const name = params.sandboxName;
  const row = await findLive(database, { workspaceId: workspace.id, kind: sandbox.kind }, name);
  if (row === undefined) throw requestErrors.not_found();
  const running = await findReady(database, row.uid);
  if (row.status !== 'DEPLOYED' || running === undefined)
    throw sandboxErrors.sandbox_not_deployed({ name, status: row.status ?? '' });
  const { instance, ...runner } = running;
  const said = await dependencies.runners.call(runner, wish, { instance }, answerMs);
  judge(said, wish, name);
  return { row, instance };
}

function judge(said: RunnerCallAnswer | undefined, wish: Wish, name: string): void {
  switch (said?.call) {
    case 'done':
      return;
    case 'unchanged':
      throw wish === 'wake' ? sandboxErrors.sandbox_running({ name }) : sandboxErrors.sandbox_not_running({ name });
    case 'failed':
      throw sandboxErrors.sandbox_in_use({ name, reason: said.message ?? 'it could not be frozen.' });
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
    .where('ended_at', 'is', null)
    .where('desired', '=', 'running')
    .where('state', '=', 'ready')
    .executeTakeFirst();

async function record(call: WriteCall<Control>, { row, instance }: Done, awake: boolean): Promise<unknown> {
  call.target(`${sandbox.kind}/${row.name}`);
  await call.tx.updateTable('instances').set({ awake }).where('id', '=', instance).execute();
  const { metadata, status } = await present(call, await ruleContext(call, sandbox), row, []);
  return { message: `The sandbox ${row.name} is ${awake ? 'awake' : 'asleep'}.`, metadata, status };
}

export const sandboxHandlers: readonly Registration[] = [
  writeAfter(
    startSandbox,
    (call) => ask(call, 'wake'),
    (call, done) => record(call, done, true),
  ),
  writeAfter(
    stopSandbox,
    (call) => ask(call, 'sleep'),
    (call, done) => record(call, done, false),
  ),
];
