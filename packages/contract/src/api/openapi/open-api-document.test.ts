import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namelessObjects } from '../../schemas/nameless-objects-fixture.ts';
import { defaultBrand } from '../brand.ts';
import { freeFormFields } from '../free-form-fields-fixture.ts';
import { operations } from '../operations/registry.ts';
import { pathParameters } from '../path-params.ts';
import { openApiDocument } from './open-api-document.ts';

type Json = Record<string, unknown>;

const settings = {
  brand: defaultBrand,
  baseUrl: 'https://api.test/v0',
  apiUrl: 'https://api.test',
  gatewayUrl: 'https://run.test',
};
const document = openApiDocument(settings);
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function everyObject(value: unknown): Json[] {
  if (Array.isArray(value)) return value.flatMap(everyObject);
  return isObject(value) ? [value, ...Object.values(value).flatMap(everyObject)] : [];
}

const resolve = (reference: string): unknown =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);

const find = (id: string) => described.find(({ operation }) => operation.operationId === id)?.operation;

describe('the OpenAPI document', () => {
  test('is the same every time it is made', () => {
    expect(JSON.stringify(openApiDocument(settings))).toBe(JSON.stringify(document));
  });

  test('describes every operation and nothing else', () => {
    const served = operations.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}`);
    const listed = described.map(({ method, operation, path }) => `${operation.operationId} ${method} ${path}`);
    expect(listed.sort()).toEqual(served.sort());
  });

  test('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test('has no reference that leads nowhere, and no component that nothing refers to', () => {
    const references = everyObject(document).flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    expect(references.filter((reference) => !isObject(resolve(reference)))).toEqual([]);
    const components = Object.entries(document.components)
      .filter(([section]) => section !== 'securitySchemes')
      .flatMap(([section, members]) => Object.keys(members).map((name) => `#/components/${section}/${name}`));
    expect(components.filter((component) => !references.includes(component))).toEqual([]);
  });

  test('declares each path parameter once and as required', () => {
    for (const { path, operation } of described) {
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(pathParameters(path));
      expect(declared.every(({ required }) => required === true)).toBe(true);
      const names = operation.parameters.map(({ name, in: where, $ref }) => `${where} ${name} ${$ref}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('gives every operation an answer and the errors it may give', () => {
    for (const { method, operation } of described) {
      const statuses = Object.keys(operation.responses);
      expect(statuses).toEqual(expect.arrayContaining(['200', '400', '500', '503']));
      expect(statuses.includes('422')).toBe(method === 'post');
      expect(statuses.includes('401')).toBe(operation['x-access'].kind !== 'public');
      expect(statuses.includes('413')).toBe(operation.requestBody !== undefined);
    }
    expect(Object.keys(find('createJobExecution')?.responses ?? {})).toContain('429');
  });

  test('shows the form of sandbox errors once the caller is known', () => {
    const { responses = {} } = find('createSandbox') ?? {};
    expect(responses[409]).toEqual({ $ref: '#/components/responses/SandboxError409' });
    expect(responses[401]).toEqual({ $ref: '#/components/responses/Error401' });
  });

  test('asks for a credential everywhere but at public addresses, and lists no scheme that is not served', () => {
    const open = described.filter(({ operation }) => operation.security?.length === 0);
    expect(open.map(({ operation }) => operation.operationId).sort()).toEqual([
      'getChangelog',
      'getDiscovery',
      'getDriveKeys',
    ]);
    expect(Object.keys(document.components.securitySchemes ?? {})).toEqual(['bearer', 'brandedHeader']);
  });

  test('describes query text as what it stands for', () => {
    const parameters = find('listSandboxes')?.parameters ?? [];
    const schemaOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema;
    expect(schemaOf('limit')).toEqual({ type: 'integer', minimum: 1 });
    expect(schemaOf('showTerminated')).toEqual({ type: 'boolean' });
    expect(JSON.stringify(document)).not.toContain('queryType');
  });

  test('carries the brand in its headers', () => {
    const branded = openApiDocument({ ...settings, brand: { long: 'Acme', short: 'acme' } });
    const { parameters = {}, securitySchemes = {} } = branded.components;
    expect([parameters.Version?.name, parameters.Workspace?.name, securitySchemes.brandedHeader?.name]).toEqual([
      'Acme-Version',
      'X-Acme-Workspace',
      'X-Acme-Authorization',
    ]);
    expect(JSON.stringify(branded)).not.toMatch(/X-Service|Service-Version/);
  });

  test('introduces itself with its addresses, and with links that lead to operations', () => {
    const text = String(document.info.description);
    for (const address of [settings.baseUrl, settings.gatewayUrl]) expect(text).toContain(address);
    const links = [...text.matchAll(/\(#tag\/([^)]+)\)/g)].map(([, link]) => link);
    const operationLinks = described.map(
      ({ method, path, operation }) => `${operation.tags[0]?.toLowerCase()}/${method.toUpperCase()}${path}`,
    );
    expect(links.length).toBeGreaterThan(0);
    expect(operationLinks).toEqual(expect.arrayContaining(links));
  });

  test('gives every object a name, and no name ends in a digit', () => {
    expect(namelessObjects(document)).toEqual([]);
    expect(Object.keys(document.components.schemas ?? {}).filter((name) => /\d$/.test(name))).toEqual([]);
  });

  test('sends the address without the version prefix to its own server', () => {
    expect(find('createJobExecutionByAddress')?.servers).toEqual([{ url: 'https://api.test' }]);
  });
});

describe('what clients send', () => {
  const bodies = described.flatMap(({ operation }) =>
    operation.requestBody === undefined ? [] : [operation.requestBody],
  );

  function unbounded(schema: unknown, place: string): string[] {
    if (!isObject(schema)) return [];
    if (typeof schema.$ref === 'string') return unbounded(resolve(schema.$ref), schema.$ref.split('/').at(-1) ?? '');
    if (freeFormFields.some(({ schemas, path }) => schemas.some((name) => `${name}.${path}` === place))) {
      return unboundedFields(schema, place);
    }
    const limit = { string: 'maxLength', array: 'maxItems', integer: 'maximum', number: 'maximum' };
    const needed = Object.entries(limit).find(([type]) => type === schema.type)?.[1];
    const closed = needed === undefined || needed in schema || 'enum' in schema || 'const' in schema;
    const map = isObject(schema.additionalProperties) && !('maxProperties' in schema);
    return [...(closed && !map ? [] : [place]), ...unboundedFields(schema, place)];
  }

  function unboundedFields(schema: Json, place: string): string[] {
    const { properties, items, additionalProperties, anyOf } = schema;
    return [
      ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, inner]) =>
        unbounded(inner, `${place}.${name}`),
      ),
      ...unbounded(items, `${place}[]`),
      ...unbounded(additionalProperties, `${place}{}`),
      ...(Array.isArray(anyOf) ? anyOf.flatMap((inner) => unbounded(inner, place)) : []),
    ];
  }

  test('is bounded in every text, list, map and number', () => {
    expect([
      ...new Set(bodies.flatMap((body) => everyObject(body).flatMap(({ schema }) => unbounded(schema, 'body')))),
    ]).toEqual([]);
  });

  test('is judged without throwing and without touching prototypes, whatever it is', () => {
    const judged = operations.filter(({ body }) => body !== undefined);
    const spec = fc.dictionary(
      fc.constantFrom('runtime', 'triggers', 'volumes', 'network', 'secret', '__proto__'),
      fc.jsonValue(),
    );
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ metadata: fc.jsonValue(), spec }),
      fc.record({ tasks: fc.jsonValue(), env: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...judged), body, (operation, given) => {
        operation.body?.safeParse(JSON.parse(JSON.stringify(given)));
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test('is judged in time that grows with its length, not with its square', () => {
    const long = 500_000;
    const texts = ['a', '-', '.', '/', 'a.', 'http://a', '1', '[', ',', 'a@'].map(
      (part) => `${part.repeat(long / part.length)} `,
    );
    const before = process.threadCpuUsage().user;
    for (const text of texts) {
      for (const { body } of operations) {
        body?.safeParse({
          name: text,
          email: text,
          expires_in: text,
          image: text,
          metadata: { name: text, externalId: text },
          spec: {
            region: text,
            template: text,
            githubRunner: { repositories: text },
            triggers: [{ type: 'cron', id: text, configuration: { callbackUrl: `http://${text}`, schedule: text } }],
            runtime: { ttl: text, expires: text },
            urls: [{ domain: text }],
          },
        });
      }
    }
    expect(process.threadCpuUsage().user - before).toBeLessThan(10_000_000);
  });
});
