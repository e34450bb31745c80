import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { importBaseImage } from '../../scripts/engines/base-image.ts';
import { callDocker } from '../../scripts/engines/docker-api.ts';

const folder = fileURLToPath(new URL('../e2e/inference/echo/', import.meta.url));

/** An agent that answers with what it was asked and with its WORD; returns the image's name. */
export async function buildEchoImage(dockerUrl: string): Promise<string> {
  const image = 'berth-echo:latest';
  const [base = ''] = await importBaseImage(dockerUrl);
  const body = execFileSync('tar', ['--create', '--directory', folder, '.']);
  const query = new URLSearchParams({ t: image, buildargs: JSON.stringify({ BASE: base }) });
  await callDocker(dockerUrl, `POST /build?${query}`, { body, headers: { 'content-type': 'application/x-tar' } });
  return image;
}
