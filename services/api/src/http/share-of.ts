import type { Operation } from '@berth/contract';
import { type Caller, StreamedAnswer } from './call.ts';
import type { ConnectionShares } from './connection-shares.ts';

/** The account where the operation has one: its workspaces are no way around the limit. */
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

/** A listing that is written piece by piece asks for each piece within its share; a client that reads slowly holds nothing. */
export function streamInShare(shares: ConnectionShares, key: string, { chunks }: StreamedAnswer): StreamedAnswer {
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
  return new StreamedAnswer(paced());
}
