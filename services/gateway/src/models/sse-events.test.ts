import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GrowingBytes } from './growing-bytes.ts';
import { type SseEvent, SseEvents } from './sse-events.ts';

const kib = 1024;

/** Cuts bytes at positions. */
function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const sorted = [0, ...positions.map((position) => position % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

function split(chunks: readonly Buffer[]) {
  const events = new SseEvents();
  const complete: SseEvent[] = [];
  const unread: Buffer[] = [];
  for (const chunk of chunks) {
    const found = events.push(chunk);
    complete.push(...found.complete);
    unread.push(...found.unread);
  }
  return { complete, last: events.end(), unread };
}

const eventsIn = (chunks: readonly Buffer[]) => {
  const { complete, last, unread } = split(chunks);
  expect(unread).toEqual([]);
  return [...complete, ...(last === undefined ? [] : [last])].map(({ bytes, data }) => ({
    bytes: bytes.toString(),
    data,
  }));
};
const dataOf = (text: string): string[] =>
  eventsIn([Buffer.from(text)]).flatMap(({ data }) => (data === undefined ? [] : [data]));

describe('events', () => {
  test.each(['\n', '\r\n', '\r'])('end with a blank line after lines that end with %j', (end) => {
    const events = [`event: a${end}data: 1${end}${end}`, `: comment${end}${end}`, `data: 2${end}data:3${end}${end}`];
    expect(eventsIn([Buffer.from(events.join(''))])).toEqual([
      { bytes: events[0], data: '1' },
      { bytes: events[1], data: undefined },
      { bytes: events[2], data: '2\n3' },
    ]);
  });

  test('join the lines of their data, without one space in front', () => {
    expect(dataOf('data:  a \nid: 7\ndata\ndata:\ndata: b: c\n\n')).toEqual([' a \n\n\nb: c']);
  });

  test('have no data in other fields and in comments', () => {
    expect(dataOf('event: data\n:data: x\n data: x\ndatas: x\nDATA: x\n\n')).toEqual([]);
  });

  test('ignore a byte order mark at the beginning only', () => {
    expect(dataOf('\u{feff}data: 1\n\n\u{feff}data: 2\n\ndata: \u{feff}3\n\n')).toEqual(['1', '\u{feff}3']);
  });

  test('without a blank line at the end are given at the end', () => {
    expect(dataOf('data: 1\n\ndata: 2')).toEqual(['1', '2']);
    expect(dataOf('data: 2\r')).toEqual(['2']);
    expect(dataOf('data: 2\r\r')).toEqual(['2']);
    expect(eventsIn([])).toEqual([]);
  });

  test('are given as soon as they are complete', () => {
    const events = new SseEvents();
    expect(events.push(Buffer.from('data: 1\n')).complete).toHaveLength(0);
    expect(events.push(Buffer.from('\ndata: 2\r\n\r\nda')).complete.map(({ data }) => data)).toEqual(['1', '2']);
    expect(events.push(Buffer.from('ta: 3\n\n')).complete.map(({ data }) => data)).toEqual(['3']);
    expect(events.end()).toBeUndefined();
  });
});

/** The specification, line by line, for a whole text. */
function expectedData(text: string): string[] {
  const found: string[] = [];
  let lines: string[] = [];
  const finish = (): void => {
    if (lines.length > 0) found.push(lines.join('\n'));
    lines = [];
  };
  for (const line of text.replace(/^\u{feff}/u, '').split(/\r\n|\r|\n/)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') lines.push(value);
    if (line === '') finish();
  }
  finish();
  return found;
}

const streamText = fc
  .tuple(
    fc.constantFrom('', '\u{feff}'),
    fc.array(
      fc.oneof(
        fc.constantFrom(
          '\n',
          '\r',
          '\r\n',
          '\n\n',
          '\r\n\r\n',
          '\r\r',
          'data',
          'data:',
          'data: ',
          ': note',
          'event: a',
          ' ',
        ),
        fc.constantFrom('é', '\u{1f600}', '{"a":1}', ':', 'x'),
      ),
      { maxLength: 40 },
    ),
  )
  .map(([mark, parts]) => mark + parts.join(''));

describe('however a stream is cut into chunks,', () => {
  test('its events are the same, and together they are its bytes', () => {
    fc.assert(
      fc.property(streamText, fc.array(fc.nat(), { maxLength: 8 }), (text, positions) => {
        const bytes = Buffer.from(text);
        const whole = eventsIn([bytes]);
        expect(whole.map((event) => event.bytes).join('')).toBe(text);
        expect(eventsIn(cut(bytes, positions))).toEqual(whole);
        expect(eventsIn([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
        expect(whole.flatMap(({ data }) => (data === undefined ? [] : [data]))).toEqual(expectedData(text));
      }),
      { numRuns: 300 },
    );
  });

  test('characters of several bytes stay whole', () => {
    const bytes = Buffer.from('data: é€\u{1f600}\r\n\r\ndata: 2\n\n');
    for (let at = 0; at <= bytes.length; at += 1)
      expect(eventsIn(cut(bytes, [at])).map(({ data }) => data)).toEqual(['é€\u{1f600}', '2']);
  });
});

describe('an event that is too long', () => {
  test('ends the reading; its bytes and all that follow are given unread, in order', () => {
    const bytes = Buffer.from(`data: 1\n\ndata: ${'x'.repeat(300 * kib)}\n\ndata: 3\n\n`);
    const chunks = cut(bytes, [100 * kib, 200 * kib, 250 * kib, 270 * kib, 290 * kib]);
    const { complete, last, unread } = split(chunks);
    expect(complete.map(({ data }) => data)).toEqual(['1']);
    expect(last).toBeUndefined();
    expect(Buffer.concat([...complete.map((event) => event.bytes), ...unread]).equals(bytes)).toBe(true);
  });

  test('is one of more than 256 KiB', () => {
    const longest = Buffer.from(`data: ${'x'.repeat(256 * kib - 6)}`);
    expect(longest.length).toBe(256 * kib);
    expect(split([longest, Buffer.from('\n\n')]).complete).toHaveLength(1);
    expect(split([longest, Buffer.from('x'), Buffer.from('\n\n')]).complete).toHaveLength(0);
  });
});

test('pieces of every size are joined in order, and nothing is left of them', () => {
  const bytes = new GrowingBytes();
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (pieces) => {
      for (const piece of pieces) bytes.add(Buffer.from(piece));
      const expected = Buffer.concat(pieces);
      expect(bytes.length).toBe(expected.length);
      expect(bytes.take().equals(expected)).toBe(true);
      expect(bytes.length).toBe(0);
    }),
  );
});
