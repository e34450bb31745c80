import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { selectRange } from './select-range.ts';

const changedAt = new Date('2026-03-04T05:06:07.890Z');
const date = changedAt.toUTCString();
const marks = { size: 100, etag: 'W/"1-64"', changedAt };

describe('one range is honoured', () => {
  test.each([
    ['bytes=0-9', 0, 10],
    ['bytes=90-', 90, 100],
    ['bytes=-10', 90, 100],
    ['bytes=-1000', 0, 100],
    ['bytes=50-5000', 50, 100],
    ['bytes=99-99', 99, 100],
  ])('%s', (range, start, end) => expect(selectRange({ range }, marks)).toEqual({ status: 206, start, end }));
});

test.each(['bytes=100-', 'bytes=5000-6000', 'bytes=-0'])('a range beyond the file, %s, is a 416', (range) =>
  expect(selectRange({ range }, marks)).toEqual({ status: 416 }),
);

test.each(['bytes=9-0', 'bytes=-', 'bytes=0-1,5-6', 'lines=1-2', 'bytes', 'bytes=a-b'])('%s is ignored', (range) =>
  expect(selectRange({ range }, marks)).toEqual({ status: 200, start: 0, end: 100 }),
);

test('a range of an empty file is a 416; without a range the file is sent', () => {
  expect(selectRange({ range: 'bytes=0-' }, { ...marks, size: 0 })).toEqual({ status: 416 });
  expect(selectRange({ range: 'bytes=-5' }, { ...marks, size: 0 })).toEqual({ status: 416 });
  expect(selectRange({}, { ...marks, size: 0 })).toEqual({ status: 200, start: 0, end: 0 });
});

test('an unchanged file is answered with 304', () => {
  for (const tag of ['W/"1-64"', '"1-64"', '*', '"other", W/"1-64"']) {
    expect(selectRange({ 'if-none-match': tag }, marks)).toEqual({ status: 304 });
  }
  expect(selectRange({ 'if-modified-since': date }, marks)).toEqual({ status: 304 });
});

test('a changed file is sent, and an etag takes precedence over a date', () => {
  expect(selectRange({ 'if-none-match': '"other"', 'if-modified-since': date }, marks)).toMatchObject({ status: 200 });
  expect(selectRange({ 'if-modified-since': new Date(0).toUTCString() }, marks)).toMatchObject({ status: 200 });
  expect(selectRange({ 'if-modified-since': 'yesterday' }, marks)).toMatchObject({ status: 200 });
});

test('If-Range accepts the exact date and never a weak etag', () => {
  const range = 'bytes=0-9';
  expect(selectRange({ range, 'if-range': date }, marks)).toMatchObject({ status: 206 });
  expect(selectRange({ range, 'if-range': new Date(0).toUTCString() }, marks)).toMatchObject({ status: 200 });
  expect(selectRange({ range, 'if-range': marks.etag }, marks)).toMatchObject({ status: 200 });
});

test('no header selects bytes outside the file', () =>
  fc.assert(
    fc.property(fc.nat(300), fc.nat(300), fc.nat(200), fc.constantFrom('a-b', 'a-', '-b'), (a, b, size, form) => {
      const range = `bytes=${form.replace('a', String(a)).replace('b', String(b))}`;
      const selected = selectRange({ range }, { ...marks, size });
      if (selected.status === 304 || selected.status === 416) return;
      expect(selected.start).toBeGreaterThanOrEqual(0);
      expect(selected.end).toBeLessThanOrEqual(size);
      if (selected.status === 206) expect(selected.end).toBeGreaterThan(selected.start);
    }),
  ));
