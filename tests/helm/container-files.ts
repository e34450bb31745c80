// Files that a container mounts, below a folder of this machine. The arguments and variables then name them there.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type KubernetesObject, ofKind, type PodSpec } from './objects.ts';

/** Values of Secrets, by `name/key`. */
export type SecretValues = Readonly<Record<string, string>>;

export interface PlacedContainer {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file that `--config` names. */
  readonly config: string;
}

export async function placeContainer(
  pod: PodSpec,
  objects: readonly KubernetesObject[],
  secrets: SecretValues,
  root: string,
): Promise<PlacedContainer> {
  const [container] = pod.containers;
  if (container === undefined) throw new Error('The pod has no container.');
  for (const { name, mountPath, subPath } of container.volumeMounts) {
    const files = filesOf(pod, name, objects, secrets);
    for (const [path, content] of Object.entries(files)) {
      if (subPath !== undefined && subPath !== path) continue;
      const target = join(root, subPath === undefined ? join(mountPath, path) : mountPath);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
    }
  }
  const below = (text: string): string => (text.startsWith('/') ? join(root, text) : text);
  const args = container.args.map(below);
  const env = Object.fromEntries(container.env.map(({ name, value }) => [name, below(value)]));
  return { args, env, config: args[args.indexOf('--config') + 1] ?? '' };
}

function filesOf(
  pod: PodSpec,
  name: string,
  objects: readonly KubernetesObject[],
  secrets: SecretValues,
): Readonly<Record<string, string>> {
  const volume = pod.volumes.find((each) => each.name === name);
  if (volume === undefined) throw new Error(`There is no volume ${name}.`);
  if (volume.configMap !== undefined) {
    const configMap = ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name === volume.configMap?.name);
    if (configMap === undefined) throw new Error(`There is no ConfigMap ${volume.configMap.name}.`);
    return configMap.data;
  }
  const sources = volume.projected?.sources ?? [];
  return Object.fromEntries(
    sources.flatMap(({ secret }) =>
      secret.items.map(({ key, path }) => {
        const value = secrets[`${secret.name}/${key}`];
        if (value === undefined) throw new Error(`There is no Secret ${secret.name} with a key ${key}.`);
        return [path, value];
      }),
    ),
  );
}
