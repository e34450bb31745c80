import type Docker from 'dockerode';
import { type Pull, PullFailed } from './driver.ts';
import { jsonLines } from './json-lines.ts';
import { hostOf, pullFailed } from './pull-fault.ts';
import { PullLine, PullProgress } from './pull-progress.ts';

export async function pullImage(docker: Docker, pull: Pull): Promise<void> {
  try {
    await follow(docker, pull);
  } catch (error) {
    if (error instanceof PullFailed) throw error;
    pull.signal?.throwIfAborted();
    throw pullFailed(pull.image, error instanceof Error ? error.message : String(error), error);
  }
}

async function follow(docker: Docker, { image, credentials, onProgress, signal }: Pull): Promise<void> {
  const options = {
    ...(credentials
      ? { authconfig: { username: credentials.username, password: credentials.password, serveraddress: hostOf(image) } }
      : {}),
    ...(signal ? { abortSignal: signal } : {}),
  };
  const progress = new PullProgress();
  for await (const line of jsonLines(await docker.pull(image, options), PullLine)) {
    // The response status was already a success; a later failure arrives as a line of the body.
    if (line.error !== undefined) throw pullFailed(image, line.error);
    const bytes = progress.take(line);
    if (bytes) onProgress(bytes);
  }
}
