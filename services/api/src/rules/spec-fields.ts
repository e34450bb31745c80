// Reads single fields of a stored spec, which the contract validated on input.
import type { JsonObject } from '@berth/database';
import { isObject } from '../json.ts';

export const section = (spec: JsonObject | null | undefined, ...path: readonly string[]): JsonObject => {
  const found = path.reduce<unknown>((node, step) => (isObject(node) ? node[step] : undefined), spec);
  return isObject(found) ? found : {};
};

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((element) => typeof element === 'string') : [];

export const objectsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A copy without the named fields. */
export const without = (node: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(node).filter(([name]) => !names.includes(name)));
