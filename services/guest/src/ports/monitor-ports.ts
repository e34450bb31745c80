import { PortMonitorRequest } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { readJson } from '../http/read-body.ts';
import { processStat } from '../proc/proc-files.ts';
import { membersOf } from '../proc/process-members.ts';
import { callbackTarget } from './loopback-callback.ts';
import { monitorsOf } from './port-monitors.ts';
import { processIdentityOf, shownPid } from './process-identity.ts';

export async function monitorPorts(call: Call): Promise<void> {
  const pid = shownPid(call);
  const url = callbackTarget((await readJson(call, PortMonitorRequest)).callback);
  const process = await processIdentityOf(call.guest, pid);
  // The leader may be gone while other members of the process go on; finding those takes longer, so it comes second.
  if (processStat(process.pid) === undefined && membersOf(process).length === 0) {
    throw new Fault(404, `No process ${pid} is running. GET /process lists those that are.`);
  }
  monitorsOf(call.guest).add(pid, url);
  answerJson(call, { path: '', message: `Ports of process ${pid} are reported to ${url.origin} as they open.` });
}

export function endPortMonitor(call: Call): void {
  const pid = shownPid(call);
  monitorsOf(call.guest).remove(pid);
  answerJson(call, { path: '', message: `Ports of process ${pid} are no longer reported.` });
}
