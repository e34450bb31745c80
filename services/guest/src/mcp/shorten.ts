/** The end of a text, from a whole character on, marked when something is left out. */
export function shorten(text: string | null, maxCharacters: number): string | null {
  if (text === null || text.length <= maxCharacters) return text;
  const end = text.slice(-maxCharacters);
  return `[…]${isLowSurrogate(end.charCodeAt(0)) ? end.slice(1) : end}`;
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
