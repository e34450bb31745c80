// Gives each trigger an id, and each trigger with a callback URL a secret for signing callbacks. Control-plane sheet
// 2.1.
import type { JsonObject } from '@berth/database';
import type { Rendered } from '../resources/render.ts';
import { objectsOf, section, textOf } from '../rules/spec-fields.ts';

const maxIdLength = 63;

/**
 * An id sent by the client stays with the first trigger that has it. The other triggers are named after their type, in
 * order, so that a client that never sends ids keeps the same ones.
 */
export function uniqueIds(wanted: readonly { readonly id: string | undefined; readonly type: string }[]): string[] {
  const taken = new Set<string>();
  const kept = wanted.map(({ id }) => {
    if (id === undefined || taken.has(id)) return undefined;
    taken.add(id);
    return id;
  });
  return wanted.map(({ id, type }, index) => kept[index] ?? freeId(id ?? type, taken));
}

function freeId(base: string, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : `-${number}`;
    const id = base.slice(0, maxIdLength - end.length) + end;
    if (taken.has(id)) continue;
    taken.add(id);
    return id;
  }
}

const secretOf = (trigger: JsonObject): unknown => section(trigger, 'configuration').callbackSecret;

/** A stored secret stays with its trigger. A new secret is plain text here and is sealed with the rest of the spec. */
export function completeTriggers(spec: JsonObject, previous: JsonObject, newSecret: () => string): JsonObject {
  if (spec.triggers === undefined) return spec;
  const triggers = objectsOf(spec.triggers);
  const ids = uniqueIds(triggers.map(({ id, type }) => ({ id: textOf(id), type: textOf(type) ?? 'trigger' })));
  const stored = new Map(objectsOf(previous.triggers).map((trigger) => [trigger.id, secretOf(trigger)]));
  return {
    ...spec,
    triggers: triggers.map((trigger, index) => {
      const id = ids[index];
      if (trigger.configuration === undefined) return { ...trigger, id };
      const { callbackSecret: _sent, ...configuration } = section(trigger, 'configuration');
      const signed = textOf(configuration.callbackUrl) !== undefined;
      const secret = signed ? { callbackSecret: stored.get(id) ?? newSecret() } : {};
      return { ...trigger, id, configuration: { ...configuration, ...secret } };
    }),
  };
}

/** Shows secrets that this write created; no later response shows them. */
export function showNewSecrets(rendered: Rendered, written: JsonObject): Rendered {
  const made = objectsOf(written.triggers).map((trigger) => textOf(secretOf(trigger)));
  if (made.every((secret) => secret === undefined)) return rendered;
  const triggers = objectsOf(rendered.spec.triggers).map((trigger, index) => {
    const callbackSecret = made[index];
    if (callbackSecret === undefined) return trigger;
    return { ...trigger, configuration: { ...section(trigger, 'configuration'), callbackSecret } };
  });
  return { ...rendered, spec: { ...rendered.spec, triggers } };
}
