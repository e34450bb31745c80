import type { checkWorkspaceAvailability } from '@berth/contract';
import type { ReadCall } from '../http/call.ts';
import { type NameProblem, nameProblem } from './name-rules.ts';

export async function checkAvailability(call: ReadCall<typeof checkWorkspaceAvailability>): Promise<unknown> {
  const problem = nameProblem(call.body.name, call.dependencies.config.brand) ?? (await takenProblem(call));
  if (call.query.withReason !== true) return problem === undefined;
  return problem === undefined ? { available: true, message: '' } : { available: false, ...problem };
}

async function takenProblem({
  database,
  body,
}: ReadCall<typeof checkWorkspaceAvailability>): Promise<NameProblem | undefined> {
  const { name } = body;
  const taken = await database.selectFrom('workspaces').select('id').where('name', '=', name).executeTakeFirst();
  return taken === undefined ? undefined : { reason: 'taken', message: `${name} is taken. Choose another name.` };
}
