// Scores how well a path fits a typed query: the characters must occur in that order. Consecutive characters,
// characters at the start of a word and in the file's own name count more; gaps between them count against.

const IN_NAME = 40;
const WHOLE_NAME = 60;
const IN_A_ROW = 18;
const WORD_START = 12;
const HIT = 4;
const MOST_GAP = 30;
const WORD_BREAK = /[/_\-. ]/;

/** Undefined when the path does not fit. `query` is in lower case. */
export function fuzzyScore(query: string, path: string): number | undefined {
  const nameAt = path.lastIndexOf('/') + 1;
  const lower = path.toLowerCase();
  // A few letters change their length in lower case; then the name is not scored separately.
  const isSplit = nameAt > 0 && lower.length === path.length;
  const name = isSplit ? lower.slice(nameAt) : lower;
  const inName = alignedScore(query, name, isSplit ? path.slice(nameAt) : path);
  if (inName !== undefined) return inName + IN_NAME + (isWhole(query, name) ? WHOLE_NAME : 0) - depth(path);
  const inPath = isSplit ? alignedScore(query, lower, path) : undefined;
  return inPath === undefined ? undefined : inPath - depth(path);
}

const isWhole = (query: string, name: string): boolean => name === query || name.startsWith(`${query}.`);

const depth = (path: string): number => Math.min(path.split('/').length - 1, 10);

/** Searches forward to find where the earliest fit ends, then backward from there, which gives its shortest form. */
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
