// The OpenAPI 3.1 document of the guest's routes, generated from the table of operations alone.
import * as z from 'zod/mini';
import { ErrorAnswer } from '../answers.ts';
import type { GuestAnswer, GuestBody, GuestOperation } from '../operations/operation.ts';
import { guestOperations } from '../operations/registry.ts';
import { type GuestRoute, guestRoutes } from '../routes.ts';

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

const uploadSchema: Json = {
  type: 'object',
  properties: { file: { type: 'string', format: 'binary' }, permissions: { type: 'string' } },
  required: ['file'],
};

export function guestApiDocument(version: string): GuestApiDocument {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of guestRoutes) {
    const path = route.path.replace('{path*}', '/{path}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route, guestOperations[route.id]) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Sandbox API', version },
    paths,
    components: {
      securitySchemes: {
        runner: { type: 'http', scheme: 'Runner', description: 'A request that the runner of the sandbox has signed.' },
      },
    },
  };
}

function describe(route: GuestRoute, operation: GuestOperation): Json {
  return {
    operationId: route.id,
    tags: [operation.tag],
    summary: operation.summary,
    parameters: [...pathParameters(route, operation), ...queryParameters(operation)],
    ...(operation.body === undefined ? {} : { requestBody: bodyOf(operation.body) }),
    responses: responsesOf(operation),
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

function bodyOf(body: GuestBody): Json {
  const form = { 'multipart/form-data': { schema: uploadSchema } };
  if (body === 'upload') return { required: true, content: form };
  return {
    required: body.optional !== true,
    content: { ...jsonContent(body.json, 'input'), ...(body.orUpload ? form : {}) },
  };
}

function responsesOf({ answer, statuses, signed }: GuestOperation): Json {
  const failures = [...statuses, ...(signed ? [401, 403] : []), 500].sort((a, b) => a - b);
  const responses: Record<string, Json> = {};
  if (answer !== undefined) responses[200] = { description: 'The answer.', content: contentOf(answer) };
  for (const status of failures) {
    const description = statusTexts[status] ?? '';
    responses[status] = statusesWithoutBody.has(status)
      ? { description }
      : { description, content: jsonContent(ErrorAnswer, 'output') };
  }
  return responses;
}

function contentOf(answer: GuestAnswer): Json {
  const others = Object.fromEntries((answer.types ?? []).map((type) => [type, { schema: { type: 'string' } }]));
  if (!('json' in answer)) return others;
  const schemas = answer.json.map((schema) => jsonSchema(schema, 'output'));
  return { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } }, ...others };
}

const jsonContent = (schema: z.ZodMiniType, io: 'input' | 'output'): Json => ({
  'application/json': { schema: jsonSchema(schema, io) },
});

/** Answers may gain fields: a client that refuses unknown fields would break with the next release. */
function jsonSchema(schema: z.ZodMiniType, io: 'input' | 'output'): Json {
  const { $schema: _named, ...described } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: part }) => {
      if (part.additionalProperties === false) delete part.additionalProperties;
      if (part.minimum === Number.MIN_SAFE_INTEGER) delete part.minimum;
      if (part.maximum === Number.MAX_SAFE_INTEGER) delete part.maximum;
    },
  });
  return described;
}
