// Messages between a handler and the search worker.
import type { FindMatch } from '@berth/contract/guest';

type Walk = {
  /** Absolute. */
  root: string;
  excludeDirs: readonly string[];
  excludeHidden: boolean;
  /** 0 = all. */
  maxResults: number;
};
export type FindJob = Walk & { kind: 'find'; patterns: readonly string[]; type: FindMatch['type'] };
export type FuzzyJob = Walk & { kind: 'fuzzy'; query: string };
export type ContentJob = Walk & {
  kind: 'content';
  query: string;
  caseSensitive: boolean;
  filePattern: string;
  contextLines: number;
};
/** `query` is a regular expression; the globs match paths, or names when they hold no slash; empty = no filter. */
export type GrepJob = Walk & { kind: 'grep'; query: string; caseSensitive: boolean; include: string; exclude: string };
export type ClosestJob = Walk & { kind: 'closest'; query: string };
export type SearchJob = FindJob | FuzzyJob | ContentJob | GrepJob | ClosestJob;

/** Number of batches on their way; the worker sleeps on it while the reader is behind. */
export type Credit = Int32Array<SharedArrayBuffer>;
export const maxBatchesUnread = 4;

export type WorkerOrder = { job: SearchJob; credit: Credit };
/**
 * `json`: matches, separated by commas. `last` marks the last report. Text, because buffers that change threads are
 * collected late: a search with millions of matches held hundreds of megabytes.
 */
export type WorkerReport = { json: string; count: number; last: boolean; truncated: boolean };
