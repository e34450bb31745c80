// Operations of the management API as clients call them.
import { type Field, type Schema, type Type, typeOf } from './type-model.ts';

export interface CalledOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The path stands behind the host, without the prefix of the API. */
  readonly isAtRoot: boolean;
  readonly isPublic: boolean;
  readonly params: readonly string[];
  readonly query: readonly Field[];
  readonly body: Type | undefined;
  /** Undefined for an answer without a body. */
  readonly answer: Type | undefined;
  /** The answer is one page of a list. */
  readonly isPaged: boolean;
}

interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Schema[];
  readonly requestBody?: Schema;
  readonly responses: Readonly<Record<string, Schema>>;
  readonly security?: readonly unknown[];
  readonly servers?: readonly unknown[];
}

export function calledOperations(
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>,
): CalledOperation[] {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => called(path, method.toUpperCase(), operation)),
    )
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function called(path: string, method: string, operation: Described): CalledOperation {
  const { operationId: id, summary, parameters, requestBody, responses, security, servers } = operation;
  const query = parameters.flatMap((parameter) => (parameter.in === 'query' ? [queryField(parameter)] : []));
  return {
    ...{ id, method, path, summary, query },
    isAtRoot: servers !== undefined,
    isPublic: security?.length === 0,
    params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    body: jsonIn(requestBody),
    answer: pageOf(jsonIn(responses[200])),
    isPaged: method === 'GET' && query.some(({ name }) => name === 'cursor'),
  };
}

const queryField = ({ name, schema, required, description }: Schema): Field => ({
  name: String(name),
  type: typeOf(schema),
  isRequired: required === true,
  isReadOnly: false,
  description: typeof description === 'string' ? description : undefined,
});

function jsonIn(holder: Schema | undefined): Type | undefined {
  const content = holder?.content;
  if (typeof content !== 'object' || content === null || !('application/json' in content)) return undefined;
  const media: unknown = content['application/json'];
  return typeof media === 'object' && media !== null && 'schema' in media ? typeOf(media.schema) : undefined;
}

/** Lists are answered as bare arrays too, to clients of an older version. Ours ask for the newest. */
function pageOf(type: Type | undefined): Type | undefined {
  if (type?.is !== 'union') return type;
  const [page, ...others] = type.of;
  return page?.is === 'ref' && others.every(({ is }) => is === 'list') ? page : type;
}
