export * from './answer-in-time.ts';
export * from './backoff.ts';
export * from './bell.ts';
export * from './bounded-map.ts';
export * from './condition.ts';
export * from './limit.ts';
export * from './pause.ts';
export * from './within.ts';
