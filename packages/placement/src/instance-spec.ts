// Builds the spec of an instance that the runner receives, from the revision that it runs.
import type { InstanceSpec, IsolationClass } from '@berth/contract/node';
import type { SealedEnv } from '@berth/identity';
import type { PlacementConfig, Settings } from './config.ts';
import { type Connection, environmentOf } from './environment-variables.ts';
import type { ChosenImage } from './image.ts';
import type { WorkloadSpec } from './workload-spec.ts';

export interface Workload {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly workspace: { readonly id: string; readonly name: string };
}

/** Placement decisions about an instance that are not in its workload's spec. */
export interface Where {
  readonly region: string;
  readonly isolation: IsolationClass;
  readonly image: ChosenImage;
}

export type StoredInstanceSpec = InstanceSpec & { readonly env: SealedEnv };

/** CPU follows from memory: one core for each 2048 MB. */
const mbPerCore = 2048;
const defaultPort = 80;
const newestGeneration = 'mk3';

export const memoryOf = ({ runtime }: WorkloadSpec, { defaultMemoryMb }: PlacementConfig): number =>
  runtime.memory ?? defaultMemoryMb;

export function instanceSpec(
  { uid, kind, name, workspace }: Workload,
  spec: WorkloadSpec,
  where: Where,
  connections: readonly Connection[],
  { placement, brand }: Settings,
): StoredInstanceSpec {
  const { runtime } = spec;
  const memoryMb = memoryOf(spec, placement);
  const resource = { uid, kind, name };
  const port = portOf(spec);
  return {
    resource,
    image: where.image.image,
    imageSource: where.image.source,
    isolation: where.isolation,
    memoryMb,
    cpus: Math.max(1, memoryMb / mbPerCore),
    port,
    startTimeoutSeconds: placement.startTimeoutSeconds,
    env: environmentOf({
      brand: brand.short,
      workspace,
      resource,
      region: where.region,
      generation: runtime.generation ?? newestGeneration,
      connections,
      envs: runtime.envs ?? [],
      port,
    }),
  };
}

export function portOf({ runtime: { ports = [], envs = [] } }: WorkloadSpec): number {
  const [first] = ports;
  if (first !== undefined) return first.target;
  const given = Number(envs.findLast(({ name, value }) => name === 'PORT' && typeof value === 'string')?.value);
  return Number.isInteger(given) && given >= 1 && given <= 65_535 ? given : defaultPort;
}

/** Reason why no runner could start the workload; undefined when there is none. */
export function faultOf(kind: string, { runtime, integrationConnections }: WorkloadSpec): string | undefined {
  if (runtime.image !== undefined && runtime.image !== '') return undefined;
  const [connection] = integrationConnections;
  return kind === 'function' && connection !== undefined
    ? `No image: the hub's server for connection ${connection} has no published image yet. Set spec.runtime.image.`
    : 'No image: set spec.runtime.image.';
}
