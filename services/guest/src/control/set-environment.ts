import { ControlEnvironmentRequest, type ReloadResponse } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { parseJson } from '../http/read-body.ts';
import { requireRunner } from './require-runner.ts';

/** Gives a sandbox that was started ahead of its owner the owner's variables. Idempotent. */
export async function controlEnvironment(call: Call): Promise<void> {
  const body = await requireRunner(call);
  const { generation, environment, replace } = parseJson(body, ControlEnvironmentRequest);
  const answer: ReloadResponse = await call.guest.environment.apply(generation, environment, replace ?? true);
  answerJson(call, answer);
}
