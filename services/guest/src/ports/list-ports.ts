import type { ProcessPorts } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { membersOf } from '../proc/process-members.ts';
import { processIdentityOf, shownPid } from './process-identity.ts';
import { socketsOf } from './served-ports.ts';

/** An unknown pid serves nothing: the list is empty. */
export async function listPorts(call: Call): Promise<void> {
  const pid = shownPid(call);
  const ports = socketsOf(membersOf(await processIdentityOf(call.guest, pid)));
  answerJson(call, { pid, ports } satisfies ProcessPorts);
}
