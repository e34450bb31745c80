// Scores how well a path fits a typed query: the characters must occur in that order. Consecutive characters,
// characters at the start of a word and in the file's own name count more; gaps between them count against.

const inNameScore = 40;
const wholeNameScore = 60;
const consecutiveScore = 18;
const wordStartScore = 12;
const matchScore = 4;
const maxGap = 30;
const wordBreak = /[/_\-. ]/;

/** Undefined when the path does not fit. `query` is in lower case. */
export function fuzzyScore(query: string, path: string): number | undefined {
  const nameAt = path.lastIndexOf('/') + 1;
  const lower = path.toLowerCase();
  // A few letters change their length in lower case; then the name is not scored separately.
  const isSplit = nameAt > 0 && lower.length === path.length;
  const name = isSplit ? lower.slice(nameAt) : lower;
  const inName = alignedScore(query, name, isSplit ? path.slice(nameAt) : path);
  if (inName !== undefined) return inName + inNameScore + (isWhole(query, name) ? wholeNameScore : 0) - depth(path);
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
  const isWordStart = before === undefined || wordBreak.test(before) || (isUpper(here) && !isUpper(before));
  const gap = after - at - 1;
  return matchScore + (isWordStart ? wordStartScore : 0) + (gap === 0 ? consecutiveScore : -Math.min(gap, maxGap));
}

const isUpper = (character: string): boolean => character !== character.toLowerCase();
