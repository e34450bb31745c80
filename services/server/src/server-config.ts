import { type ConfigSources, loadConfig } from '@berth/telemetry';
import { z } from 'zod';
import type { Command } from './commands/command.ts';
import type { ServerRole } from './roles/server-role.ts';
import { serverSections } from './sections/server.ts';

type Reader = Pick<ServerRole | Command, 'name' | 'sections'>;

/** Reads the sections of the running roles or command. Values of other sections in the same file are not read. */
export function loadServerConfig(
  running: readonly Reader[],
  all: { roles: readonly ServerRole[]; commands: readonly Command[] },
  sources: Pick<ConfigSources, 'file' | 'env'>,
) {
  const everything = mergeSections([...all.roles, ...all.commands]);
  const server = z.object(serverSections(all.roles));
  const sections = loadConfig(z.object({ ...server.shape, ...mergeSections(running) }), {
    ...sources,
    alsoKnown: z.object(without(everything, mergeSections(running))),
  });
  const { log, health, telemetry, shutdown } = sections;
  return { log, health, telemetry, shutdown, sections };
}

/**
 * Two roles may share a section only with the same schema: a key of the file must not have two meanings. One of them may do
 * without the section; beside the other it is required.
 */
export function mergeSections(readers: readonly Reader[]): z.ZodRawShape {
  const merged: Record<string, z.core.$ZodType> = {};
  for (const { name, sections } of readers) {
    for (const [key, schema] of Object.entries(sections)) {
      const other = merged[key];
      if (other !== undefined && required(other) !== required(schema)) {
        throw new Error(`Section "${key}" of "${name}" is declared twice. Import one schema in both places.`);
      }
      merged[key] = other === undefined || other === schema ? schema : required(schema);
    }
  }
  return merged;
}

const required = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional ? schema.unwrap() : schema;

function without(shape: z.ZodRawShape, taken: z.ZodRawShape): z.ZodRawShape {
  return Object.fromEntries(Object.entries(shape).filter(([key]) => !Object.hasOwn(taken, key)));
}
