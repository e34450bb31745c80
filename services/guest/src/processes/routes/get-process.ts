import { answerJson } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { findProcess } from './find-process.ts';

export async function getProcess(call: Call): Promise<void> {
  const process = await findProcess(call);
  answerJson(call, await process.describe('whole'));
}
