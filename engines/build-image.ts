import { execFileSync } from 'node:child_process';
import { bytesPerMb } from '@berth/contract/node';
import { importBaseImage } from './base-image.ts';
import { callDocker } from './docker-api.ts';

const maxContextBytes = 256 * bytesPerMb;
const bases = new Map<string, Promise<string[]>>();

/**
 * Builds the folder's Dockerfile on the engine at `url`. The base image is available as `BASE` and under the names that
 * the templates use.
 */
export async function buildImage(url: string, tag: string, folder: string): Promise<void> {
  const imported = bases.get(url) ?? importBaseImage(url);
  bases.set(url, imported);
  const [base = ''] = await imported;
  const body = execFileSync('tar', ['--create', '--directory', folder, '.'], { maxBuffer: maxContextBytes });
  const query = new URLSearchParams({ t: tag, networkmode: 'none', buildargs: JSON.stringify({ BASE: base }) });
  await callDocker(url, `POST /build?${query}`, { body, headers: { 'content-type': 'application/x-tar' } });
}
