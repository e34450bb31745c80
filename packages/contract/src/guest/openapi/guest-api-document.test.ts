import { describe, expect, it } from 'vitest';
import { namelessObjects } from '../../schemas/nameless-objects-fixture.ts';
import { guestRoutes } from '../routes.ts';
import { guestApiDocument } from './guest-api-document.ts';

const document = guestApiDocument('1.2.3');
type Described = {
  operationId: string;
  summary: string;
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<string, { description: string; content?: Record<string, unknown> }>;
  security: object[];
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ path, method, ...(described as Described) })),
);
const operation = (id: string) => operations.find(({ operationId }) => operationId === id);

describe('the description of the guest', () => {
  it('holds every route once', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(guestRoutes.map(({ id }) => id).sort());
  });

  it('describes every part of a path, and every status in words', () => {
    for (const { path, parameters, responses, summary } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(named);
      expect(summary).toMatch(/\.$/);
      for (const { description } of Object.values(responses)) expect(description).not.toBe('');
    }
  });

  it('describes the answer of every route, or why it has none', () => {
    for (const { operationId, responses } of operations) {
      const statuses = Object.keys(responses).map(Number);
      expect(
        statuses.some((status) => status < 400 || [403, 404, 405, 400, 501].includes(status)),
        operationId,
      ).toBe(true);
      expect(statuses).toContain(500);
    }
  });

  it('gives every object a name, and no name ends in a digit', () => {
    expect(namelessObjects(document)).toEqual([]);
    expect(Object.keys(document.components.schemas ?? {}).filter((name) => /\d$/.test(name))).toEqual([]);
  });

  it('holds the rules of the bodies', () => {
    const schema = operation('processStart')?.requestBody?.content['application/json']?.schema;
    expect(schema).toEqual({ $ref: '#/components/schemas/ProcessRequest' });
    expect(document.components.schemas?.ProcessRequest).toMatchObject({ type: 'object', required: ['command'] });
    expect(Object.keys(operation('fileWrite')?.requestBody?.content ?? {})).toEqual([
      'application/json',
      'multipart/form-data',
    ]);
  });

  it('marks the routes that only the runner may call', () => {
    const signed = operations.filter(({ security }) => security.length > 0).map(({ operationId }) => operationId);
    expect(signed).toEqual([
      'tunnelConfigure',
      'tunnelEnd',
      'environmentReload',
      'controlState',
      'controlEnvironment',
      'controlQuiesce',
      'controlRehearse',
    ]);
    for (const id of signed)
      expect(Object.keys(operation(id)?.responses ?? {})).toEqual(expect.arrayContaining(['401', '403']));
  });
});
