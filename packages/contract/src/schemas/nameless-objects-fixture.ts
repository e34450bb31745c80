// Finds objects of a document that have no name of their own. Used by tests.
import { isRecord, recordIn } from './json-schema.ts';

/** Places of objects that are neither components nor references to one. Objects without known properties need no name. */
export function namelessObjects(document: {
  readonly paths: unknown;
  readonly components: Readonly<Record<string, unknown>>;
}): string[] {
  const { schemas, ...others } = document.components;
  const components = Object.entries(recordIn(schemas)).flatMap(([name, schema]) =>
    Object.entries(recordIn(schema)).flatMap(([key, value]) =>
      key === 'properties' ? childrenOf(value, name) : objectsIn(value, `${name}.${key}`),
    ),
  );
  return [...components, ...objectsIn(document.paths, 'paths'), ...objectsIn(others, 'components')];
}

const childrenOf = (value: unknown, place: string): string[] =>
  Object.entries(recordIn(value)).flatMap(([key, inner]) => objectsIn(inner, `${place}.${key}`));

function objectsIn(value: unknown, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each, at) => objectsIn(each, `${place}[${at}]`));
  if (!isRecord(value)) return [];
  const isNameless = value.type === 'object' && Object.keys(recordIn(value.properties)).length > 0;
  return [...(isNameless ? [place] : []), ...childrenOf(value, place)];
}
