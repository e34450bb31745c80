import type Docker from 'dockerode';
import { type Pull, PullFailed } from './driver.ts';
import { registryOf } from './image-reference.ts';
import { jsonLines } from './json-lines.ts';
import { pullFailed } from './pull-fault.ts';
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
    ...(credentials ? { authconfig: { ...credentials, serveraddress: registryOf(image) } } : {}),
    ...(signal ? { abortSignal: signal } : {}),
  };
  const progress = new PullProgress();
  for await (const line of jsonLines(await docker.pull(image, options), PullLine)) {
    // The answer began as a success; a failure comes later, as a line of it.
    if (line.error !== undefined) throw pullFailed(image, line.error);
    const bytes = progress.take(line);
    if (bytes) onProgress(bytes);
  }
}
