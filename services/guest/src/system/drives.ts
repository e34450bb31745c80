// Drives have no storage behind them yet: none is mounted, and a request to mount one is answered with 501.
import { type DriveMountList, DriveMountRequest } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { readJson } from '../http/read-body.ts';
import { resolveTree } from '../paths.ts';

export function listDrives(call: Call): void {
  const answer: DriveMountList = { mounts: [] };
  answerJson(call, answer);
}

export async function mountDrive(call: Call): Promise<void> {
  const { driveName } = await readJson(call, DriveMountRequest);
  throw new Fault(
    501,
    `There is no drive storage on this deployment yet, so ${driveName} cannot be mounted. ` +
      'Keep files in the sandbox; they are lost when it is deleted.',
  );
}

export function unmountDrive(call: Call): never {
  const { absolute } = resolveTree(call.rest);
  if (absolute === '/') throw new Fault(400, 'Name the path to unmount: DELETE /drives/mount/<path>.');
  throw new Fault(404, `Nothing is mounted at ${absolute}. GET /drives/mount lists what is.`);
}
