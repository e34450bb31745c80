export * from './bundle.ts';
export type { Channel } from './channel.ts';
export type { Lease } from './lease.ts';
export * from './leases.ts';
export * from './parse-line.ts';
export * from './read-line.ts';
