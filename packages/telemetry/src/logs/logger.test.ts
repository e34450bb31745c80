import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';
import { startWideEvent } from './wide-event.ts';

function capture(level: 'debug' | 'info' = 'info') {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, logger: createLogger({ role: 'api' }, { level, destination }) };
}

test('a line carries role, level by name and time', () => {
  const { lines, logger } = capture();
  logger.info({ workspace: 'w1' }, 'hello');
  expect(lines).toEqual([
    expect.objectContaining({ role: 'api', level: 'info', workspace: 'w1', msg: 'hello', time: expect.any(String) }),
  ]);
});

test('secrets are hidden at any depth, in bindings too, and measurements are not', () => {
  const { lines, logger } = capture();
  logger.child({ apiKey: 'leak-1' }).info({
    headers: { authorization: 'Bearer leak-2', cookie: ['leak-3'], accept: 'text/html' },
    spec: { env: [{ dbPassword: 'leak-4', clientSecret: 'leak-5', name: 'x' }] },
    usage: { inputTokens: 12 },
    url: 'postgres://berth:leak-6@db.example/berth',
    note: 'sent bearer leak-7',
  });
  expect(JSON.stringify(lines)).not.toContain('leak');
  expect(lines[0]).toMatchObject({ usage: { inputTokens: 12 }, headers: { accept: 'text/html' } });
});

test('an error keeps type, message, code and cause, without secrets', () => {
  const { lines, logger } = capture();
  const cause = new Error('refused by postgres://u:leak@db');
  logger.error({ err: Object.assign(new TypeError('no database', { cause }), { code: 'E1', token: 'leak' }) });
  expect(lines[0]).toMatchObject({ err: { type: 'TypeError', message: 'no database', code: 'E1' } });
  expect(lines[0]).toMatchObject({ err: { cause: { message: 'refused by postgres://u:[redacted]@db' } } });
  logger.error({ err: Object.assign(new Error('bearer leak'), { errno: -104 }) }, 'failed');
  expect(lines[1]).toMatchObject({ err: { message: 'bearer [redacted]', errno: -104 } });
  expect(JSON.stringify(lines)).not.toContain('leak');
});

test('a wide event is one line with everything collected and its duration', () => {
  const { lines, logger } = capture();
  const clock = [100, 142.5];
  const event = startWideEvent(logger, 'request', { requestId: 'r1' }, { now: () => clock.shift() ?? 0 });
  event.add({ workspace: 'w1' });
  event.end({ status: 200 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    event: 'request',
    requestId: 'r1',
    workspace: 'w1',
    status: 200,
    outcome: 'ok',
    durationMs: 42.5,
  });
});

test('a wide event is written once, even when it is ended twice', () => {
  const { lines, logger } = capture();
  const event = startWideEvent(logger, 'request');
  event.fail(new Error('broken'), { status: 500 });
  event.end({ status: 200 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ level: 'error', outcome: 'error', status: 500, err: { message: 'broken' } });
});
