import fc from 'fast-check';
import { expect, test } from 'vitest';
import { terminalToken, withoutTerminalToken } from './terminal-token.ts';

const part = fc
  .tuple(
    fc.constantFrom('cols', 'sessionId', 'tokens', 'Token', 'a%2Fb', ''),
    fc.constantFrom('', '=', '=1', '=x%26token'),
  )
  .map((pair) => pair.join(''));
const token = fc.constantFrom('token=KEY', 'to%6ben=KEY', '%74oken=KEY', 'token=K%45Y');
const place = fc.constantFrom('/terminal', '/terminal/', '/terminal/ws', '/terminal/ws/');

test('one token is found anywhere in the query, and the rest stays unchanged', () => {
  fc.assert(
    fc.property(place, fc.array(part), token, fc.array(part), (path, before, own, after) => {
      const full = `${path}?${[...before, own, ...after].join('&')}`;
      const rest = [...before, ...after].join('&');
      expect(terminalToken(full)).toBe('KEY');
      expect(withoutTerminalToken(full)).toBe(rest === '' ? path : `${path}?${rest}`);
      expect(withoutTerminalToken(full)).not.toContain('KEY');
    }),
  );
});

test('a path without a token is unchanged, and several tokens count as none', () => {
  fc.assert(
    fc.property(place, fc.array(part), (path, parts) => {
      const full = `${path}?${parts.join('&')}`;
      expect(terminalToken(full)).toBeUndefined();
      expect(withoutTerminalToken(full)).toBe(full);
    }),
  );
  expect(terminalToken('/terminal?token=a&token=b')).toBeNull();
  expect(withoutTerminalToken('/terminal?token=a&x&token=b')).toBe('/terminal?x');
});

test.each(['/terminals?token=a', '/terminal/ws/x?token=a', '/x/terminal?token=a', '//terminal?token=a', '/terminal'])(
  '%s is no terminal that takes one',
  (path) => {
    expect(terminalToken(path)).toBeUndefined();
    expect(withoutTerminalToken(path)).toBe(path);
  },
);
