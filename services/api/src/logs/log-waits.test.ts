import { expect, test } from 'vitest';
import { LogWaits } from './log-waits.ts';

const present = new AbortController().signal;

test('an account has twenty waits, and a wait that ends makes room', () => {
  const waits = new LogWaits();
  const begun = Array.from({ length: 20 }, () => waits.begin('one', present));
  expect(begun.map(({ signal }) => signal.aborted)).not.toContain(true);
  const refused = waits.begin('one', present);
  expect(refused.signal.aborted).toBe(true);
  expect(waits.begin('other', present).signal.aborted).toBe(false);
  refused[Symbol.dispose]();
  begun[0]?.[Symbol.dispose]();
  expect(waits.begin('one', present).signal.aborted).toBe(false);
});

test('waits end when the client is gone, and when the api stops', () => {
  const waits = new LogWaits();
  const gone = new AbortController();
  const [left, stays] = [waits.begin('one', gone.signal), waits.begin('one', present)];
  gone.abort();
  expect([left.signal.aborted, stays.signal.aborted]).toEqual([true, false]);
  waits.close();
  expect([stays.signal.aborted, waits.begin('one', present).signal.aborted]).toEqual([true, true]);
});
