// Maps the image name of a workload to the image that runs. Pure, and shared by the code that writes, places and claims
// workloads. Decisions: image reference.
import { type ImageReferenceParts, parseImageReference, qualifiedName, qualifiedReference } from '@berth/contract';
import type { ImageSource } from '@berth/contract/node';
import type { PlacementSettings } from '../config.ts';
import { imageTypeOf } from './image-name.ts';

export interface ChosenImage {
  /** Reference that the runner pulls. */
  readonly image: string;
  readonly source: ImageSource;
}

/**
 * - `malformed`: not an image reference, or the id of an image;
 * - `unregistered`: a name of this service that the workspace has not registered, and no image registry is configured;
 * - `no-hub`: a hub image, and no image registry is configured;
 * - `reserved`: a folder of the deployment's registry that is not the workspace's.
 */
export type ImageFault = 'malformed' | 'unregistered' | 'no-hub' | 'reserved';

export type ImageChoice = ChosenImage | { readonly fault: ImageFault };

export interface NamedImage {
  readonly named: string;
  /** Name of the workspace. */
  readonly workspace: string;
  /** The reference that the workspace registered under this name. */
  readonly registered: string | undefined;
}

export function chooseImage({ named, workspace, registered }: NamedImage, settings: PlacementSettings): ImageChoice {
  const parts = parseImageReference(named);
  if (parts === undefined) return { fault: 'malformed' };
  if (isDefaultImage(parts, settings)) return deploymentImage(named, settings);
  if (registered !== undefined) return chooseOutside(registered, workspace, settings);
  if (isHubName(parts, settings))
    return settings.placement.imageRegistry === undefined ? { fault: 'no-hub' } : deploymentImage(named, settings);
  const own = pathInWorkspace(parts, workspace);
  if (own === undefined) return chooseOutside(named, workspace, settings);
  const { imageRegistry } = settings.placement;
  if (imageRegistry === undefined) return { fault: 'unregistered' };
  return { image: `${imageRegistry}/${workspace}/${own}${versionOf(parts)}`, source: { origin: 'workspace' } };
}

/** An image that the operator names; every workspace may use it. */
export function deploymentImage(named: string, settings: PlacementSettings): ChosenImage {
  const { imageRegistry } = settings.placement;
  const parts = parseImageReference(named);
  const isOurs = parts !== undefined && (isHubName(parts, settings) || pathInWorkspace(parts, '') !== undefined);
  const image = isOurs && imageRegistry !== undefined ? `${imageRegistry}/${named}` : named;
  return { image, source: { origin: 'deployment' } };
}

function chooseOutside(named: string, workspace: string, settings: PlacementSettings): ImageChoice {
  const parts = parseImageReference(named);
  if (parts === undefined) return { fault: 'malformed' };
  const inside = pathInRegistry(parts, settings.placement.imageRegistry);
  if (inside === undefined) return { image: named, source: { origin: 'outside' } };
  const [folder, ...rest] = inside.split('/');
  if (rest.length > 0 && folder === settings.brand.short) return { image: named, source: { origin: 'deployment' } };
  if (rest.length > 0 && folder === workspace) return { image: named, source: { origin: 'workspace' } };
  return { fault: 'reserved' };
}

function isDefaultImage(parts: ImageReferenceParts, { placement }: PlacementSettings): boolean {
  const set = parseImageReference(placement.sandboxes.defaultImage ?? '');
  return set !== undefined && qualifiedReference(set) === qualifiedReference(parts);
}

const isHubName = ({ registry, path }: ImageReferenceParts, { brand }: PlacementSettings): boolean =>
  registry === undefined && path.startsWith(`${brand.short}/`);

/**
 * Path inside the workspace's folder for a name that begins with a kind or with the
 * workspace; undefined for other names.
 */
function pathInWorkspace({ registry, path }: ImageReferenceParts, workspace: string): string | undefined {
  const [first = '', ...rest] = path.split('/');
  if (registry !== undefined || rest.length === 0) return undefined;
  if (imageTypeOf(first) !== undefined) return path;
  return first === workspace ? rest.join('/') : undefined;
}

/**
 * Path of the image in the deployment's registry; undefined for another registry. A
 * default port names the same registry.
 */
function pathInRegistry(parts: ImageReferenceParts, imageRegistry: string | undefined): string | undefined {
  const probe = imageRegistry === undefined ? undefined : parseImageReference(`${imageRegistry}/x/x`);
  if (probe === undefined) return undefined;
  const folder = withoutDefaultPort(qualifiedName(probe)).slice(0, -'x/x'.length);
  const name = withoutDefaultPort(qualifiedName(parts));
  return name.startsWith(folder) ? name.slice(folder.length) : undefined;
}

const withoutDefaultPort = (name: string): string => name.replace(/^([^/:]+):(?:443|80)\//, '$1/');

const versionOf = ({ tag, digest }: ImageReferenceParts): string =>
  `${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;

/** Text for the events of a workload that was written before its image was checked. */
export const imageFaultMessage = (fault: ImageFault, named: string): string => faultWords[fault](named);

const faultWords: Readonly<Record<ImageFault, (named: string) => string>> = {
  malformed: (named) => `${named} is not the name of an image. Set spec.runtime.image to registry.example/name:tag.`,
  unregistered: (named) =>
    `${named} is not registered in this workspace. Register it with POST /images, or set spec.runtime.image to a registry's reference.`,
  'no-hub': (named) =>
    `${named} is an image of the hub, and this deployment has no registry for those. Set spec.runtime.image to another image, or ask the operator to set placement.imageRegistry.`,
  reserved: (named) =>
    `${named} is not in this workspace's folder of the registry. Set spec.runtime.image to an image of this workspace.`,
};
