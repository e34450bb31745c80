// Registries that images may come from: those listed by the operator, or, without a list, every registry with a public
// name. An IP address or an internal name would let tenants reach hosts that only the machines can reach.
import { defaultRegistry, type ImageReferenceParts, registryOf } from '@berth/contract';
import { imageErrors } from './errors.ts';

/**
 * Special entries of the operator's list: `default` is the registry of references that name none, `*` is every registry
 * with a public name.
 */
const defaultWord = 'default';
const everyPublic = '*';

export type RegistryFault = 'not-allowed' | 'not-public';

export function registryFault(registry: string, allowed: readonly string[]): RegistryFault | undefined {
  if (isListed(registry, allowed)) return undefined;
  if (allowed.length > 0 && !allowed.includes(everyPublic)) return 'not-allowed';
  return hasPublicName(registry) ? undefined : 'not-public';
}

export const isListed = (registry: string, allowed: readonly string[]): boolean =>
  allowed.includes(registry) || (registry === defaultRegistry && allowed.includes(defaultWord));

/**
 * A resolver treats a name that ends in a number as an address: `127.1`, `0x7f.1` and `2130706433` are loopback too.
 */
function hasPublicName(registry: string): boolean {
  const labels = registry.replace(/:\d+$/, '').split('.');
  const last = labels.at(-1) ?? '';
  return labels.length > 1 && last !== 'localhost' && !/^(?:\d+|0x[0-9a-f]*)$/.test(last);
}

export function requireAllowedRegistry(
  reference: ImageReferenceParts,
  field: string,
  { allowedRegistries }: { readonly allowedRegistries: readonly string[] },
): void {
  const registry = registryOf(reference);
  const fault = registryFault(registry, allowedRegistries);
  if (fault === 'not-allowed')
    throw imageErrors.registry_not_allowed({ field, registry, allowed: allowedRegistries.join(', ') });
  if (fault === 'not-public') throw imageErrors.registry_not_public({ field, registry });
}
