export * from './parse-line.ts';
export * from './read-line.ts';
