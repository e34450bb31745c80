// Finds fields of a spec that are set but have no effect. Pure: the api refuses or warns with the result.
import type { Kind } from '../kinds/kind.ts';
import type { FieldEffect } from './effect.ts';
import { fieldEffects } from './field-effects.ts';

/** Fields without effect for the same reason. */
export interface IdleFields {
  readonly fields: readonly string[];
  readonly reason: string;
}

/** A field counts as set when its value is neither empty, nor harmless, nor the kind's default. */
export const idleFields = (
  kind: Pick<Kind, 'kind' | 'specDefaults'>,
  effect: 'refused' | 'warned',
  spec: Readonly<Record<string, unknown>>,
): IdleFields[] =>
  idleAmong(fieldEffects[kind.kind] ?? [], effect, spec, kind.specDefaults).map(({ fields, reason }) => ({
    fields: fields.map((field) => `spec.${field}`),
    reason,
  }));

export function idleAmong(
  effects: readonly FieldEffect[],
  effect: 'refused' | 'warned',
  values: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>> = {},
): IdleFields[] {
  return effects.flatMap((entry) => {
    if (entry.effect !== effect) return [];
    const { harmless = [], reason } = entry;
    const set = entry.paths.filter((path) => {
      const asksNothing = [...harmless, defaults[path]];
      return valuesAt(values, stepsOf(path)).some((value) => !asksNothing.includes(value));
    });
    return set.length === 0 ? [] : [{ fields: set, reason }];
  });
}

/** `ports[].protocol` becomes `ports`, `[]`, `protocol`. */
const stepsOf = (path: string): string[] => path.split(/\.|(?=\[\])|(?=\{\})/);

/** Values at a path and below it; empty texts, lists and objects yield none. */
function valuesAt(node: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (node === undefined || node === null || node === '') return [];
  const below = typeof node === 'object' ? Object.entries(node) : [];
  if (step === '[]' || step === '{}') return below.flatMap(([, value]) => valuesAt(value, rest));
  if (step !== undefined) return below.flatMap(([key, value]) => (key === step ? valuesAt(value, rest) : []));
  return typeof node === 'object' ? below.flatMap(([, value]) => valuesAt(value, [])) : [node];
}
