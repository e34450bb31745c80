export * from './bundle.ts';
export * from './call-runner.ts';
export type { Channel } from './channel.ts';
export type { Lease } from './lease.ts';
export * from './leases.ts';
export * from './not-dispatched.ts';
export * from './parse-line.ts';
export * from './read-line.ts';
export * from './runner-lines.ts';
