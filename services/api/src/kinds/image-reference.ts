// Where an image comes from is read from the first segment of its reference: the brand's hub, this deployment's own images
// (by workspace or by kind), or else a registry, which the operator's list may narrow.
import type { RuleContext } from '../resources/rules.ts';
import { kindErrors } from './errors.ts';
import { textOf } from './spec-fields.ts';

interface Origin {
  readonly hub: string;
  readonly workspace: string;
  /** Empty allows every registry. */
  readonly allowedRegistries: readonly string[];
}

/** Images made here are also named by what they were made for. */
const ownKinds = ['agent', 'app', 'function', 'job', 'sandbox'];
/** Word of the operator's list for references that name no registry. */
const defaultRegistry = 'default';

/** The registry that refuses the image; undefined when it may be used. */
export function refusedRegistry(image: string, { hub, workspace, allowedRegistries }: Origin): string | undefined {
  const [first = '', ...rest] = image.split('/');
  if (rest.length > 0 && [hub, workspace, ...ownKinds].includes(first)) return undefined;
  const registry = rest.length > 0 && /[.:]|^localhost$/.test(first) ? first : defaultRegistry;
  return allowedRegistries.length === 0 || allowedRegistries.includes(registry) ? undefined : registry;
}

export function checkImage({ dependencies, workspace }: RuleContext, field: string, image: unknown): void {
  const reference = textOf(image);
  if (reference === undefined) return;
  const { brand, allowedRegistries } = dependencies.config;
  const registry = refusedRegistry(reference, { hub: brand.short, workspace: workspace.name, allowedRegistries });
  if (registry === undefined) return;
  throw kindErrors.registry_not_allowed({ field, registry, allowed: allowedRegistries.join(', ') });
}
