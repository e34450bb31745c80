import { z } from 'zod';
import { closestName } from './closest-name.ts';
import type { ConfigProblem } from './config-error.ts';
import { parseYaml, readText } from './read-yaml.ts';
import type { Setting } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Override = { setting: Setting; value: unknown };

/** Values from the environment, in the order of the settings. */
export function readOverrides(settings: readonly Setting[], env: Environment): Override[] {
  return settings.flatMap((setting) => {
    const text = env[setting.variable] ?? readSecretFile(settings, setting, env);
    return text === undefined ? [] : [{ setting, value: interpret(text, setting.schema) }];
  });
}

function readSecretFile(settings: readonly Setting[], setting: Setting, env: Environment): string | undefined {
  const variable = `${setting.variable}_FILE`;
  const file = env[variable];
  // A setting whose own name ends in "file" keeps its variable for itself.
  if (file === undefined || settings.some((other) => other.variable === variable)) return undefined;
  return readText(file, variable).replace(/\r?\n$/, '');
}

const wrongTypeCodes = ['invalid_type', 'invalid_union', 'invalid_value'];

/**
 * Returns the text unchanged when the schema takes text; otherwise parses it as YAML (JSON
 * is YAML): 8080, true, [a, b].
 */
function interpret(text: string, schema: z.core.$ZodType): unknown {
  const { error } = z.core.safeParse(schema, text);
  const wantsOtherType = error?.issues.some(({ code, path }) => path.length === 0 && wrongTypeCodes.includes(code));
  if (!wantsOtherType) return text;
  const parsed = parseYaml(text);
  return 'error' in parsed ? text : parsed.value;
}

/** Without this check a misspelt variable would silently have no effect. */
export function findUnknownVariables(settings: readonly Setting[], env: Environment, prefix: string): ConfigProblem[] {
  const known = settings.flatMap(({ variable }) => [variable, `${variable}_FILE`]);
  return Object.keys(env)
    .filter((name) => name.startsWith(`${prefix}_`) && env[name] !== undefined && !known.includes(name))
    .map((name) => {
      const close = closestName(name, known);
      return {
        key: name,
        reason: 'there is no such setting.',
        next: close ? `Did you mean ${close}?` : 'Remove the variable.',
      };
    });
}

export function findDoubleVariables(settings: readonly Setting[], env: Environment): ConfigProblem[] {
  const names = new Set(settings.map(({ variable }) => variable));
  return settings
    .filter(({ variable }) => env[variable] !== undefined && env[`${variable}_FILE`] !== undefined)
    .filter(({ variable }) => !names.has(`${variable}_FILE`))
    .map(({ variable }) => ({
      key: variable,
      reason: `it is set, and so is ${variable}_FILE.`,
      next: 'Keep one of the two.',
    }));
}
