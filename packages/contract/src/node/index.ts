export * from '../bytes-per-mb.ts';
export * from './ingress.ts';
export * from './instance.ts';
export * from './orphans.ts';
export * from './protocol.ts';
export * from './protocol-range.ts';
export * from './usage.ts';
