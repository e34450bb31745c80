// Builds the spec of a sandbox instance that the runner receives, from the resource: a sandbox has no
// revisions. Changes that can be applied while it runs are applied in place; `boot` counts how often
// the sandbox had to start again.
import { durationSeconds, publicSandboxApiPort, systemPort } from '@berth/contract';
import { guestPort } from '@berth/contract/guest';
import type { InstanceSpec } from '@berth/contract/node';
import type { PlacementConfig, PlacementSettings } from '../config.ts';
import { environmentOf, listenVariables } from './environment-variables.ts';
import { cpusOf, newestGeneration } from './instance-defaults.ts';
import type { PoolSpec } from './pool-key.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
import type { InstanceOwner, PlacementDecision, StoredInstanceSpec } from './workload-instance.ts';

type StoredSandboxSpec = Extract<StoredInstanceSpec, { mode: 'sandbox' }>;

/** Default of `PORT` for the user's own server when the sandbox declares no port: most frameworks choose it too. */
const defaultPort = 3000;
/** No server of the user listens there: one belongs to the system, two are the sandbox's own API. */
const reservedPorts: readonly number[] = [systemPort, publicSandboxApiPort, guestPort];
/** VPC of every sandbox that names none. Its members cannot reach each other. */
const defaultVpc = 'default';
/** A warm sandbox runs only the guest. */
export const warmReservedMb = 64;

/** Revision name of an instance: the boot of the sandbox that it is. */
export const bootRevision = (boot: number): string => `boot-${boot}`;

/** The wanted boot, from the resource's state. */
export const bootOf = (state: Readonly<Record<string, unknown>> | null): number =>
  typeof state?.boot === 'number' ? state.boot : 1;

export const sandboxMemoryMb = ({ runtime }: SandboxSpec, { sandboxes }: PlacementConfig): number =>
  runtime.memory ?? sandboxes.defaultMemoryMb;

/** Image name from the sandbox's spec or else the operator's default; undefined when neither names one. */
export const sandboxImageName = ({ runtime }: SandboxSpec, { sandboxes }: PlacementConfig): string | undefined =>
  runtime.image || sandboxes.defaultImage;

/** Reason why no runner could start the sandbox; undefined when there is none. */
export const sandboxFault = (spec: SandboxSpec, placement: PlacementConfig): string | undefined =>
  sandboxImageName(spec, placement) === undefined
    ? 'No image: set spec.runtime.image, or ask the operator for a default one (placement.sandboxes.defaultImage).'
    : undefined;

/** Memory that the sandbox reserves on a runner. Less than it may use, because most sandboxes sleep. */
export const sandboxReservedMb = (spec: SandboxSpec, placement: PlacementConfig): number =>
  Math.ceil(sandboxMemoryMb(spec, placement) / placement.sandboxes.overcommit);

export function sandboxInstanceSpec(
  sandbox: Omit<InstanceOwner, 'kind'>,
  spec: SandboxSpec,
  where: PlacementDecision,
  settings: PlacementSettings,
): StoredSandboxSpec {
  const { runtime } = spec;
  const resource = { uid: sandbox.uid, kind: 'sandbox', name: sandbox.name };
  const wish = {
    image: where.image.image,
    imageSource: where.image.source,
    isolation: where.isolation,
    memoryMb: sandboxMemoryMb(spec, settings.placement),
  };
  const env = environmentOf({
    brand: settings.brand.short,
    workspace: sandbox.workspace,
    resource,
    region: where.region,
    generation: runtime.generation ?? newestGeneration,
    connections: [],
    // Defaults that the sandbox's own variables override, since later entries win. Nothing
    // of the platform depends on them.
    envs: [...listenVariables(userPort(spec)), ...runtime.envs],
    port: undefined,
  });
  const idleSeconds = shortestIdleSeconds(spec);
  const base = baseSpec(wish, settings);
  return {
    ...base,
    resource,
    ...vpcPorts(spec),
    sandbox: { ...base.sandbox, ...(idleSeconds === undefined ? {} : { expiresIdleSeconds: idleSeconds }) },
    env,
  };
}

/** Spec of a warm sandbox: it has no owner and no environment. */
export const warmInstanceSpec = (wish: PoolSpec, settings: PlacementSettings): StoredSandboxSpec => ({
  ...baseSpec(wish, settings),
  env: [],
});

const baseSpec = ({ image, imageSource, isolation, memoryMb }: PoolSpec, { placement }: PlacementSettings) =>
  ({
    mode: 'sandbox',
    image,
    ...(imageSource === undefined ? {} : { imageSource }),
    isolation,
    memoryMb,
    cpus: cpusOf(memoryMb),
    port: guestPort,
    startTimeoutSeconds: placement.startTimeoutSeconds,
    sandbox: { idleSeconds: placement.sandboxes.idleSeconds },
  }) satisfies InstanceSpec;

/** Ports on which other members of the VPC reach the sandbox: declared ports only, and never the guest's. */
function vpcPorts({ vpc = defaultVpc, runtime: { ports } }: SandboxSpec): Pick<InstanceSpec, 'vpc'> {
  if (vpc === defaultVpc) return {};
  const declared = ports.filter(({ target }) => target !== guestPort);
  const protocolOf = (name: string | undefined) => (name === 'UDP' ? 'udp' : 'tcp');
  return {
    vpc: {
      name: vpc,
      ports: declared.map(({ target, protocol }) => ({ protocol: protocolOf(protocol), port: target })),
    },
  };
}

const userPort = ({ runtime: { ports } }: SandboxSpec): number =>
  ports.find(({ target }) => !reservedPorts.includes(target))?.target ?? defaultPort;

function shortestIdleSeconds({ lifecycle }: SandboxSpec): number | undefined {
  const seconds = lifecycle.expirationPolicies
    .filter(({ type }) => type === 'ttl-idle')
    .map(({ value }) => durationSeconds(value))
    .filter((each) => each !== undefined);
  return seconds.length === 0 ? undefined : Math.min(...seconds);
}
