// The chart as Helm renders it.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { helmProgram, kubernetesValidateProgram } from '../../engines/helm.ts';
import { KubernetesObject } from './objects.ts';

export const chartFolder = resolve(import.meta.dirname, '../../deploy/helm/berth');
const execute = promisify(execFile);

/** Sets of values: what has no default, a usual deployment, and all that the others leave as it is. */
export const valueSets = ['smallest', 'production', 'everything'] as const;
type ValueSet = (typeof valueSets)[number];

export const valuesFile = (set: ValueSet): string => resolve(import.meta.dirname, 'values', `${set}.yaml`);

/** Output of Helm. Rejects with its message when it refuses. */
export async function runHelm(...args: readonly string[]): Promise<string> {
  const { stdout } = await execute(await helmProgram(), [...args], { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}

/** Rendered text. `flags` are arguments of `helm template`, such as `--set`. */
export const renderText = (file: string, ...flags: readonly string[]): Promise<string> =>
  runHelm('template', 'berth', chartFolder, '--namespace', 'cloud', '--values', file, ...flags);

/** Resolves where Kubernetes of that version knows each field; rejects with the fields that it does not know. */
export async function validate(file: string, version: string): Promise<string> {
  const { stdout } = await execute(await kubernetesValidateProgram(), ['--strict', '-k', version, file]);
  return stdout;
}

export async function render(set: ValueSet, ...flags: readonly string[]): Promise<KubernetesObject[]> {
  return parseAllDocuments(await renderText(valuesFile(set), ...flags))
    .map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS();
    })
    .filter((object) => object !== null)
    .map((object) => KubernetesObject.parse(object));
}
