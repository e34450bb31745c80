// Paths of triggers: stored in one form, and each held by one resource of the workspace.
import { isDeepStrictEqual } from 'node:util';
import { pathTriggerTypes, plainTriggerPath, type TriggeredKind } from '@berth/contract';
import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { writeTriggerPaths } from '@berth/triggers';
import type { NewEvent } from '../resources/events.ts';
import type { ResourceRow } from '../resources/record.ts';
import { kindErrors } from '../rules/errors.ts';
import { objectsOf, section, textOf } from '../rules/spec-fields.ts';

export interface TriggerPaths {
  /** Removes the slash in front of paths. Types without an address keep their path as it was sent. */
  plain(spec: JsonObject): JsonObject;
  store(tx: DatabaseTransaction, row: ResourceRow): Promise<void>;
  /** Frees the paths of a resource that is being deleted: its row stays until its instances are gone. */
  free(tx: DatabaseTransaction, row: ResourceRow): Promise<void>;
  /** Warns of paths and their access in triggers without an address. A change does not repeat the warning. */
  idleWarnings(spec: JsonObject, previous?: JsonObject): NewEvent[];
}

export function triggerPathsOf(kind: TriggeredKind): TriggerPaths {
  const types: readonly unknown[] = pathTriggerTypes[kind];
  return {
    plain(spec) {
      if (spec.triggers === undefined) return spec;
      const triggers = objectsOf(spec.triggers).map((trigger) =>
        types.includes(trigger.type) ? withPlainPath(trigger) : trigger,
      );
      return { ...spec, triggers };
    },
    async store(tx, { uid, workspace_id: workspaceId, spec }) {
      const taken = await writeTriggerPaths(tx, { uid, workspaceId, kind, spec });
      if (taken !== undefined) throw kindErrors.path_taken({ ...taken });
    },
    async free(tx, { uid, workspace_id: workspaceId }) {
      await writeTriggerPaths(tx, { uid, workspaceId, kind, spec: {} });
    },
    idleWarnings(spec, previous = {}) {
      const fields = idleFields(types, spec);
      if (fields.length === 0 || isDeepStrictEqual(fields, idleFields(types, previous))) return [];
      const names = fields.map((field) => `spec.triggers[].configuration.${field}`).join(', ');
      const message = `${names}: no effect on triggers of another type than ${types.join(' and ')}. Remove it there.`;
      return [{ type: 'warning', message }];
    },
  };
}

function withPlainPath(trigger: JsonObject): JsonObject {
  const configuration = section(trigger, 'configuration');
  const path = textOf(configuration.path);
  if (path === undefined) return trigger;
  return { ...trigger, configuration: { ...configuration, path: plainTriggerPath(path) } };
}

/** `private` is the default, so it asks for nothing. */
const idleValues: readonly unknown[] = [undefined, '', 'private'];
const addressFields = ['path', 'authenticationType'];

function idleFields(types: readonly unknown[], spec: JsonObject): string[] {
  const others = objectsOf(spec.triggers).filter(({ type }) => !types.includes(type));
  return addressFields.filter((field) =>
    others.some((trigger) => !idleValues.includes(section(trigger, 'configuration')[field])),
  );
}
