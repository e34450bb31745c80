// Keys restricted to some scopes, and the operations that each scope opens.
import { operations } from '@berth/contract';
import { expect } from 'vitest';
import type { Client } from '../../harness/client.ts';
import type { TestApi } from '../../harness/test-api.ts';
import { missingScope, type Place, probe, scopesOf } from './probe.ts';

/** A client with a key of `owner` restricted to these scopes. */
export async function withScopes(owner: Client, ...scopes: string[]): Promise<Client> {
  const { status, body } = await owner.post('/profile/api_keys', { scopes });
  expect([status, body.scopes]).toEqual([200, scopes]);
  return owner.with({ key: body.apiKey });
}

const ranges = operations.filter((operation) => scopesOf(operation).length > 0);
const atOnce = 8;
let thrownAway = 0;

/**
 * A permitted deleteWorkspace or leaveWorkspace would end the shared workspace, so each gets a workspace made for it.
 */
async function placeFor(api: TestApi, id: string, letIn: boolean): Promise<Place> {
  const { workspace, accountId } = api;
  if (!letIn || !['deleteWorkspace', 'leaveWorkspace'].includes(id)) return { workspace, accountId };
  thrownAway += 1;
  await api.addWorkspace(`thrown-away-${thrownAway}`);
  return { workspace: `thrown-away-${thrownAway}`, accountId };
}

/**
 * Calls every operation that requires scopes with a key of this one scope. Operations that the scope covers let the
 * caller in (and then miss the resource or the body); all others refuse and name a missing scope. Returns the ids of
 * the operations that let the caller in.
 */
export async function openedBy(api: TestApi, scope: string): Promise<string[]> {
  const client = await withScopes(api.admin, scope);
  const opened: string[] = [];
  const call = async (operation: (typeof operations)[number]) => {
    const missing = scope === 'admin' ? [] : scopesOf(operation).filter((needed) => needed !== scope);
    const place = await placeFor(api, operation.id, missing.length === 0);
    const answer = await probe(client, operation, place);
    if (missing.length > 0) {
      expect(missing, `${operation.id} with ${scope}: ${answer.text}`).toContain(missingScope(answer));
      return;
    }
    expect([200, 400, 404, 409], `${operation.id} with ${scope}: ${answer.text}`).toContain(answer.status);
    opened.push(operation.id);
  };
  for (let index = 0; index < ranges.length; index += atOnce)
    await Promise.all(ranges.slice(index, index + atOnce).map(call));
  return opened;
}

/** Operations that require exactly this scope. */
export const declaredFor = (scope: string): string[] =>
  ranges.filter((operation) => scopesOf(operation).every((needed) => needed === scope)).map(({ id }) => id);
