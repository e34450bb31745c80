// Where a runner pulls an image from. Decisions: image reference.

export interface ImageOrigin {
  /** The brand's word, which names the hub. */
  readonly hub: string;
  readonly workspace: string;
  /** Where hub images and those made here are; they are named as they stand when it is unknown. */
  readonly registry: string | undefined;
}

/** Images made here are also named by what they were made for. */
const ownKinds = ['agent', 'app', 'function', 'job', 'sandbox'];

export function pulledImage(image: string, { hub, workspace, registry }: ImageOrigin): string {
  const [first = '', ...rest] = image.split('/');
  const isOurs = rest.length > 0 && [hub, workspace, ...ownKinds].includes(first);
  return isOurs && registry !== undefined ? `${registry}/${image}` : image;
}
