// Lookups in raw headers of Node: names and values in turn. They run several times per request, so they are plain
// loops.
import type { Brand } from '@berth/contract';
import { headerNames } from '@berth/contract';

/** `name` has to be in lower case. */
export function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const each = rawHeaders[at];
    if (each?.length === name.length && each.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}

/** Value of a header that may occur once: undefined when it is absent, null when it occurs more than once. */
export function onlyValueOf(rawHeaders: readonly string[], name: string): string | undefined | null {
  let found: string | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const each = rawHeaders[at];
    if (each?.length !== name.length || each.toLowerCase() !== name) continue;
    if (found !== undefined) return null;
    found = rawHeaders[at + 1] ?? '';
  }
  return found;
}

/** Many servers treat an underscore like a hyphen, so `X_Service_…` has to count as a platform header too. */
export function plainName(name: string): string {
  const lower = name.toLowerCase();
  return lower.includes('_') ? lower.replaceAll('_', '-') : lower;
}

export interface BrandedNames {
  /** Start of all platform headers, in lower case like the next two. */
  readonly prefix: string;
  readonly authorization: string;
  /** Start of all keys of this deployment. */
  readonly keyPrefix: string;
  readonly threadId: string;
  readonly workspace: string;
  readonly workload: string;
  readonly subject: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly authMethod: string;
}

const known = new WeakMap<Brand, BrandedNames>();

export function brandedNames(brand: Brand): BrandedNames {
  const earlier = known.get(brand);
  if (earlier !== undefined) return earlier;
  const { authorization, threadId, workspace } = headerNames(brand);
  const start = `X-${brand.long}-`;
  const names = {
    prefix: start.toLowerCase(),
    authorization: authorization.toLowerCase(),
    keyPrefix: `${brand.short}_`,
    threadId: threadId.toLowerCase(),
    workspace,
    workload: `${start}Workload`,
    subject: `${start}Subject`,
    subjectType: `${start}Subject-Type`,
    subjectId: `${start}Subject-Id`,
    authMethod: `${start}Auth-Method`,
  };
  known.set(brand, names);
  return names;
}
