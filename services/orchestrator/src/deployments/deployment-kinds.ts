import { kinds } from '@berth/contract';

/** Kinds whose instances run revisions. */
export const deploymentKinds: readonly string[] = kinds.flatMap((kind) =>
  'runs' in kind && kind.runs === true ? [kind.kind] : [],
);
