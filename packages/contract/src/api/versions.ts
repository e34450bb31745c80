// A version is a date that stands for a set of named differences; handlers call `has` and never compare dates.
// Specification: Versioning.

export type Difference = 'wrappedLists';

interface VersionEntry {
  readonly name: string;
  readonly differences: readonly Difference[];
}

/** Oldest first: the first one applies when a request names none. */
export const versions: readonly VersionEntry[] = [
  { name: '2026-04-16', differences: [] },
  { name: '2026-04-20', differences: [] },
  { name: '2026-04-28', differences: ['wrappedLists'] },
];

const form = /^\d{4}-\d{2}-\d{2}(\.preview)?$/;

export interface Version {
  readonly name: string;
  has(difference: Difference): boolean;
}

export type VersionAnswer = { readonly version: Version } | { readonly reason: string };

const known = new Map<string, Version>(
  versions.map(({ name, differences }) => [name, { name, has: (difference) => differences.includes(difference) }]),
);

const validNames = versions.map(({ name }) => name).join(', ');

/** Reads the version header; absent means the earliest stable version. */
export function readVersion(header: string | undefined): VersionAnswer {
  const asked = header ?? versions[0]?.name ?? '';
  const version = known.get(asked);
  if (version !== undefined) return { version };
  const reason = form.test(asked) ? 'is not served' : 'does not have the form YYYY-MM-DD or YYYY-MM-DD.preview';
  return { reason: `Version ${JSON.stringify(asked.slice(0, 64))} ${reason}. Valid versions: ${validNames}.` };
}
