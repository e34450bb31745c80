import { appendFileSync, mkdirSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OutputLog } from './output-log.ts';
import { PieceText } from './piece-text.ts';
import { type Cursor, type Marker, outputStart, type Part, type Piece, ProcessOutput } from './process-output.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'output-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Chunk = { stream: 'stdout' | 'stderr'; bytes: Buffer; newFile: boolean };

/** Writes as the helper does: raw logs, and `all` with a head before each piece; a new file only between two pieces. */
class Writer {
  readonly ends = { stdout: 0, stderr: 0, all: 0 };
  readonly #starts = { stdout: 0, stderr: 0, all: 0 };
  readonly #part: string;

  constructor(part: string) {
    this.#part = join(folder, part);
    mkdirSync(this.#part);
  }

  write({ stream, bytes, newFile }: Chunk): void {
    const head = Buffer.alloc(5);
    head.writeUInt8(stream === 'stdout' ? 1 : 2);
    head.writeUInt32LE(bytes.length, 1);
    this.#append(stream, bytes, newFile);
    this.#append('all', Buffer.concat([head, bytes]), newFile);
  }

  path(name: 'stdout' | 'stderr' | 'all', start: number): string {
    return join(this.#part, `${name}-${start.toString(16).padStart(16, '0')}`);
  }

  #append(name: 'stdout' | 'stderr' | 'all', bytes: Buffer, newFile: boolean): void {
    if (newFile) this.#starts[name] = this.ends[name];
    appendFileSync(this.path(name, this.#starts[name]), bytes);
    this.ends[name] += bytes.length;
  }
}

const chunks = fc.array(
  fc.record({
    stream: fc.constantFrom<('stdout' | 'stderr')[]>('stdout', 'stderr'),
    bytes: fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\n'), minLength: 1, maxLength: 30 }).chain((text) => {
      const bytes = Buffer.from(text);
      return fc.integer({ min: 1, max: bytes.length }).map((end) => bytes.subarray(0, end));
    }),
    newFile: fc.boolean(),
  }),
  { maxLength: 25 },
);

const partOf = (name: string, base = { stdout: 0, stderr: 0, all: 0 }): Part => ({ name, base, ends: undefined });

function drain(output: ProcessOutput, from: Cursor): { pieces: Piece[]; cursor: Cursor } {
  const pieces: Piece[] = [];
  let cursor = from;
  for (let found = output.read(cursor); found !== undefined; found = output.read(cursor)) {
    pieces.push(...found.pieces);
    cursor = found.cursor;
  }
  return { pieces, cursor };
}

const bytesOf = (pieces: readonly Piece[]) =>
  Buffer.concat(pieces.flatMap((piece) => (piece.kind === 'output' ? [piece.bytes] : [])));

let parts = 0;
function newPart(): string {
  parts += 1;
  return `part-${parts}`;
}

test('R-05 a reader that attaches anywhere and reads at any moment sees every byte once, in order', () => {
  fc.assert(
    fc.property(chunks, fc.infiniteStream(fc.boolean()), (written, reads) => {
      const name = newPart();
      const writer = new Writer(name);
      const output = new ProcessOutput(folder, [partOf(name)], []);
      const seen: Piece[] = [];
      let cursor = outputStart;
      for (const chunk of written) {
        writer.write(chunk);
        if (!reads.next().value) continue;
        const got = drain(output, cursor);
        seen.push(...got.pieces);
        cursor = got.cursor;
      }
      const rest = drain(output, cursor);
      seen.push(...rest.pieces);
      expect(seen.every(({ kind }) => kind === 'output')).toBe(true);
      expect(bytesOf(seen)).toEqual(Buffer.concat(written.map(({ bytes }) => bytes)));
      expect(rest.cursor.at).toBe(writer.ends.all);
    }),
  );
});

test('the tail is exactly the last bytes of the output, regardless of pieces and files', () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 200 }), (written, maxBytes) => {
      const name = newPart();
      const writer = new Writer(name);
      for (const chunk of written) writer.write(chunk);
      const output = new ProcessOutput(folder, [partOf(name)], []);
      const whole = Buffer.concat(written.map(({ bytes }) => bytes));
      expect(bytesOf(drain(output, output.tail(maxBytes)).pieces)).toEqual(
        whole.subarray(Math.max(0, whole.length - maxBytes)),
      );
    }),
  );
});

test('R-03 output that was dropped at the head is a gap of the right length, and offsets stay', () => {
  fc.assert(
    fc.property(chunks, fc.nat(20), (written, released) => {
      const name = newPart();
      const writer = new Writer(name);
      for (const chunk of written) writer.write(chunk);
      const log = new OutputLog(join(folder, name), 'all');
      const starts = log.fileStarts();
      const gone = starts.slice(0, Math.min(released, Math.max(0, starts.length - 1)));
      for (const start of gone) unlinkSync(writer.path('all', start));
      const first = starts[gone.length] ?? 0;
      const { pieces, cursor } = drain(new ProcessOutput(folder, [partOf(name)], []), outputStart);
      expect(pieces.flatMap((piece) => (piece.kind === 'gap' ? [piece.bytes] : []))).toEqual(first > 0 ? [first] : []);
      expect(cursor.at).toBe(writer.ends.all);
    }),
  );
});

test('R-03 a reader that continues before the oldest kept byte gets a gap first, of what it missed', () => {
  fc.assert(
    fc.property(chunks, fc.nat(20), fc.nat(), (written, released, place) => {
      const name = newPart();
      const writer = new Writer(name);
      for (const chunk of written) writer.write(chunk);
      const output = new ProcessOutput(folder, [partOf(name)], []);
      const offsets = [0, ...drain(output, outputStart).pieces.map(({ next }) => next)];
      const at = offsets[place % offsets.length] ?? 0;
      const starts = new OutputLog(join(folder, name), 'all').fileStarts();
      const gone = starts.slice(0, Math.min(released, Math.max(0, starts.length - 1)));
      for (const start of gone) unlinkSync(writer.path('all', start));
      const first = starts[gone.length] ?? 0;
      const { pieces, cursor } = drain(output, output.cursorToContinue(at));
      expect(pieces.flatMap((piece) => (piece.kind === 'gap' ? [piece.bytes] : []))).toEqual(
        at < first ? [first - at] : [],
      );
      expect(cursor.at).toBe(writer.ends.all);
    }),
  );
});

test('a log file that is deleted during a read becomes one gap, and the rest follows', () => {
  const writer = new Writer('p');
  for (const text of ['one', 'two', 'three'])
    writer.write({ stream: 'stdout', bytes: Buffer.from(text), newFile: text !== 'one' });
  const output = new ProcessOutput(folder, [partOf('p')], []);
  const first = output.read(outputStart);
  expect(bytesOf(first?.pieces ?? []).toString()).toBe('one');
  unlinkSync(writer.path('all', 8));
  const { pieces } = drain(output, first?.cursor ?? outputStart);
  expect(pieces).toEqual([
    { kind: 'gap', bytes: 8, atHead: false, next: 16 },
    { kind: 'output', stream: 'stdout', bytes: Buffer.from('three'), next: 26 },
  ]);
});

test('an incomplete record is not read, and becomes a gap when it can no longer be completed', () => {
  const writer = new Writer('p');
  writer.write({ stream: 'stdout', bytes: Buffer.from('abc'), newFile: false });
  appendFileSync(writer.path('all', 0), Buffer.from([1, 9, 0, 0, 0, 0x78]));
  const output = new ProcessOutput(folder, [partOf('p')], []);
  const { pieces, cursor } = drain(output, outputStart);
  expect(bytesOf(pieces).toString()).toBe('abc');
  expect(cursor.at).toBe(8);
  expect(output.markerOffset()).toBe(8);
  const later = Buffer.from([2, 1, 0, 0, 0, 0x79]);
  writeFileSync(writer.path('all', 22), later);
  expect(drain(output, cursor).pieces).toEqual([
    { kind: 'gap', bytes: 14, atHead: false, next: 22 },
    { kind: 'output', stream: 'stderr', bytes: Buffer.from('y'), next: 28 },
  ]);
});

test('R-24 the attempts of a process are one output, with markers at their exact places', () => {
  const text = (stream: 'stdout' | 'stderr', value: string): Chunk => ({
    stream,
    bytes: Buffer.from(value),
    newFile: false,
  });
  const first = new Writer('1');
  first.write(text('stdout', 'out'));
  first.write(text('stderr', 'err'));
  const second = new Writer('2');
  second.write(text('stdout', 'again\n'));
  // Output that a leftover of the first attempt writes after its end is not shown.
  const ends = { ...first.ends };
  first.write(text('stdout', 'late'));
  const all: Part[] = [{ ...partOf('1'), ends }, partOf('2', ends)];
  const markers: Marker[] = [
    { id: 0, at: 8, text: '[stopping]', breaks: false },
    { id: 1, at: ends.all, text: '[restart]', breaks: true },
  ];
  const output = new ProcessOutput(folder, all, markers);
  const shown = new PieceText();
  const texts = [...shown.take(drain(output, outputStart).pieces), ...shown.end()];
  expect(texts.map((one) => one.text).join('')).toBe('out\n[stopping]\nerr\n[restart]\nagain\n');
  expect(output.readStream('stdout', 0, 100)?.bytes.toString()).toBe('out');
  expect(output.readStream('stdout', 3, 100)?.bytes.toString()).toBe('again\n');
  expect(output.end('stdout')).toBe(9);
  expect(bytesOf(drain(output, output.tail(8)).pieces).toString()).toBe('rragain\n');
});

test('a character that arrives in two pieces is decoded as one', () => {
  const bytes = Buffer.from('é😀');
  const text = new PieceText();
  const pieces: Piece[] = [...bytes].map((byte) => ({
    ...{ kind: 'output', stream: 'stdout', bytes: Buffer.from([byte]), next: 0 },
  }));
  expect([...text.take(pieces), ...text.end()]).toEqual([{ stream: 'stdout', text: 'é😀' }]);
});

test('between two attempts a read returns nothing', () => {
  const writer = new Writer('1');
  writer.write({ stream: 'stdout', bytes: Buffer.from('out'), newFile: false });
  const kept: Part[] = [{ ...partOf('1'), ends: { ...writer.ends } }];
  const output = new ProcessOutput(folder, kept, [{ id: 0, at: 8, text: '[restart]', breaks: true }]);
  const { pieces, cursor } = drain(output, outputStart);
  expect(pieces.map(({ kind }) => kind)).toEqual(['output', 'marker']);
  expect(output.read(cursor)).toBeUndefined();
  expect(output.readStream('stdout', 3, 10)).toBeUndefined();
});
