import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { importBaseImage } from '../../../scripts/engines/base-image.ts';
import { callDocker } from '../../../scripts/engines/docker-api.ts';

/** Gives the engine at `url` the agent that says what it was asked, and returns its name. */
export async function buildEchoImage(dockerUrl: string): Promise<string> {
  const image = 'berth-echo:latest';
  const [base = ''] = await importBaseImage(dockerUrl);
  const body = execFileSync('tar', ['--create', '--directory', join(import.meta.dirname, 'echo'), '.']);
  const query = new URLSearchParams({ t: image, buildargs: JSON.stringify({ BASE: base }) });
  await callDocker(dockerUrl, `POST /build?${query}`, { body, headers: { 'content-type': 'application/x-tar' } });
  return image;
}
