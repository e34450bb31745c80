import { callDocker } from '../../../scripts/engines/docker-api.ts';
import { tagImage } from '../../../scripts/engines/import-image.ts';

/** Gives the registry the tiny image and removes the name here, so that it has to be pulled. */
export async function pushTinyImage(dockerUrl: string, registry: URL, name: string): Promise<string> {
  const reference = `${registry.host}/${name}`;
  const [, repository = '', tag = 'latest'] = /^(.+?)(?::([^:/]+))?$/.exec(name) ?? [];
  await tagImage(dockerUrl, 'berth-tiny:latest', reference);
  const login = { username: registry.username, password: registry.password, serveraddress: registry.host };
  const auth = Buffer.from(JSON.stringify(login)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  await callDocker(dockerUrl, `POST /images/${registry.host}/${repository}/push?tag=${tag}`, {
    headers: { 'x-registry-auth': auth },
  });
  await callDocker(dockerUrl, `DELETE /images/${reference}`);
  return reference;
}
