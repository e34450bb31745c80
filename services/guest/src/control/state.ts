import { type ControlState, controlVersions } from '@berth/contract/guest';
import { readBuildInfo } from '../build-info.ts';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { holdsOf } from './holds.ts';
import { requireRunner } from './require-runner.ts';

export async function controlState(call: Call): Promise<void> {
  await requireRunner(call);
  const { guest } = call;
  const state: ControlState = {
    versions: controlVersions,
    guestVersion: (await readBuildInfo(guest.settings)).version,
    instanceId: guest.settings.instanceId,
    ...(await holdsOf(guest)),
    idleMs: guest.activity.now().idleMs,
    environmentGeneration: guest.environment.generation,
  };
  answerJson(call, state);
}
