// Command lines as a person typed them, for the audit log: keys that edit are applied, escape sequences removed. A line
// counts only when it was shown: what is typed at a password prompt appears on no screen, and must not in a log.

const MOST_LINE_CHARACTERS = 4096;
const MOST_SHOWN_CHARACTERS = 16 * 1024;
/** Echo may arrive in pieces; a line that none of these holds was not shown. */
const MOST_PIECES_TO_WAIT = 4;

export const NOT_SHOWN = '(not shown on the screen)';

// From strings, since control characters in a regular expression are mostly a mistake; here they are the point.
const [ESC, BEL] = ['\x1b', '\x07'];
const PARAMETERS = String.raw`\[[0-?]*[ -/]*`;
const COMMAND = `\\][^${BEL}${ESC}]*`;
const TEXT = `[PX^_][^${ESC}]*`;
const SHORT = String.raw`[ -/]*[0-NQ-WYZ\\${'`'}-~]`;
const CONTROL_SEQUENCE = new RegExp(
  `^${ESC}(?:${PARAMETERS}[@-~]|${COMMAND}(?:${BEL}|${ESC}\\\\)|${TEXT}${ESC}\\\\|O.|${SHORT})`,
  's',
);
const UNFINISHED = new RegExp(`^${ESC}(?:${PARAMETERS}|${COMMAND}${ESC}?|${TEXT}${ESC}?|O|[ -/]*)$`, 's');

type Waiting = { line: string; pieces: number };

export class TypedLines {
  readonly #report: (line: string) => void;
  #line = '';
  #escape = '';
  #shown = '';
  #waiting: Waiting[] = [];

  constructor(report: (line: string) => void) {
    this.#report = report;
  }

  typed(text: string): void {
    for (const character of text) this.#key(character);
  }

  /** What the terminal printed meanwhile. */
  shown(text: string): void {
    this.#shown = (this.#shown + text).slice(-MOST_SHOWN_CHARACTERS);
    this.#settle(true);
  }

  /** The client is gone: what was not shown by now never will be. */
  end(): void {
    for (const _ of this.#waiting) this.#report(NOT_SHOWN);
    this.#waiting = [];
  }

  #key(character: string): void {
    if (this.#escape !== '' || character === '\x1b') {
      this.#escape += character;
      if (CONTROL_SEQUENCE.test(this.#escape) || !UNFINISHED.test(this.#escape)) this.#escape = '';
      if (this.#escape.length > MOST_LINE_CHARACTERS) this.#escape = '';
      return;
    }
    if (character === '\r' || character === '\n') this.#finish();
    else if (character === '\x7f' || character === '\b') this.#line = withoutLast(this.#line);
    else if (character === '\x17') this.#line = this.#line.replace(/\S*\s*$/, '');
    else if (character === '\x15' || character === '\x03') this.#line = '';
    else if (character >= ' ' && this.#line.length < MOST_LINE_CHARACTERS) {
      // Only what is shown from here on can be this line's echo.
      if (this.#line === '' && this.#waiting.length === 0) this.#shown = '';
      this.#line += character;
    }
  }

  #finish(): void {
    const line = this.#line.trim();
    this.#line = '';
    if (line === '') return;
    this.#waiting.push({ line, pieces: 0 });
    this.#settle(false);
  }

  #settle(isPiece: boolean): void {
    const visible = this.#waiting.length === 0 ? '' : visibleText(this.#shown);
    while (this.#waiting[0] !== undefined) {
      const [first] = this.#waiting;
      const isShown = visible.includes(first.line);
      if (isPiece) first.pieces += 1;
      if (!isShown && first.pieces < MOST_PIECES_TO_WAIT) return;
      this.#waiting.shift();
      this.#report(isShown ? first.line : NOT_SHOWN);
    }
  }
}

/** As it stands on the screen: without escape sequences, with backspaces applied, a long line whole again. */
function visibleText(text: string): string {
  let visible = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\x1b') at += (CONTROL_SEQUENCE.exec(text.slice(at, at + 256))?.[0].length ?? 1) - 1;
    else if (character === '\b') visible = withoutLast(visible);
    else if (character === '\n' || character >= ' ') visible += character;
  }
  return visible;
}

/** A character outside the first plane is two units long. */
function withoutLast(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return text.slice(0, last >= 0xdc00 && last <= 0xdfff ? -2 : -1);
}
