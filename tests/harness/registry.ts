// Container registries beside the fleet. They listen on every address, because the address that machines see is created
// later.
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { containerRegistry } from '../../engines/container-registry.ts';
import { callDocker } from '../../engines/docker-api.ts';
import { freePort } from '../../engines/free-port.ts';
import { tagImage } from '../../engines/import-image.ts';
import { runFolder } from '../../engines/run.ts';
import { wireAddresses } from '../../engines/wire.ts';

export interface Registry {
  /** Registry host as used in image references, seen from the first machine. */
  readonly host: string;
  readonly username: string;
  readonly password: string;
  stop(): Promise<void>;
}

export async function startRegistry(name: string): Promise<Registry> {
  const dataFolder = await mkdtemp(join(await runFolder(), `${containerRegistry.name}-${name}-`));
  const port = await freePort();
  const { url, stop } = await containerRegistry.start({ dataFolder, host: '0.0.0.0', port });
  const { username, password } = new URL(url);
  return { host: `${wireAddresses(1)[0]}:${port}`, username, password, stop };
}

/** Pushes the tiny image to the registry and removes the local name, so that the image has to be pulled. */
export async function pushTinyImage(dockerUrl: string, registry: Registry, name: string): Promise<void> {
  const { host, username, password } = registry;
  const reference = `${host}/${name}`;
  const [, repository = '', tag = 'latest'] = /^(.+?)(?::([^:/]+))?$/.exec(name) ?? [];
  await tagImage(dockerUrl, 'berth-tiny:latest', reference);
  const login = JSON.stringify({ username, password, serveraddress: host });
  const auth = Buffer.from(login).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  await callDocker(dockerUrl, `POST /images/${host}/${repository}/push?tag=${tag}`, {
    headers: { 'x-registry-auth': auth },
  });
  await callDocker(dockerUrl, `DELETE /images/${reference}`);
}
