// References to images of a registry: `[host[:port]/]path[:tag][@digest]`.

export interface ImageReferenceParts {
  /** Everything before the tag. */
  readonly repository: string;
  /** `latest` when none is named; a digest without a tag becomes a tag of its own. */
  readonly tag: string;
}

const host = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\\d{1,5})?/)?';
const component = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const form = new RegExp(
  `^(${host}${component}(?:/${component})*)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[a-f0-9]{64}))?$`,
);

/** Undefined when the text is no reference. */
export function parseReference(text: string): ImageReferenceParts | undefined {
  const [, repository, tag, digest] = form.exec(text) ?? [];
  if (repository === undefined) return undefined;
  return { repository, tag: tag ?? digest?.replace(':', '-') ?? 'latest' };
}

export const firstSegment = (repository: string): string => repository.split('/')[0] ?? '';
