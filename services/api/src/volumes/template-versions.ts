// Versions of a volume template, stored in the template's state in order of creation.
import type { JsonObject } from '@berth/database';
import { objectsOf, textOf, without } from '../rules/spec-fields.ts';

export interface TemplateVersion {
  readonly name: string;
  readonly versionId: string;
}

export const versionsOf = (state: JsonObject | null | undefined): TemplateVersion[] =>
  objectsOf(state?.versions).flatMap(({ name, versionId }) => {
    const known = { name: textOf(name), versionId: textOf(versionId) };
    return known.name === undefined || known.versionId === undefined
      ? []
      : [{ name: known.name, versionId: known.versionId }];
  });

export function findVersion(state: JsonObject | null | undefined, name: string): TemplateVersion | undefined {
  const versions = versionsOf(state);
  return versions.find((version) => version.name === name) ?? (name === 'latest' ? versions.at(-1) : undefined);
}

export const withVersions = (
  state: JsonObject | null | undefined,
  versions: readonly TemplateVersion[],
): JsonObject => ({ ...without(state ?? {}, 'versions'), versions });
