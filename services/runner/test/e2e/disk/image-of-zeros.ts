// An image that is small in its registry and large on a disk: zeros compress by a factor of a thousand.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { bytesPerMb } from '@berth/contract/node';
import { tarHeader } from '../../../src/network/slots/tar.ts';

const block = 512;

/** Pushes the image to a registry without passwords and returns its name. */
export async function pushImageOfZeros(registryUrl: string, sizeMb: number): Promise<string> {
  const layer = layerOfZeros(sizeMb);
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: {},
      // Compared only after everything is unpacked, which no machine of the tests has room for.
      rootfs: { type: 'layers', diff_ids: [digest(layer)] },
    }),
  );
  for (const blob of [layer, config]) await pushBlob(registryUrl, blob);
  const type = 'application/vnd.docker.distribution.manifest.v2+json';
  const part = (mediaType: string, bytes: Buffer) => ({ mediaType, size: bytes.length, digest: digest(bytes) });
  const manifest = {
    schemaVersion: 2,
    mediaType: type,
    config: part('application/vnd.docker.container.image.v1+json', config),
    layers: [part('application/vnd.docker.image.rootfs.diff.tar.gzip', layer)],
  };
  const headers = { 'content-type': type };
  await ask(`${registryUrl}/v2/zeros/manifests/1`, { method: 'PUT', headers, body: JSON.stringify(manifest) });
  return `${new URL(registryUrl).host}/zeros:1`;
}

/** A tar with one file, as a sequence of gzip members: separately compressed parts may be concatenated. */
function layerOfZeros(sizeMb: number): Buffer {
  const zeros = gzipSync(Buffer.alloc(8 * bytesPerMb));
  const parts = Array.from({ length: Math.ceil(sizeMb / 8) }, () => zeros);
  const head = gzipSync(tarHeader('zeros', parts.length * 8 * bytesPerMb));
  return Buffer.concat([head, ...parts, gzipSync(Buffer.alloc(2 * block))]);
}

async function pushBlob(registryUrl: string, bytes: Buffer): Promise<void> {
  const begun = await ask(`${registryUrl}/v2/zeros/blobs/uploads/`, { method: 'POST' });
  const upload = new URL(begun.headers.get('location') ?? '', registryUrl);
  upload.searchParams.set('digest', digest(bytes));
  const headers = { 'content-type': 'application/octet-stream' };
  await ask(upload, { method: 'PUT', headers, body: new Uint8Array(bytes) });
}

async function ask(url: string | URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${init.method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}

const digest = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
