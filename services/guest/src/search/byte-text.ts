// A text to search for in bytes: files are not decoded, so a file that is not UTF-8 is searched like any other. Without
// regard to case, each character matches the bytes of all its forms.

export type ByteText = {
  /** Length of the longest form that can match. */
  maxBytes: number;
  /** Position in a text with one character per byte; -1 when there is no match from `from` on. */
  next(latin: string, from: number): number;
};

export function byteText(query: string, caseSensitive: boolean): ByteText {
  const needle = bytesOf(query);
  const forms = [...query].map(formsOf);
  if (caseSensitive || forms.every((each) => each.length === 1)) {
    return { maxBytes: needle.length, next: (latin, from) => latin.indexOf(needle, from) };
  }
  const pattern = new RegExp(forms.map(alternatives).join(''), 'g');
  return {
    maxBytes: forms.reduce((sum, each) => sum + Math.max(...each.map((form) => form.length)), 0),
    next(latin, from) {
      pattern.lastIndex = from;
      return pattern.exec(latin)?.index ?? -1;
    },
  };
}

const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function formsOf(character: string): string[] {
  const cases = [character, character.toLowerCase(), character.toUpperCase(), character.toUpperCase().toLowerCase()];
  return [...new Set(cases)].map(bytesOf);
}

/** A character class when every form is one byte: much faster than alternatives. */
function alternatives(forms: readonly string[]): string {
  const escaped = forms.map((form) => [...form].map(escapedByte).join(''));
  if (forms.length === 1) return escaped.join('');
  return forms.every((form) => form.length === 1) ? `[${escaped.join('')}]` : `(?:${escaped.join('|')})`;
}

const escapedByte = (byte: string): string => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
