import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { pathParameters } from '../path-params.ts';
import { pendingOperations } from '../pending.ts';
import { scopes } from '../scopes.ts';
import { operations } from './registry.ts';

const repeated = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index);
const addressOf = ({ base = 'base_url', method, path }: Pick<Operation, 'base' | 'path'> & { method: string }) =>
  `${base} ${method} ${path}`;
const ids = (some: readonly Operation[]) => some.map(({ id }) => id);
const keysOf = (schema: z.ZodType) => (schema instanceof z.ZodObject ? Object.keys(schema.shape) : []);

/** Address with its parameters left open: two addresses of the same shape cannot be told apart. */
const shapeOf = (address: string) => address.replace(/\{\w+\}/g, '{}');

describe('operations', () => {
  test('are unique by id and by address', () => {
    expect(repeated(ids(operations))).toEqual([]);
    expect(repeated(operations.map((operation) => shapeOf(addressOf(operation))))).toEqual([]);
    expect(operations.filter(({ id }) => !/^[a-z][A-Za-z0-9]*$/.test(id))).toEqual([]);
  });

  test('write an audit entry whenever they change something', () => {
    const changesNothing = ['checkWorkspaceAvailability'];
    const silent = operations.filter(({ method, audit }) => method !== 'GET' && audit === undefined);
    expect(ids(silent)).toEqual(changesNothing);
    expect(ids(operations.filter(({ method, audit }) => method === 'GET' && audit !== undefined))).toEqual([]);
  });

  test('declare every parameter of their path and no other', () => {
    for (const { id, params, path } of operations) {
      expect({ id, params: keysOf(params).sort() }).toEqual({ id, params: pathParameters(path).sort() });
    }
  });

  test('ask for scopes that exist', () => {
    const asked = operations.flatMap(({ access }) => ('scopes' in access ? access.scopes : []));
    expect(asked.filter((scope) => !scopes.includes(scope))).toEqual([]);
  });

  test('name in the path whatever their access is decided by', () => {
    const account = operations.filter(({ access }) => access.kind === 'account');
    expect(ids(account.filter(({ path }) => !path.includes('{accountId}')))).toEqual([]);
    const inPath = operations.filter(({ access }) => access.kind === 'workspaceInPath');
    expect(ids(inPath.filter(({ path }) => !/\{workspace(Name)?\}/.test(path)))).toEqual([]);
  });

  test('let the workspace be chosen by query wherever it is not in the path', () => {
    const wrong = operations.filter(
      ({ access, query }) => (access.kind === 'workspace') !== keysOf(query).includes('workspace'),
    );
    // A filter there: the metrics are those of an account.
    expect(ids(wrong)).toEqual(['getAccountMetrics']);
  });

  test('scope every workspace operation: a limited key opens nothing by accident', () => {
    const open = operations.filter(
      ({ access }) => (access.kind === 'workspace' || access.kind === 'workspaceInPath') && access.scopes.length === 0,
    );
    // These need the scope of the kind that their query names.
    expect(ids(open)).toEqual(['followLogs', 'listLogs', 'listRequestMetrics']);
  });

  test('read a body only on POST and PUT', () => {
    expect(
      ids(operations.filter(({ body, method }) => body !== undefined && !['POST', 'PUT'].includes(method))),
    ).toEqual([]);
    // These operations need only their path.
    const bodiless = ['startSandbox', 'stopSandbox'];
    expect(ids(operations.filter(({ body, method }) => body === undefined && method === 'PUT'))).toEqual(bodiless);
  });

  test('mark every write whose answer shows a secret', () => {
    const secretNames = ['client_secret', 'apiKey', 'access_token', 'callbackSecret', 'token'];
    const shows = ({ answer, method }: Operation) => {
      if (method === 'GET' || method === 'DELETE') return false;
      const schema = JSON.stringify(z.toJSONSchema(answer, { io: 'output', unrepresentable: 'any' }));
      return secretNames.some((name) => schema.includes(`"${name}":{`));
    };
    const marked = operations.filter(({ secretAnswer }) => secretAnswer === true);
    expect(ids(operations.filter(shows)).sort()).toEqual(ids(marked).sort());
    expect(ids(marked)).toContain('createServiceAccount');
  });
});

describe('pending operations', () => {
  test('are not served, and none is listed twice', () => {
    const served = new Set(operations.map((operation) => shapeOf(addressOf(operation))));
    const pending = pendingOperations.map((operation) => shapeOf(addressOf(operation)));
    expect(pending.filter((address) => served.has(address))).toEqual([]);
    expect(repeated(pending)).toEqual([]);
  });

  test('each says what it waits for', () => {
    expect(pendingOperations.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});
