// A rule that each rendered chart keeps, and what several of them read.
import { parse, stringify } from 'yaml';
import { type KubernetesObject, ofKind, workloadsOf } from '../objects.ts';

export type Objects = readonly KubernetesObject[];

export interface Rule {
  readonly name: string;
  /** Names the objects or settings that break the rule. */
  readonly faults: (objects: Objects) => readonly string[];
  /** Violations by name, one for each condition of the rule. Tests show that each is found. */
  readonly plants: Readonly<Record<string, (objects: Objects) => void>>;
}

export const podsOf = (objects: Objects) =>
  workloadsOf(objects).map(({ metadata, spec }) => ({ name: metadata.name, spec: spec.template.spec }));

export const containersOf = (objects: Objects) =>
  podsOf(objects).flatMap(({ name, spec }) => spec.containers.map((container) => ({ name, pod: spec, container })));

export const deploymentsOf = (objects: Objects) => ofKind(objects, 'Deployment');

/** Role of a Deployment. */
export const roleOf = ({ metadata }: KubernetesObject): string => metadata.labels['app.kubernetes.io/component'] ?? '';

/** Names of those that break a condition. */
export const unless = <T extends { readonly name: string }>(all: readonly T[], holds: (each: T) => boolean): string[] =>
  all.filter((each) => !holds(each)).map(({ name }) => name);

export function first<T>(all: readonly T[]): T {
  const [one] = all;
  if (one === undefined) throw new Error('The list is empty.');
  return one;
}

/** berth.yaml of each ConfigMap. */
export const settingsOf = (objects: Objects): unknown[] =>
  ofKind(objects, 'ConfigMap').map(({ data }) => parse(data['berth.yaml']));

/** Value of one setting. */
export const at = (settings: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], settings);

/** Replaces top-level keys of berth.yaml. */
export function replaceSettings(objects: Objects, replacement: Readonly<Record<string, unknown>>): void {
  for (const { data } of ofKind(objects, 'ConfigMap'))
    data['berth.yaml'] = stringify({ ...parse(data['berth.yaml']), ...replacement });
}
