// Merges a replacement with the stored spec: sent sections replace the stored ones, immutable fields must not change.
import { isDeepStrictEqual } from 'node:util';
import { type Kind, resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { isObject } from '../json.ts';

/** Each sent section of `spec` replaces the stored one; null removes it. */
export function replaceSections(previous: JsonObject, sent: JsonObject): JsonObject {
  return withoutNulls({ ...previous, ...sent });
}

/**
 * Null clears a field and is never stored. Free-form values inside arrays belong to the caller and stay as they are.
 */
export function withoutNulls(spec: JsonObject): JsonObject {
  const kept = Object.entries(spec).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept.map(([name, value]) => [name, isObject(value) ? withoutNulls(value) : value]));
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((node, step) => (isObject(node) ? node[step] : undefined), value);

/** An absent immutable field keeps its value; a different value is refused with the field's name. */
export function keepImmutable(kind: Kind, previous: JsonObject, next: JsonObject): JsonObject {
  return kind.immutable.reduce((spec, field) => {
    const path = field.split('.').slice(1);
    const before = at(previous, path);
    const after = at(spec, path);
    if (after === undefined) return before === undefined ? spec : put(spec, path, before);
    if (!isDeepStrictEqual(before, after)) throw resourceErrors.immutable_field({ field });
    return spec;
  }, next);
}

function put(node: JsonObject, [step, ...rest]: readonly string[], value: unknown): JsonObject {
  if (step === undefined) return node;
  const below = node[step];
  if (rest.length === 0) return { ...node, [step]: value };
  return {
    ...node,
    [step]: put(isObject(below) ? below : {}, rest, value),
  };
}
