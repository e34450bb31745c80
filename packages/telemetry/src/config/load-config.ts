// One YAML file, overridden by variables named after the schema's paths (api.publicUrl → BERTH_API_PUBLIC_URL), or by
// the same name with _FILE, which names a file that holds the value. Anything unknown or invalid stops the start.
import { z } from 'zod';
import { closestName } from './closest-name.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { type Environment, findDoubleVariables, findUnknownVariables, readOverrides } from './overrides.ts';
import { readYamlFile } from './read-yaml.ts';
import { withRequiredSections } from './required-sections.ts';
import { listSettings, objectInside, type Setting } from './settings.ts';
import { isRecord, type Values, withValue } from './values.ts';

export type ConfigSources = {
  file?: string | undefined;
  env: Environment;
  /** Settings of other programs that share the file and the environment: accepted by name, not read. */
  alsoKnown?: z.ZodObject;
  prefix?: string;
};

export function loadConfig<Schema extends z.ZodObject>(schema: Schema, sources: ConfigSources): z.output<Schema> {
  const { file, env, alsoKnown = z.object({}), prefix = 'BERTH' } = sources;
  const settings = listSettings(schema, prefix);
  const knownSettings = [...settings, ...listSettings(alsoKnown, prefix)];
  const fromFile = file === undefined ? {} : readYamlFile(file);

  const problems = [
    ...findUnknownKeys(fromFile, z.object({ ...alsoKnown.shape, ...schema.shape }), []),
    ...findUnknownVariables(knownSettings, ownVariables(env, prefix), prefix),
    ...findDoubleVariables(settings, env),
  ];
  if (problems.length > 0) throw new ConfigError(problems);

  const own = Object.fromEntries(Object.entries(fromFile).filter(([key]) => Object.hasOwn(schema.shape, key)));
  const values = readOverrides(settings, env).reduce<Values>(
    (merged, { setting, value }) => withValue(merged, setting.path, value),
    own,
  );
  const result = schema.safeParse(withRequiredSections(values, schema));
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map((issue) => describe(issue, settings, file)));
}

/** PREFIX_TEST_* steers the test suite itself and reaches every process that a test starts. */
function ownVariables(env: Environment, prefix: string): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(`${prefix}_TEST_`)));
}

function findUnknownKeys(values: Values, schema: z.ZodObject, path: readonly string[]): ConfigProblem[] {
  if (schema.def.catchall && !(schema.def.catchall instanceof z.ZodNever)) return [];
  return Object.entries(values).flatMap(([key, value]) => {
    const node = schema.shape[key];
    if (node === undefined) return [unknownKey([...path, key], Object.keys(schema.shape))];
    const inner = objectInside(node);
    return inner && isRecord(value) ? findUnknownKeys(value, inner, [...path, key]) : [];
  });
}

function unknownKey(path: readonly string[], siblings: readonly string[]): ConfigProblem {
  const close = closestName(path.at(-1) ?? '', siblings);
  const next = close ? `Did you mean ${[...path.slice(0, -1), close].join('.')}?` : 'Remove it from the file.';
  return { key: path.join('.'), reason: 'there is no such setting.', next };
}

function describe(issue: z.core.$ZodIssue, settings: readonly Setting[], file: string | undefined): ConfigProblem {
  const path = issue.path.map(String);
  const setting = settings.findLast((candidate) => candidate.path.every((key, index) => path[index] === key));
  const places = [file, setting?.variable].filter((place) => place !== undefined).join(' or in ');
  const reason = issue.message.endsWith('received undefined') ? 'it is missing.' : `${issue.message}.`;
  return { key: path.join('.') || 'the file', reason, next: `Set it in ${places || 'the file'}.` };
}
