import { brandedStartVariables, brandedVariable, startVariables } from '@berth/contract/guest';
import type { PlacementSettings } from '../config.ts';
import type { SandboxSpec } from '../spec/sandbox-spec.ts';

/** True when a warm sandbox, started before this sandbox was known, can become it. */
export function mayBeClaimed({ runtime, volumes }: SandboxSpec, { brand }: Pick<PlacementSettings, 'brand'>): boolean {
  const early = [...startVariables, ...brandedStartVariables.map((name) => brandedVariable(brand.short, name))];
  return (
    volumes.length === 0 &&
    Object.keys(runtime.extraArgs).length === 0 &&
    runtime.storageMb === undefined &&
    // With its own registry credentials only the registry can decide whether the sandbox may have the image.
    runtime.dockerConfig === undefined &&
    !runtime.envs.some(({ name }) => early.includes(name))
  );
}
