// Checks the description of the API against a real guest: no route answers with a status that it does not describe.
import { guestApiDocument } from '@berth/contract/guest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';

type Described = { operationId: string; requestBody?: unknown; responses: Record<string, unknown> };

const operations = Object.entries(guestApiDocument('test').paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({
    path,
    method: method.toUpperCase(),
    ...(described as Described),
  })),
);
const bodies = [
  undefined,
  '{}',
  '[]',
  'nonsense',
  '{"command":7,"files":7,"parts":[],"signal":"x","data":7,"content":7}',
];

let guest: GuestProcess;
beforeAll(async () => {
  guest = await startGuestProcess();
});
afterAll(() => guest[Symbol.asyncDispose]());

describe.each(['none', '1', '%2Fproc%2Fno%2Fsuch', '%00', '%zz', 'x'.repeat(5000)])('with %s in its path', (value) => {
  it.each(operations)(
    '$method $path gives a status that it describes',
    async ({ path, method, responses, requestBody }) => {
      // Files that a call makes stay inside the folder that the test deletes.
      const target = `${guest.url}${path.replace(/\{\w+\}/, value)}?query=x&maxResults=-1`;
      for (const body of requestBody === undefined ? [undefined] : bodies) {
        const answer = await fetch(target, {
          method,
          ...(body === undefined ? {} : { body }),
          signal: AbortSignal.timeout(45_000),
        });
        const { status } = answer;
        await answer.body?.cancel();
        expect(status).not.toBe(500);
        expect(Object.keys(responses), `${method} ${target.slice(0, 200)} with ${body}`).toContain(String(status));
      }
    },
  );
});

it('input to a process that was started without stdin gives a status that its route describes', async () => {
  const send = (path: string, body: object) =>
    fetch(`${guest.url}${path}`, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(45_000) });
  expect((await send('/process', { name: 'plain', command: 'sleep 1000' })).status).toBe(200);
  const { status } = await send('/process/plain/stdin', {});
  const described = operations.find(({ operationId }) => operationId === 'processInput');
  expect(Object.keys(described?.responses ?? {})).toContain(String(status));
  expect(status).toBe(422);
});
