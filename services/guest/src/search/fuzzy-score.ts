// How well a path fits what somebody typed: its characters must occur in that order. Characters in a row, at the start of a word
// and in the file's own name count more; what lies between them counts against.

const IN_NAME = 40;
const WHOLE_NAME = 60;
const IN_A_ROW = 18;
const WORD_START = 12;
const HIT = 4;
const MOST_GAP = 30;
const WORD_BREAK = /[/_\-. ]/;

/** Undefined: it does not fit. `query` in lower case. */
export function fuzzyScore(query: string, path: string): number | undefined {
  const nameAt = path.lastIndexOf('/') + 1;
  const lower = path.toLowerCase();
  // A few letters change their length in lower case; then the name is not told apart.
  const isSplit = nameAt > 0 && lower.length === path.length;
  const name = isSplit ? lower.slice(nameAt) : lower;
  const inName = alignedScore(query, name, isSplit ? path.slice(nameAt) : path);
  if (inName !== undefined) return inName + IN_NAME + (isWhole(query, name) ? WHOLE_NAME : 0) - depth(path);
  const inPath = isSplit ? alignedScore(query, lower, path) : undefined;
  return inPath === undefined ? undefined : inPath - depth(path);
}

const isWhole = (query: string, name: string): boolean => name === query || name.startsWith(`${query}.`);

const depth = (path: string): number => Math.min(path.split('/').length - 1, 10);

/** Forward to find where the earliest fit ends, then backward from there: that is its shortest form. */
function alignedScore(query: string, lower: string, path: string): number | undefined {
  let end = -1;
  for (const character of query) {
    end = lower.indexOf(character, end + 1);
    if (end < 0) return undefined;
  }
  const [score] = [...query].reduceRight<[number, number]>(
    ([sum, after], character) => {
      const at = lower.lastIndexOf(character, after - 1);
      return [sum + hitScore(path, at, after), at];
    },
    [0, end + 1],
  );
  return score;
}

function hitScore(path: string, at: number, after: number): number {
  const before = path[at - 1];
  const here = path[at] ?? '';
  const isWordStart = before === undefined || WORD_BREAK.test(before) || (isUpper(here) && !isUpper(before));
  const gap = after - at - 1;
  return HIT + (isWordStart ? WORD_START : 0) + (gap === 0 ? IN_A_ROW : -Math.min(gap, MOST_GAP));
}

const isUpper = (character: string): boolean => character !== character.toLowerCase();
