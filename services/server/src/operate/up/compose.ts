// The services of compose.yaml. Compose makes a container again when the state in its label changes.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { type ImageNames, imageNames } from '../install/image-names.ts';
import { requireDeployment } from '../install/require-record.ts';
import { removeContainer, type ServiceContainer, serviceContainers } from '../machine/docker.ts';
import { controlServices, engineServices, servicesOf } from '../machine/services.ts';
import { readIfThere, writeWholeFile } from '../machine/write-file.ts';
import { edgeFiles } from '../settings/caddyfile.ts';
import type { UpContext } from './up-context.ts';
import { hashOf } from './write-settings.ts';

export interface ServiceStates {
  readonly BERTH_ENGINES_STATE: string;
  readonly BERTH_SERVICES_STATE: string;
  readonly BERTH_EDGE_STATE: string;
}
export type StateVariable = keyof ServiceStates;

/** Form of `docker compose --env-file`. */
export const composeVariables = (images: ImageNames, states: ServiceStates): string =>
  Object.entries({ ...images, ...states })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const deployFolder = ({ places }: Pick<UpContext, 'places'>): string => join(places.currentRelease, 'deploy');
const composeFile = (context: Pick<UpContext, 'places'>): string => join(deployFolder(context), 'compose/compose.yaml');
/** What the engines read. */
const engineFiles = [
  'compose/clickhouse.xml',
  'engines/clickhouse.xml',
  'engines/postgres.conf',
  'engines/restate.toml',
];

async function serviceStates(context: UpContext): Promise<ServiceStates> {
  const { places, release } = context;
  const definitions = Compose.parse(parse(await readFile(composeFile(context), 'utf8'), { merge: true })).services;
  const settingsOfEngines = await Promise.all(
    engineFiles.map((name) => readFile(join(deployFolder(context), name), 'utf8')),
  );
  const edge = ['Caddyfile', ...Object.values(edgeFiles)].map((name) => readIfThere(join(places.caddy, name)));
  const accounts = await readIfThere(places.clickhouseUsers);
  const images = imagesOf(context);
  // Another version alone must not restart engines and edge.
  const engines = [images.BERTH_POSTGRES_IMAGE, images.BERTH_RESTATE_IMAGE, images.BERTH_CLICKHOUSE_IMAGE];
  const textOf = (services: readonly string[]): string => JSON.stringify(services.map((name) => definitions[name]));
  const settings = await readFile(places.settings, 'utf8');
  const [ofEngines, ofControl] = [textOf(engineServices({ withLogs: true })), textOf(controlServices)];
  return {
    BERTH_ENGINES_STATE: hashOf([...engines, accounts, ofEngines, ...settingsOfEngines].join('\0')),
    BERTH_SERVICES_STATE: hashOf([images.BERTH_CONTROL_IMAGE, release.version, ofControl, settings].join('\0')),
    BERTH_EDGE_STATE: hashOf([images.BERTH_CADDY_IMAGE, textOf(['edge']), ...(await Promise.all(edge))].join('\0')),
  };
}

const Compose = z.looseObject({ services: z.record(z.string(), z.unknown()) });

const imagesOf = (context: UpContext): ImageNames =>
  imageNames(context.release.version, requireDeployment(context).images);

/** True when each of these services runs as it would be started now. */
export async function runsAsWanted(
  context: UpContext,
  services: readonly string[],
  state: StateVariable,
): Promise<boolean> {
  const wanted = (await serviceStates(context))[state];
  const found = await serviceContainers(context.run);
  if ((await unwanted(context)).length > 0) return false;
  return services.every((name) =>
    found.some((container) => container.service === name && container.isRunning && container.state === wanted),
  );
}

/** Containers of services that this installation does not run any more. */
async function unwanted({ run, choices }: UpContext): Promise<ServiceContainer[]> {
  const wanted = servicesOf(choices);
  return (await serviceContainers(run)).filter(({ service }) => !wanted.includes(service));
}

export async function startServices(context: UpContext, services: readonly string[]): Promise<void> {
  const { places, run } = context;
  for (const { id } of await unwanted(context)) await removeContainer(run, id);
  const variables = composeVariables(imagesOf(context), await serviceStates(context));
  await writeWholeFile(places.composeVariables, variables, { mode: 0o444 });
  await run('docker', [
    ...['compose', '--file', composeFile(context), '--env-file', places.composeVariables],
    ...(services.includes('clickhouse') ? ['--profile', 'logs'] : []),
    ...['up', '--detach', '--no-deps', ...services],
  ]);
}
