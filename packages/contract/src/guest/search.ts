// Answers of the three searches. Paths are relative to the searched folder and sorted by their bytes; the fuzzy search
// puts the best match first instead. `maxResults=0` means all: the answer is streamed during the search.

export type FindMatch = { path: string; type: 'file' | 'directory' };
export type FindAnswer = { matches: FindMatch[]; total: number };

/** A higher score is better. `truncated`: more items matched than can be ranked at once; the answer holds the best. */
export type FuzzySearchMatch = FindMatch & { score: number };
export type FuzzySearchAnswer = { matches: FuzzySearchMatch[]; total: number; truncated?: true };

/** One match for each line that contains the text. */
export type ContentSearchMatch = {
  path: string;
  line: number;
  /** Position of the first hit in the line, in bytes, from 1. */
  column: number;
  /** The line; for a long line, the part around the hit. */
  text: string;
  /** With `contextLines`: the lines before, the line, the lines after. */
  context?: string;
};
export type ContentSearchAnswer = { query: string; matches: ContentSearchMatch[]; total: number };
