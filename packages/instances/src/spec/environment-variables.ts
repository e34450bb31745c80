// The environment of an instance, in order: a later entry of the same name wins. Secrets stay sealed; only the api,
// which sends them to the runner, can open them. Control-plane sheet 4.11, 4.2.
import { brandedVariable } from '@berth/contract';
import type { SealedEnv } from '@berth/identity';
import type { StoredValue } from './workload-spec.ts';

type Entry = SealedEnv[number];

export interface Connection {
  readonly uid: string;
  readonly config: Readonly<Record<string, StoredValue>>;
  readonly secret: Readonly<Record<string, StoredValue>>;
}

export interface EnvironmentSource {
  /** Prefix of the platform's own variables. */
  readonly brand: string;
  readonly workspace: { readonly id: string; readonly name: string };
  readonly resource: { readonly uid: string; readonly kind: string; readonly name: string };
  readonly region: string;
  readonly generation: string;
  readonly connections: readonly Connection[];
  readonly envs: readonly { readonly name: string; readonly value?: StoredValue | undefined }[];
  /** Port on which the workload has to listen; undefined leaves the choice to the workload. */
  readonly port: number | undefined;
}

export function environmentOf(source: EnvironmentSource): SealedEnv {
  const { connections, envs, resource, port } = source;
  const given = [
    ...platformVariables(source),
    ...connections.flatMap(({ uid, config, secret }) => [...entriesOf(config, uid), ...entriesOf(secret, uid)]),
    ...envs.flatMap(({ name, value }) => (value === undefined ? [] : [entry(name, value, resource.uid)])),
    ...(port === undefined ? [] : listenVariables(port)),
  ];
  return lastOfEachName(given);
}

/** A name keeps the place of its first entry and has the value of its last. */
export const lastOfEachName = (entries: SealedEnv): SealedEnv => [
  ...new Map(entries.map((each) => [each.name, each])).values(),
];

export const listenVariables = (port: number) => [
  { name: 'HOST', value: '0.0.0.0' },
  { name: 'PORT', value: String(port) },
];

/** Only facts about this deployment; no credentials. */
function platformVariables({ brand, workspace, resource, region, generation }: EnvironmentSource): Entry[] {
  const branded = {
    WORKSPACE: workspace.name,
    WORKSPACE_ID: workspace.id,
    NAME: resource.name,
    TYPE: resource.kind,
    CLOUD: 'true',
    GENERATION: generation,
    REGION: region,
  };
  return [
    ...Object.entries(branded).map(([name, value]) => ({ name: brandedVariable(brand, name), value })),
    { name: 'DO_NOT_TRACK', value: '1' },
  ];
}

const entriesOf = (values: Readonly<Record<string, StoredValue>>, uid: string): Entry[] =>
  Object.entries(values).map(([name, value]) => entry(name, value, uid));

/** A secret is sealed for the resource that it was written to. */
const entry = (name: string, value: StoredValue, uid: string): Entry =>
  typeof value === 'string' ? { name, value } : { name, sealed: value.$sealed, context: `resource ${uid}` };
