// Errors that an operation documents, and their form.
import type { JsonSchema } from '../../schemas/json-schema.ts';
import type { NamedSchemas } from '../../schemas/named-schemas.ts';
import type { Operation } from '../operation.ts';
import { SandboxError } from '../schema/sandbox.ts';
import { ErrorBody, VersionErrorBody } from '../schema/shared.ts';

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request, its cursor or its version is not valid.',
  401: 'No valid credential was given.',
  403: 'The role, the scope, the workspace or the account limit does not allow it.',
  404: 'There is no such resource, or it belongs to somebody else.',
  409: 'The name is taken, or the resource is in use.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The Idempotency-Key was used with another request.',
  429: 'There is no capacity now and queueing was refused.',
  500: 'Something went wrong on the side of the service.',
  503: 'The service cannot answer right now.',
};

function statusesOf(operation: Operation): number[] {
  const { access, method, body, path, errors = [] } = operation;
  const statuses = [
    400,
    ...(access.kind === 'public' ? [] : [401, 403]),
    ...(path.includes('{') ? [404] : []),
    ...(method === 'GET' ? [] : [409]),
    ...(body === undefined ? [] : [413, 415]),
    ...(method === 'POST' ? [422] : []),
    ...errors,
    500,
    503,
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

function bodyOf(schemas: NamedSchemas, status: number, form: Operation['errorForm']): JsonSchema {
  const forms = [
    ...(form === 'sandbox' ? [SandboxError] : []),
    ErrorBody,
    ...(status === 400 ? [VersionErrorBody] : []),
  ].map((body) => schemas.schema(body, 'output', `Error${status}`));
  const [only, ...more] = forms;
  return only !== undefined && more.length === 0 ? only : { anyOf: forms };
}

const nameOf = (status: number, form: Operation['errorForm']): string =>
  form === undefined ? `Error${status}` : `SandboxError${status}`;

/** Error responses as shared components: they are the same everywhere, so operations refer to them. */
export class ErrorResponses {
  readonly #schemas: NamedSchemas;
  readonly #components = new Map<string, JsonSchema>();

  constructor(schemas: NamedSchemas) {
    this.#schemas = schemas;
  }

  of(operation: Operation): Record<string, JsonSchema> {
    return Object.fromEntries(
      // 401 keeps the common form, because the caller is not known yet when a credential is refused.
      statusesOf(operation).map((status) => [
        status,
        this.#reference(status, status === 401 ? undefined : operation.errorForm),
      ]),
    );
  }

  #reference(status: number, form: Operation['errorForm']): JsonSchema {
    const name = nameOf(status, form);
    if (!this.#components.has(name)) {
      const schema = bodyOf(this.#schemas, status, form);
      const description = descriptions[status];
      if (description === undefined) throw new Error(`Status ${status} has no description`);
      this.#components.set(name, { description, content: { 'application/json': { schema } } });
    }
    return { $ref: `#/components/responses/${name}` };
  }

  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
