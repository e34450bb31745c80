import { expect, test } from 'vitest';
import { asksForAsync, withoutAsync } from './asks-for-async.ts';

test.each([
  ['/?async=true', '/'],
  ['/run?async=true', '/run'],
  ['/run?a=1&async=true&b=%20', '/run?a=1&b=%20'],
  ['/run?async=true&async=true', '/run'],
])('%s asks for it, and the agent sees %s', (path, seen) => {
  expect([asksForAsync('agent', path), withoutAsync(path)]).toEqual([true, seen]);
});

test.each(['/', '/async=true', '/?async=false', '/?async', '/?xasync=true', '/?async=true1', '/?q=async%3Dtrue'])(
  '%s does not, and stays as it is',
  (path) => {
    expect([asksForAsync('agent', path), withoutAsync(path)]).toEqual([false, path]);
  },
);

test('a function refuses it, and a path of a sandbox belongs to the sandbox', () => {
  expect(() => asksForAsync('function', '/mcp?async=true')).toThrow('Only agents');
  expect(asksForAsync('sandbox', '/port/3000/?async=true')).toBe(false);
});
