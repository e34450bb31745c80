export * from './ingress.ts';
export * from './instance.ts';
export * from './protocol.ts';
