export * from './backoff.ts';
export * from './bell.ts';
export * from './condition.ts';
export * from './limit.ts';
export * from './pause.ts';
export * from './within.ts';
