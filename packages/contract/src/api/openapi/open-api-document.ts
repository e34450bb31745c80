// The OpenAPI 3.1 document of the served operations, generated from the operations alone.
import { convert, type JsonSchema, propertiesOf } from '../../schemas/json-schema.ts';
import { NamedSchemas, titled } from '../../schemas/named-schemas.ts';
import { type Brand, type HeaderNames, headerNames } from '../brand.ts';
import type { Operation } from '../operation.ts';
import { operations } from '../operations/registry.ts';
import { NoAnswer } from '../schema/shared.ts';
import { versions } from '../versions.ts';
import { ErrorResponses } from './error-responses.ts';
import { type Addresses, introduction } from './introduction.ts';

export interface OpenApiSettings extends Addresses {
  readonly brand: Brand;
  readonly apiUrl: string;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly security?: readonly JsonSchema[];
  readonly servers?: readonly { readonly url: string }[];
  /** Access rule of the operation, as in the contract. */
  readonly 'x-access': Operation['access'];
  /** Our own addition to the interface that this API is compatible with. */
  readonly 'x-addition'?: true;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: JsonSchema;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly security: readonly JsonSchema[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
}

const header = (name: string, schema: JsonSchema, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const headerParameters = (names: HeaderNames): Record<string, JsonSchema> => ({
  IdempotencyKey: header(
    'Idempotency-Key',
    { type: 'string', minLength: 1, maxLength: 255 },
    'The same key with the same request gives the first answer again for 24 hours.',
  ),
  Version: header(
    names.version,
    { type: 'string', enum: versions.map(({ name }) => name), default: versions[0]?.name },
    'Behaviour to answer with.',
  ),
  Workspace: header(
    names.workspace,
    { type: 'string', maxLength: 64 },
    'Workspace to work in; may be left out by a credential that has exactly one.',
  ),
});

const parameterRef = (name: string): JsonSchema => ({ $ref: `#/components/parameters/${name}` });

function headersOf({ access, method }: Operation): JsonSchema[] {
  return [
    parameterRef('Version'),
    ...(access.kind === 'workspace' ? [parameterRef('Workspace')] : []),
    ...(method === 'POST' ? [parameterRef('IdempotencyKey')] : []),
  ];
}

/** Parameters are texts, numbers and lists of these, so none of them needs a name. */
const parametersIn = (schema: Operation['query']): JsonSchema => convert(schema, 'input').root;

function pathParametersOf({ params }: Operation): JsonSchema[] {
  return propertiesOf(parametersIn(params)).map(({ name, schema }) => ({
    name,
    in: 'path',
    required: true,
    schema,
  }));
}

function queryParametersOf(operation: Operation): JsonSchema[] {
  const { query, queryBeforeWrappedLists } = operation;
  const current = propertiesOf(parametersIn(query));
  const before = queryBeforeWrappedLists === undefined ? [] : propertiesOf(parametersIn(queryBeforeWrappedLists));
  const known = new Set(current.map(({ name }) => name));
  return [...current, ...before.filter(({ name }) => !known.has(name))].map(({ name, schema, required }) => ({
    name,
    in: 'query',
    required,
    schema,
  }));
}

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });

function successOf({ id, answer, answersCsv }: Operation, schemas: NamedSchemas): JsonSchema {
  if (answer === NoAnswer) return { description: 'Done.' };
  const csv = answersCsv === true ? { 'text/csv': { schema: { type: 'string' } } } : {};
  return {
    description: 'The answer.',
    content: { ...json(schemas.schema(answer, 'output', `${titled(id)}Answer`)), ...csv },
  };
}

function describe(
  operation: Operation,
  schemas: NamedSchemas,
  errors: ErrorResponses,
  apiUrl: string,
): OpenApiOperation {
  const { access, base, body, id, summary, tag } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    parameters: [...pathParametersOf(operation), ...queryParametersOf(operation), ...headersOf(operation)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: json(schemas.schema(body, 'input', `${titled(id)}Body`)) } }),
    responses: { 200: successOf(operation, schemas), ...errors.of(operation) },
    ...(access.kind === 'public' ? { security: [] } : {}),
    ...(base === 'api_url' ? { servers: [{ url: apiUrl }] } : {}),
    'x-access': access,
    ...(operation.isAddition === true ? { 'x-addition': true } : {}),
  };
}

export function openApiDocument({ brand, baseUrl, apiUrl, gatewayUrl }: OpenApiSettings): OpenApiDocument {
  const names = headerNames(brand);
  const schemas = new NamedSchemas();
  const errors = new ErrorResponses(schemas);
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const operation of operations) {
    const described = describe(operation, schemas, errors, apiUrl);
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described };
  }
  const named = schemas.finish({ paths, responses: errors.components() });
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand.long} management API`,
      version: versions.at(-1)?.name ?? '',
      description: introduction({ baseUrl, gatewayUrl }),
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    security: [{ bearer: [] }, { brandedHeader: [] }],
    paths: named.document.paths,
    components: {
      parameters: headerParameters(names),
      responses: named.document.responses,
      schemas: named.schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key in the header Authorization.' },
        brandedHeader: {
          type: 'apiKey',
          in: 'header',
          name: names.authorization,
          description: 'The same, as "Bearer <key>"; wins when both headers are there.',
        },
      },
    },
  };
}
