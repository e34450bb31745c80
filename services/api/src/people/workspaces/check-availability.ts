import type { checkWorkspaceAvailability } from '@berth/contract';
import type { ReadCall } from '../../http/call.ts';
import { type NameProblem, nameProblem } from './name-rules.ts';
import { accountKeepingName } from './released-names.ts';

export async function checkAvailability(call: ReadCall<typeof checkWorkspaceAvailability>): Promise<unknown> {
  const problem = nameProblem(call.body.name, call.dependencies.config.brand) ?? (await takenProblem(call));
  if (call.query.withReason !== true) return problem === undefined;
  return problem === undefined ? { available: true, message: '' } : { available: false, ...problem };
}

async function takenProblem({
  database,
  principal,
  body,
}: ReadCall<typeof checkWorkspaceAvailability>): Promise<NameProblem | undefined> {
  const { name } = body;
  const taken = await database.selectFrom('workspaces').select('id').where('name', '=', name).executeTakeFirst();
  const isFree = taken === undefined && (await mayUseAgain(database, principal.subject, name));
  return isFree ? undefined : { reason: 'taken', message: `${name} is taken. Choose another name.` };
}

async function mayUseAgain(database: ReadCall['database'], subject: string, name: string): Promise<boolean> {
  const keeper = await accountKeepingName(database, name);
  if (keeper === undefined) return true;
  const member = await database
    .selectFrom('account_members')
    .select('role')
    .where('account_id', '=', keeper)
    .where('user_id', '=', subject)
    .executeTakeFirst();
  return member?.role === 'admin';
}
