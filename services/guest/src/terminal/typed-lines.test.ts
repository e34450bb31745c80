import { describe, expect, it } from 'vitest';
import { notShownText, TypedLines } from './typed-lines.ts';

function collect() {
  const lines: string[] = [];
  return { lines, typed: new TypedLines((line) => lines.push(line)) };
}

/** Types key by key, as on a terminal with echo. */
function typeWithEcho(typed: TypedLines, text: string): void {
  for (const key of text) {
    typed.typed(key);
    typed.shown(key === '\x7f' ? '\b \b' : key === '\r' ? '\r\n' : key);
  }
}

describe('typed lines', () => {
  it('an echoed line is reported once, when return is pressed', () => {
    const { lines, typed } = collect();
    typeWithEcho(typed, 'ls -l\rpwd\r');
    expect(lines).toEqual(['ls -l', 'pwd']);
  });

  it('editing keys are applied and escape sequences are removed', () => {
    const { lines, typed } = collect();
    typeWithEcho(typed, 'echo lx\x7fs\r');
    typed.typed('\x1b[Acat\x1b[1;5C \x1bOHfile\r');
    typed.shown('cat file\r\n');
    typed.typed('gone\x15kept\r');
    typed.shown('kept\r\n');
    typed.typed('one two\x17three\r');
    typed.shown('one three\r\n');
    expect(lines).toEqual(['echo ls', 'cat file', 'kept', 'one three']);
  });

  it('an escape sequence that is split over two frames is removed', () => {
    const { lines, typed } = collect();
    typed.typed('a\x1b[1');
    typed.typed('5~b\r');
    typed.shown('ab\r\n');
    expect(lines).toEqual(['ab']);
  });

  it('a pasted line is reported when its echo arrives, even with colours', () => {
    const { lines, typed } = collect();
    typed.typed('\x1b[200~npm test\x1b[201~\r');
    typed.shown('\x1b[32mnpm\x1b[0m te');
    typed.shown('st\r\n');
    expect(lines).toEqual(['npm test']);
  });

  it('R-54 what is typed at a password prompt is never reported', () => {
    const { lines, typed } = collect();
    typeWithEcho(typed, 'sudo id\r');
    typed.shown('[sudo] password for me: ');
    typed.typed('hunter2\r');
    typed.shown('\r\n');
    typed.shown('Sorry, try again.\r\n');
    typed.typed('hunter3');
    typed.typed('\r');
    typed.end();
    expect(lines.join('\n')).not.toMatch(/hunter/);
    expect(lines).toEqual(['sudo id', notShownText, notShownText]);
  });

  it('endless input and output need bounded memory', () => {
    const { lines, typed } = collect();
    typed.typed('x'.repeat(1_000_000));
    typed.shown('x'.repeat(1_000_000));
    typed.typed('\r');
    expect(lines).toEqual(['x'.repeat(4096)]);
    typed.typed(`\x1b]${'y'.repeat(1_000_000)}`);
    typed.typed('\x07ok\r');
    typed.shown('ok');
    expect(lines.length).toBeGreaterThan(0);
  });
});
