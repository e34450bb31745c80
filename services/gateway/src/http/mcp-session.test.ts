import fc from 'fast-check';
import { expect, test } from 'vitest';
import { incomingSession, outgoingSession } from './mcp-session.ts';

const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
});

test('a session id survives the way out and back, in any form', () => {
  fc.assert(
    fc.property(visible, fc.uuid(), (id, instance) => {
      const value = outgoingSession(id, instance);
      expect(value).toMatch(/^[\x21-\x7e]+$/);
      expect(incomingSession(value)).toEqual({ id, instance });
      expect(incomingSession(outgoingSession(value, instance))).toEqual({ id: value, instance });
    }),
  );
});

test('a session id without an instance is not changed', () => {
  for (const value of ['', 'abc', 'a.b', `a.${'x'.repeat(21)}`, `a.${'x'.repeat(23)}`, `${'x'.repeat(22)}`]) {
    expect(incomingSession(value)).toEqual({ id: value, instance: undefined });
  }
});
