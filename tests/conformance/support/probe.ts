// Calls any operation of the contract. Names in its path do not exist, except those that decide about access.
import type { Operation } from '@berth/contract';
import type { Answer, Client } from '../../harness/client.ts';

export interface Place {
  readonly workspace: string;
  readonly accountId?: string;
}

/** The operation's address in the form that the test client expects. */
export function addressOf({ path, base }: Operation, { workspace, accountId = 'absent' }: Place): string {
  const known = new Map([
    ['workspaceName', workspace],
    ['workspace', workspace],
    ['accountId', accountId],
  ]);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => known.get(name) ?? 'absent');
  return base === 'api_url' ? `/${filled}` : filled;
}

export const probe = (client: Client, operation: Operation, place: Place): Promise<Answer> =>
  client.send(operation.method, addressOf(operation, place), {});

export const scopesOf = ({ access }: Operation): readonly string[] => ('scopes' in access ? access.scopes : []);

/** The missing scope named in the answer; undefined when the caller was let in. */
export function missingScope({ status, body }: Answer): string | undefined {
  if (status !== 403 || body.error !== 'scope_required') return undefined;
  return /scope (\S+)\./.exec(body.message)?.[1] ?? 'unnamed';
}
