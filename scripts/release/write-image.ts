// The control plane as an image from nothing: Node.js with its loader and libraries, and the server. It is written as a layout of OCI that
// older engines of Docker load too, by their own manifest beside it. No program but Node.js is in it, and no shell.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { assets } from '@berth/release';
import type { TarSource } from 'modern-tar/fs';
import { contentAt, executable, fileAt, plain, sha256Of, sourcesBelow, writeArchive } from './write-archive.ts';

const user = 65_532;
const home = 'opt/berth';
const libraries = 'usr/lib/x86_64-linux-gnu';
const types = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

export interface ImageOptions {
  /** Of the release. */
  readonly folder: string;
  readonly version: string;
  readonly builtAt: Date;
  /** For files that become parts of the image. */
  readonly scratch: string;
}

export async function writeImage({ folder, version, builtAt, scratch }: ImageOptions, file: string): Promise<void> {
  const blobs = join(scratch, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const layers = [
    await writeLayer(await nodeFiles(folder, builtAt), blobs),
    await writeLayer(await serverFiles(folder, builtAt), blobs),
  ];
  const config = {
    created: builtAt.toISOString(),
    ...{ architecture: 'amd64', os: 'linux' },
    config: {
      User: `${user}:${user}`,
      Env: ['PATH=/usr/bin'],
      Entrypoint: ['/usr/bin/node', `/${home}/server/berth-server.js`],
      WorkingDir: '/',
      Labels: { 'org.opencontainers.image.title': 'berth', 'org.opencontainers.image.version': version },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ contentDigest }) => contentDigest) },
    history: layers.map(() => ({ created: builtAt.toISOString() })),
  };
  const configBlob = blobOf(config, types.config);
  const layerBlobs = layers.map(({ digest, size }) => ({ mediaType: types.layer, digest, size }));
  const manifest = {
    ...{ schemaVersion: 2, mediaType: types.manifest },
    ...{ config: configBlob.descriptor, layers: layerBlobs },
  };
  const manifestBlob = blobOf(manifest, types.manifest);
  const name = `berth:${version}`;
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${name}`,
    'org.opencontainers.image.ref.name': version,
  };
  const index = { schemaVersion: 2, manifests: [{ ...manifestBlob.descriptor, annotations }] };
  const forDocker = [
    {
      Config: pathOf(configBlob.descriptor.digest),
      RepoTags: [name],
      Layers: layers.map(({ digest }) => pathOf(digest)),
    },
  ];
  await writeArchive(
    [
      ...(await sourcesBelow(blobs, 'blobs/sha256/', builtAt)),
      ...[configBlob, manifestBlob].map(({ descriptor, text }) => contentAt(pathOf(descriptor.digest), text, builtAt)),
      contentAt('index.json', JSON.stringify(index), builtAt),
      contentAt('manifest.json', JSON.stringify(forDocker), builtAt),
      contentAt('oci-layout', '{"imageLayoutVersion":"1.0.0"}', builtAt),
    ],
    file,
  );
}

const pathOf = (digest: string): string => `blobs/${digest.replace(':', '/')}`;

function blobOf(value: unknown, mediaType: string) {
  const text = JSON.stringify(value);
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  return { text, descriptor: { mediaType, digest, size: Buffer.byteLength(text) } };
}

async function writeLayer(sources: readonly TarSource[], blobs: string) {
  const unnamed = join(blobs, 'layer.tar.gz');
  await writeArchive(sources, unnamed);
  const hash = createHash('sha256');
  await pipeline(createReadStream(unnamed), createGunzip(), hash);
  const digest = await sha256Of(unnamed);
  const { size } = await stat(unnamed);
  await rename(unnamed, join(blobs, digest));
  return { digest: `sha256:${digest}`, contentDigest: `sha256:${hash.digest('hex')}`, size };
}

async function nodeFiles(folder: string, mtime: Date): Promise<TarSource[]> {
  const found = await sourcesBelow(join(folder, 'guest/lib'), `${libraries}/`, mtime);
  return [
    contentAt('etc/passwd', `berth:x:${user}:${user}::/:/nonexistent\n`, mtime),
    contentAt('etc/group', `berth:x:${user}:\n`, mtime),
    fileAt(join(folder, 'guest/ld.so'), 'lib64/ld-linux-x86-64.so.2', executable, mtime),
    fileAt(join(folder, 'node/bin/node'), 'usr/bin/node', executable, mtime),
    ...found,
  ];
}

async function serverFiles(folder: string, mtime: Date): Promise<TarSource[]> {
  const parts = ['server/', ...assets];
  const below = await Promise.all(
    parts
      .filter((part) => part.endsWith('/'))
      .map((part) => sourcesBelow(join(folder, part), `${home}/${part}`, mtime)),
  );
  const files = ['LICENSE', 'THIRD-PARTY-LICENSES', 'sbom.cdx.json', ...parts.filter((part) => !part.endsWith('/'))];
  return [...below.flat(), ...files.map((path) => fileAt(join(folder, path), `${home}/${path}`, plain, mtime))];
}
