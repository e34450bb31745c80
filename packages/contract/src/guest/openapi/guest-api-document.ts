// The OpenAPI 3.1 document of the guest's routes, generated from the table of operations alone.
import { NamedSchemas, titled } from '../../schemas/named-schemas.ts';
import { ErrorAnswer } from '../answers.ts';
import type { GuestAnswer, GuestBody, GuestOperation } from '../operations/operation.ts';
import { guestOperations } from '../operations/registry.ts';
import { type GuestRoute, guestRoutes } from '../routes.ts';
import { schemaNames } from './schema-names.ts';

type Json = Readonly<Record<string, unknown>>;

export type GuestApiDocument = {
  openapi: '3.1.0';
  info: Json;
  paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  components: Readonly<Record<string, Json>>;
};

const statusTexts: Readonly<Record<number, string>> = {
  101: 'The connection is a WebSocket from here on.',
  202: 'Taken; there is nothing to answer.',
  206: 'A part, as the header Range asked for.',
  304: 'It has not changed.',
  400: 'The request is not as described.',
  401: 'Only the runner of this sandbox may do this.',
  403: 'Refused.',
  404: 'There is no such thing.',
  405: 'Not this method.',
  406: 'The header Accept allows no answer of this route.',
  409: 'It does not fit what is there.',
  413: 'The body is too large.',
  415: 'The body is of another type.',
  416: 'The header Range asks for what is not there.',
  422: 'Understood, but the sandbox cannot do it.',
  426: 'This address speaks WebSocket.',
  429: 'Too many at once.',
  500: 'The guest failed.',
  501: 'This deployment cannot do it.',
  503: 'It is not configured.',
};
const statusesWithoutBody = new Set([101, 202, 206, 304]);

const fileUpload: Json = {
  type: 'object',
  properties: { file: { type: 'string', format: 'binary' }, permissions: { type: 'string' } },
  required: ['file'],
};

export function guestApiDocument(version: string): GuestApiDocument {
  const schemas = new NamedSchemas(schemaNames);
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of guestRoutes) {
    const path = route.path.replace('{path*}', '/{path}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, guestOperations[route.id], schemas) };
  }
  const named = schemas.finish(paths);
  return {
    openapi: '3.1.0',
    info: { title: 'Sandbox API', version },
    paths: named.document,
    components: {
      schemas: { ...named.schemas, FileUpload: fileUpload },
      securitySchemes: {
        runner: { type: 'http', scheme: 'Runner', description: 'A request that the runner of the sandbox has signed.' },
      },
    },
  };
}

function describe(route: GuestRoute, operation: GuestOperation, schemas: NamedSchemas): Json {
  const name = titled(route.id);
  return {
    operationId: route.id,
    tags: [operation.tag],
    summary: operation.summary,
    parameters: [...pathParameters(route, operation), ...queryParameters(operation)],
    ...(operation.body === undefined ? {} : { requestBody: bodyOf(operation.body, `${name}Body`, schemas) }),
    responses: responsesOf(operation, `${name}Answer`, schemas),
    security: operation.signed ? [{ runner: [] }] : [],
  };
}

function pathParameters({ path }: GuestRoute, operation: GuestOperation): Json[] {
  return [...path.matchAll(/\{(\w+)\*?\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: name === 'pid' ? 'integer' : 'string' },
    ...(operation.path?.[name] === undefined ? {} : { description: operation.path[name] }),
  }));
}

function queryParameters({ query = {} }: GuestOperation): Json[] {
  return Object.entries(query).map(([name, { description, required, ...schema }]) => ({
    name,
    in: 'query',
    required: required ?? false,
    description,
    schema,
  }));
}

function bodyOf(body: GuestBody, name: string, schemas: NamedSchemas): Json {
  const form = { 'multipart/form-data': { schema: { $ref: '#/components/schemas/FileUpload' } } };
  if (body === 'upload') return { required: true, content: form };
  return {
    required: body.optional !== true,
    content: {
      ...jsonContent(schemas.schema(body.json, 'input', name)),
      ...(body.orUpload ? form : {}),
      ...bytesContent(body.types),
    },
  };
}

function responsesOf({ answer, statuses, signed }: GuestOperation, name: string, schemas: NamedSchemas): Json {
  const failures = [...statuses, ...(signed ? [401, 403] : []), 500].sort((a, b) => a - b);
  const responses: Record<string, Json> = {};
  if (answer !== undefined) responses[200] = { description: 'The answer.', content: contentOf(answer, name, schemas) };
  for (const status of failures) {
    const description = statusTexts[status] ?? '';
    responses[status] = statusesWithoutBody.has(status)
      ? { description }
      : { description, content: jsonContent(schemas.schema(ErrorAnswer, 'output', 'Error')) };
  }
  return responses;
}

const bytesContent = (types: readonly string[] = []): Record<string, Json> =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));

function contentOf(answer: GuestAnswer, name: string, schemas: NamedSchemas): Json {
  const others = bytesContent(answer.types);
  if (!('json' in answer)) return others;
  const [first = {}, ...more] = answer.json.map((schema) => schemas.schema(schema, 'output', name));
  return { ...jsonContent(more.length === 0 ? first : { anyOf: [first, ...more] }), ...others };
}

const jsonContent = (schema: Json): Json => ({ 'application/json': { schema } });
