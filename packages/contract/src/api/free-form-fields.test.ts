import { describe, expect, test } from 'vitest';
import { defaultBrand } from './brand.ts';
import { freeFormFields } from './free-form-fields-fixture.ts';
import { openApiDocument } from './openapi/open-api-document.ts';

type Schema = Record<string, unknown>;

const apiUrl = 'https://api.test';
const document = openApiDocument({ brand: defaultBrand, apiUrl, baseUrl: `${apiUrl}/v0`, gatewayUrl: apiUrl });

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typing = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'];
const isUntyped = (schema: unknown): boolean =>
  schema === true || (isObject(schema) && !typing.some((keyword) => keyword in schema));

/** An object without declared fields is as untyped as a schema without a type. */
const isOpen = (schema: Schema): boolean =>
  schema.type === 'object' && !('properties' in schema) && !('additionalProperties' in schema);

function untypedIn(schema: unknown, place: string): string[] {
  if (isUntyped(schema)) return [place];
  if (!isObject(schema)) return [];
  const { properties, items, prefixItems, additionalProperties } = schema;
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...(isOpen(schema) ? [place] : []),
    ...(additionalProperties === undefined
      ? []
      : isUntyped(additionalProperties)
        ? [place]
        : untypedIn(additionalProperties, `${place}{}`)),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, inner]) =>
      untypedIn(inner, `${place}.${name}`),
    ),
    ...(schema.type === 'array' ? untypedIn(items ?? true, `${place}[]`) : []),
    ...(Array.isArray(prefixItems) ? prefixItems.flatMap((inner) => untypedIn(inner, `${place}[]`)) : []),
    ...branches.flatMap((inner) => untypedIn(inner, place)),
  ];
}

/** Finds the schemas in parameters, bodies and responses, at any depth: they are under the key `schema`. */
function untypedBelow(value: unknown, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((inner) => untypedBelow(inner, place));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'schema' ? untypedIn(inner, place) : untypedBelow(inner, `${place}/${key}`),
  );
}

const found = [
  ...Object.entries(document.components.schemas ?? {}).flatMap(([name, schema]) => untypedIn(schema, name)),
  ...untypedBelow(document.paths, 'paths'),
  ...untypedBelow(document.components.parameters, 'parameters'),
  ...untypedBelow(document.components.responses, 'responses'),
];
const listed = freeFormFields.flatMap(({ schemas, path }) => schemas.map((schema) => `${schema}.${path}`));

describe('free-form fields', () => {
  test('every untyped schema of the document is listed with a reason', () => {
    expect([...new Set(found)].filter((place) => !listed.includes(place))).toEqual([]);
    expect(freeFormFields.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });

  test('no listed field has become typed or was removed', () => {
    expect(listed.filter((place) => !found.includes(place))).toEqual([]);
  });

  test('the walk sees untyped values wherever they hide', () => {
    const hiding = {
      type: 'object',
      properties: { any: {}, list: { type: 'array' }, map: { type: 'object', additionalProperties: true } },
      anyOf: [{ type: 'object' }],
    };
    expect(untypedIn(hiding, 'X').sort()).toEqual(['X', 'X.any', 'X.list[]', 'X.map']);
  });
});
