import { readFile } from 'node:fs/promises';
import { EnvironmentGeneration, type ReloadResponse } from '@berth/contract/guest';
import { requireRunner } from '../control/require-runner.ts';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { Fault, systemCode } from '../http/fault.ts';

/** Reads the host's document again. New processes get its variables, running ones keep theirs. */
export async function reloadEnvironment(call: Call): Promise<void> {
  await requireRunner(call);
  const { generation, environment } = await readDocument(call.guest.settings.metadataPath);
  const answer: ReloadResponse = await call.guest.environment.apply(generation, environment);
  answerJson(call, answer);
}

async function readDocument(path: string | undefined): Promise<EnvironmentGeneration> {
  if (!path) throw new Fault(404, 'The host provides no document of variables for this sandbox. Send them instead.');
  try {
    const parsed = EnvironmentGeneration.safeParse(JSON.parse(await readFile(path, 'utf8')));
    if (parsed.success) return parsed.data;
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') {
      throw new Fault(404, `The host has not written ${path} yet. Write it, then ask again.`, { cause });
    }
    throw unreadable(path, cause);
  }
  throw unreadable(path, undefined);
}

const unreadable = (path: string, cause: unknown) =>
  new Fault(500, `${path} cannot be read as {generation, environment}. Write it again.`, { cause });
