// Answers of the three searches. Paths are relative to the searched folder and in lexical order of their bytes, but for the
// fuzzy search, which puts the best first. `maxResults=0` means all: the answer is streamed while the search goes on.

export type FindMatch = { path: string; type: 'file' | 'directory' };
export type FindAnswer = { matches: FindMatch[]; total: number };

/** Higher is better. `truncated`: more matched than can be ranked at once; the best of them are here. */
export type FuzzySearchMatch = FindMatch & { score: number };
export type FuzzySearchAnswer = { matches: FuzzySearchMatch[]; total: number; truncated?: true };

/** One for each line that holds the text. */
export type ContentSearchMatch = {
  path: string;
  line: number;
  /** In bytes, from 1, of the first hit in the line. */
  column: number;
  /** Of a long line the part around the hit. */
  text: string;
  /** With `contextLines`: the lines before, the line, the lines after. */
  context?: string;
};
export type ContentSearchAnswer = { query: string; matches: ContentSearchMatch[]; total: number };
