import type { HandlerTable } from '../http/call.ts';

export const searchHandlers = {
  find: () => import('./find.ts').then(({ find }) => find),
  fuzzySearch: () => import('./fuzzy-search.ts').then(({ fuzzySearch }) => fuzzySearch),
  contentSearch: () => import('./content-search.ts').then(({ contentSearch }) => contentSearch),
} satisfies HandlerTable;
