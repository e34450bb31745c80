import { ContentSearchShape, FindShape, FuzzySearchShape } from '../answers.ts';
import { anyPath, flag, type GuestParameter, json, operationWithTag, text } from './operation.ts';

const operation = operationWithTag('Search');

const searchQuery = {
  maxResults: { type: 'integer', minimum: 0, description: 'How many at most, up to 1000; 0 means all.' },
  excludeDirs: text('Names of folders to leave out, with commas between; empty leaves out none.'),
} as const satisfies Record<string, GuestParameter>;

export const searchOperations = {
  find: operation({
    summary: 'Finds files or folders by name.',
    path: { path: anyPath },
    query: {
      ...searchQuery,
      patterns: text('Patterns of the shell on the base name, with commas between.'),
      excludeHidden: flag('Leave out what begins with a dot.', true),
      type: { type: 'string', enum: ['file', 'directory'], default: 'file', description: 'What to find.' },
    },
    answer: json(FindShape),
    statuses: [400, 404, 422],
  }),
  fuzzySearch: operation({
    summary: 'Finds paths that resemble a text, best first.',
    path: { path: `${anyPath} Without query, its last part is what to look for.` },
    query: {
      ...searchQuery,
      query: text('What to look for.'),
      excludeHidden: flag('Leave out what begins with a dot.', true),
    },
    answer: json(FuzzySearchShape),
    statuses: [400, 404, 422],
  }),
  contentSearch: operation({
    summary: 'Finds lines that hold a text.',
    path: { path: anyPath },
    query: {
      ...searchQuery,
      query: { ...text('The text; no pattern.'), required: true },
      caseSensitive: flag('Whether case matters.'),
      filePattern: text('Pattern of the shell on the base name.'),
      contextLines: { type: 'integer', minimum: 0, description: 'Lines before and after each.' },
    },
    answer: json(ContentSearchShape),
    statuses: [400, 404, 422],
  }),
};
