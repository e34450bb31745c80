export * from './connect.ts';
export * from './counters.ts';
export * from './listen.ts';
export * from './maintain.ts';
export * from './migrate.ts';
export * from './outbox.ts';
export * from './tables.ts';
export * from './uuid.ts';
