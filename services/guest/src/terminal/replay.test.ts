import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtLine } from './replay.ts';

describe('the cut of a replay', () => {
  it('is the whole output when that fits', () => {
    expect(cutAtLine(Buffer.from('half a line'), false, 100).toString()).toBe('half a line');
  });

  it('begins at the start of a line', () => {
    expect(cutAtLine(Buffer.from('one\ntwo\nthree\n'), true, 9).toString()).toBe('three\n');
    expect(cutAtLine(Buffer.from('one\ntwo\nthree\n'), true, 10).toString()).toBe('two\nthree\n');
  });

  it('begins at a whole character when no line begins within the limit', () => {
    expect(cutAtLine(Buffer.from('€€€'), true, 4).toString()).toBe('€');
  });

  it('never exceeds its limit, ends where the output ends, and is valid UTF-8', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '€', '😀', '\n', '\x1b[31m')), fc.nat(40), (pieces, maxBytes) => {
        const bytes = Buffer.from(pieces.join(''));
        const cut = cutAtLine(bytes, bytes.length > maxBytes, maxBytes);
        expect(cut.length <= maxBytes || bytes.length <= maxBytes).toBe(true);
        expect(bytes.subarray(bytes.length - cut.length).equals(cut)).toBe(true);
        expect(Buffer.from(cut.toString()).equals(cut)).toBe(true);
      }),
    );
  });
});
