import type { Operation } from '@berth/contract';
import { type Caller, StreamedAnswer } from './call.ts';
import type { ConnectionShares } from './connection-shares.ts';

/**
 * Key of the connection share: the account where the operation has one, so that several workspaces of one account do
 * not raise its limit.
 */
export function shareOf({ access }: Pick<Operation, 'access'>, caller: Caller): string {
  switch (access.kind) {
    case 'public':
      return '';
    case 'authenticated':
      return caller.principal.subject;
    case 'account':
    case 'workspace':
    case 'workspaceInPath':
      return caller.accountId;
  }
}

/**
 * Reads each chunk of a streamed listing within the account's share; while a slow client reads, the request holds no
 * connection.
 */
export function streamInShare(
  shares: ConnectionShares,
  key: string,
  { chunks, headers }: StreamedAnswer,
): StreamedAnswer {
  async function* paced(): AsyncGenerator<string> {
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await shares.run(key, () => iterator.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return new StreamedAnswer(paced(), headers);
}
