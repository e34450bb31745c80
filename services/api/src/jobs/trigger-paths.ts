// Paths of http triggers: stored in one form, and each held by one resource of the workspace.
import { isDeepStrictEqual } from 'node:util';
import { plainTriggerPath } from '@berth/contract';
import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { writeTriggerPaths } from '@berth/jobs';
import type { NewEvent } from '../resources/events.ts';
import type { ResourceRow } from '../resources/record.ts';
import { objectsOf, section, textOf } from '../rules/spec-fields.ts';
import { jobErrors } from './errors.ts';

/** Removes the slash in front of paths. Other types keep their path as it was sent: it has no effect. */
export function withPlainPaths(spec: JsonObject): JsonObject {
  if (spec.triggers === undefined) return spec;
  return { ...spec, triggers: objectsOf(spec.triggers).map(withPlainPath) };
}

function withPlainPath(trigger: JsonObject): JsonObject {
  const configuration = section(trigger, 'configuration');
  const path = textOf(configuration.path);
  if (trigger.type !== 'http' || path === undefined) return trigger;
  return { ...trigger, configuration: { ...configuration, path: plainTriggerPath(path) } };
}

export async function storePaths(tx: DatabaseTransaction, { uid, workspace_id, spec }: ResourceRow): Promise<void> {
  const taken = await writeTriggerPaths(tx, { uid, workspaceId: workspace_id, spec });
  if (taken !== undefined) throw jobErrors.path_taken({ ...taken });
}

/** `private` is the default, so it asks for nothing. */
const idleValues: readonly unknown[] = [undefined, '', 'private'];
const httpFields = ['path', 'authenticationType'];

/** Warns of fields of http triggers in triggers of another type. A change does not repeat the warning. */
export function idlePathWarnings(spec: JsonObject, previous: JsonObject = {}): NewEvent[] {
  const fields = idleHttpFields(spec);
  if (fields.length === 0 || isDeepStrictEqual(fields, idleHttpFields(previous))) return [];
  const names = fields.map((field) => `spec.triggers[].configuration.${field}`).join(', ');
  return [{ type: 'warning', message: `${names}: no effect on triggers of another type than http. Remove it there.` }];
}

function idleHttpFields(spec: JsonObject): string[] {
  const others = objectsOf(spec.triggers).filter(({ type }) => type !== 'http');
  return httpFields.filter((field) =>
    others.some((trigger) => !idleValues.includes(section(trigger, 'configuration')[field])),
  );
}
