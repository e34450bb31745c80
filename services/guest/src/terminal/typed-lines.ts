// Command lines as a person typed them, for the audit log: editing keys are applied, escape sequences removed. A line
// is logged only if it was shown: a password typed at a prompt appears on no screen, and must not appear in a log.

const maxLineCharacters = 4096;
const maxShownCharacters = 16 * 1024;
/** Echo may arrive in pieces; a line that is not in this many pieces was not shown. */
const maxPiecesToWait = 4;

export const notShownText = '(not shown on the screen)';

// Made from strings, since control characters in a regular expression are mostly a mistake; here they are intended.
const [esc, bel] = ['\x1b', '\x07'];
const csiBody = String.raw`\[[0-?]*[ -/]*`;
const oscBody = `\\][^${bel}${esc}]*`;
const stringBody = `[PX^_][^${esc}]*`;
const shortBody = String.raw`[ -/]*[0-NQ-WYZ\\${'`'}-~]`;
const controlSequence = new RegExp(
  `^${esc}(?:${csiBody}[@-~]|${oscBody}(?:${bel}|${esc}\\\\)|${stringBody}${esc}\\\\|O.|${shortBody})`,
  's',
);
const unfinishedSequence = new RegExp(`^${esc}(?:${csiBody}|${oscBody}${esc}?|${stringBody}${esc}?|O|[ -/]*)$`, 's');

type PendingLine = { line: string; pieces: number };

export class TypedLines {
  readonly #report: (line: string) => void;
  #line = '';
  #escape = '';
  #shown = '';
  #pending: PendingLine[] = [];

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  typed(text: string): void {
    for (const character of text) this.#key(character);
  }

  /** Takes the text that the terminal printed meanwhile. */
  shown(text: string): void {
    this.#shown = (this.#shown + text).slice(-maxShownCharacters);
    this.#reportShown(true);
  }

  /** Called when the client is gone: a line that was not shown by now never will be. */
  end(): void {
    for (const _ of this.#pending) this.#report(notShownText);
    this.#pending = [];
  }

  #key(character: string): void {
    if (this.#escape !== '' || character === '\x1b') {
      this.#escape += character;
      if (controlSequence.test(this.#escape) || !unfinishedSequence.test(this.#escape)) this.#escape = '';
      if (this.#escape.length > maxLineCharacters) this.#escape = '';
      return;
    }
    if (character === '\r' || character === '\n') this.#finish();
    else if (character === '\x7f' || character === '\b') this.#line = withoutLast(this.#line);
    else if (character === '\x17') this.#line = this.#line.replace(/\S*\s*$/, '');
    else if (character === '\x15' || character === '\x03') this.#line = '';
    else if (character >= ' ' && this.#line.length < maxLineCharacters) {
      // Only output from here on can be the echo of this line.
      if (this.#line === '' && this.#pending.length === 0) this.#shown = '';
      this.#line += character;
    }
  }

  #finish(): void {
    const line = this.#line.trim();
    this.#line = '';
    if (line === '') return;
    this.#pending.push({ line, pieces: 0 });
    this.#reportShown(false);
  }

  #reportShown(isPiece: boolean): void {
    const visible = this.#pending.length === 0 ? '' : visibleText(this.#shown);
    while (this.#pending[0] !== undefined) {
      const [first] = this.#pending;
      const isShown = visible.includes(first.line);
      if (isPiece) first.pieces += 1;
      if (!isShown && first.pieces < maxPiecesToWait) return;
      this.#pending.shift();
      this.#report(isShown ? first.line : notShownText);
    }
  }
}

/** The text as seen on the screen: without escape sequences, with backspaces applied, with long lines joined again. */
function visibleText(text: string): string {
  let visible = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\x1b') at += (controlSequence.exec(text.slice(at, at + 256))?.[0].length ?? 1) - 1;
    else if (character === '\b') visible = withoutLast(visible);
    else if (character === '\n' || character >= ' ') visible += character;
  }
  return visible;
}

/** A character outside the first Unicode plane is two units long. */
function withoutLast(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return text.slice(0, last >= 0xdc00 && last <= 0xdfff ? -2 : -1);
}
