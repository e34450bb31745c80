// Builds the spec of an instance that the runner receives, from the revision that it runs.
import type { InstanceSpec, IsolationClass } from '@berth/contract/node';
import type { SealedEnv } from '@berth/identity';
import type { PlacementConfig, PlacementSettings } from '../config.ts';
import type { ChosenImage } from '../images/choose-image.ts';
import { type Connection, environmentOf } from './environment-variables.ts';
import { cpusOf, newestGeneration } from './instance-defaults.ts';
import type { WorkloadSpec } from './workload-spec.ts';

export interface InstanceOwner {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
  readonly workspace: { readonly id: string; readonly name: string };
}

/** Placement decisions about an instance that are not in its workload's spec. */
export interface PlacementDecision {
  readonly region: string;
  readonly isolation: IsolationClass;
  readonly image: ChosenImage;
}

export type StoredInstanceSpec = InstanceSpec & { readonly env: SealedEnv };

const defaultPort = 80;

export const workloadMemoryMb = ({ runtime }: WorkloadSpec, { defaultMemoryMb }: PlacementConfig): number =>
  runtime.memory ?? defaultMemoryMb;

export function workloadInstanceSpec(
  { uid, kind, name, workspace }: InstanceOwner,
  spec: WorkloadSpec,
  where: PlacementDecision,
  connections: readonly Connection[],
  { placement, brand }: PlacementSettings,
): StoredInstanceSpec {
  const { runtime } = spec;
  const memoryMb = workloadMemoryMb(spec, placement);
  const resource = { uid, kind, name };
  const port = workloadPort(spec);
  return {
    mode: 'serve',
    resource,
    image: where.image.image,
    imageSource: where.image.source,
    isolation: where.isolation,
    memoryMb,
    cpus: cpusOf(memoryMb),
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

export function workloadPort({ runtime: { ports = [], envs = [] } }: WorkloadSpec): number {
  const [first] = ports;
  if (first !== undefined) return first.target;
  const given = Number(envs.findLast(({ name, value }) => name === 'PORT' && typeof value === 'string')?.value);
  return Number.isInteger(given) && given >= 1 && given <= 65_535 ? given : defaultPort;
}

/** Reason why no runner could start the workload; undefined when there is none. */
export function workloadFault(kind: string, { runtime, integrationConnections }: WorkloadSpec): string | undefined {
  if (runtime.image !== undefined && runtime.image !== '') return undefined;
  const [connection] = integrationConnections;
  return kind === 'function' && connection !== undefined
    ? `No image: the hub's server for connection ${connection} has no published image yet. Set spec.runtime.image.`
    : 'No image: set spec.runtime.image.';
}
