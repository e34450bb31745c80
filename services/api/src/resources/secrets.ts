// Secrets inside a spec: sealed when stored, masked when shown. A sealed value is an object, which no client can send
// in place of a string.
import type { Kind, SecretField } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { seal, secretContext, unseal } from '@berth/identity';
import { isObject } from '../json.ts';

export const mask = '***';
const isMask = (value: unknown): boolean => typeof value === 'string' && /^\*{3,}$/.test(value);

interface Sealed {
  readonly $sealed: string;
}
const isSealed = (value: unknown): value is Sealed =>
  typeof value === 'object' && value !== null && '$sealed' in value && typeof value.$sealed === 'string';

/** Returns the new value of a secret; undefined leaves the field out. */
type Visit = (value: unknown, location: string) => unknown;

/** List elements are matched by their name or id, so that a secret is found again when the order changes. */
const elementKey = (element: unknown, index: number): string => {
  if (!isObject(element)) return String(index);
  const key = element.name ?? element.id;
  return typeof key === 'string' ? key : String(index);
};

function visitAt(node: unknown, path: readonly string[], field: SecretField, location: string, visit: Visit): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return node === undefined ? undefined : visit(node, location);
  if (Array.isArray(node)) {
    return step === '*'
      ? node.map((element, index) => visitAt(element, rest, field, `${location}/${elementKey(element, index)}`, visit))
      : node;
  }
  if (!isObject(node)) return node;
  const keys = step === '*' ? Object.keys(node) : [step];
  const next = { ...node };
  for (const key of keys) {
    if (
      rest.length === 0 &&
      field.when !== undefined &&
      node[field.when] !== true &&
      !isSealed(node[key]) &&
      !isMask(node[key])
    )
      continue;
    const value = visitAt(node[key], rest, field, `${location}/${key}`, visit);
    if (value === undefined) delete next[key];
    else next[key] = value;
  }
  // A map is left out when all its values are hidden; a map that was sent empty stays.
  return step === '*' && keys.length > 0 && Object.keys(next).length === 0 ? undefined : next;
}

function visitSecrets(kind: Kind, spec: JsonObject, visit: (field: SecretField) => Visit): JsonObject {
  return kind.secrets.reduce<JsonObject>((current, field) => {
    const next = visitAt(current, field.path, field, '', visit(field));
    return isObject(next) ? next : current;
  }, spec);
}

/** A mask sent back keeps the stored value; without a stored value it is dropped. A mask itself is never stored. */
export function restoreMasked(kind: Kind, spec: JsonObject, previous: JsonObject): JsonObject {
  const stored = new Map<string, unknown>();
  visitSecrets(kind, previous, () => (value, location) => {
    if (isSealed(value)) stored.set(location, value);
    return value;
  });
  return visitSecrets(kind, spec, () => (value, location) => (isMask(value) ? stored.get(location) : value));
}

/**
 * A secret sent as text always counts as a change, even if it equals the stored value: otherwise a caller who may write
 * but not read could confirm a guess by the missing new revision. A secret sent back masked is already sealed and stays
 * equal.
 */
export function sealSecrets(kind: Kind, spec: JsonObject, key: Buffer, resourceUid: string): JsonObject {
  return visitSecrets(kind, spec, () => (value) => {
    if (typeof value !== 'string') return value;
    return { $sealed: seal(key, value, secretContext(resourceUid)) };
  });
}

export const maskSecrets = (kind: Kind, spec: JsonObject): JsonObject =>
  visitSecrets(
    kind,
    spec,
    ({ shown }) =>
      (value) =>
        shown === 'never' || !isSealed(value) ? unshown(shown, value) : mask,
  );

const unshown = (shown: SecretField['shown'], value: unknown): unknown => (shown === 'never' ? undefined : value);

export const revealSecrets = (kind: Kind, spec: JsonObject, key: Buffer, resourceUid: string): JsonObject =>
  visitSecrets(kind, spec, ({ shown }) => (value) => {
    if (shown === 'never') return undefined;
    return isSealed(value) ? unseal(key, value.$sealed, secretContext(resourceUid)) : value;
  });

/** True when the workspace's key is needed; most specs hold no secret. */
export function holdsSecrets(kind: Kind, spec: JsonObject): boolean {
  let found = false;
  visitSecrets(kind, spec, () => (value) => {
    found = true;
    return value;
  });
  return found;
}
