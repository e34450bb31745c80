// Topics that a statement can wait for. Every topic refers to the place in the code that marks its engine as missing:
// building the engine changes that place, and from then on no statement may wait for it.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ApiConfig } from '@berth/api';
import { type FieldEffect, fieldEffects, pendingOperations, workspaceEffects } from '@berth/contract';

const isPending = (topic: string): boolean => pendingOperations.some((operation) => operation.topic === topic);

/** True when a field is accepted or refused and has no effect. */
const isIdle = (effects: readonly FieldEffect[], path: string): boolean =>
  effects.some(({ effect, paths }) => effect !== 'enforced' && paths.includes(path));

const ofKind = (kind: string, path: string): boolean => isIdle(fieldEffects[kind] ?? [], path);

/** By topic: true while its engine is missing. */
export type Topics = Readonly<Record<string, boolean>>;

export const waitingTopics: Topics = {
  console: !existsSync(resolve(import.meta.dirname, '../../../clients/console')),
  'directory sync': isIdle(workspaceEffects, 'groupMappings'),
  'CI runners': ofKind('job', 'githubRunner'),
  oauth: isPending('OAuth'),
  provisioning: ofKind('egressip', 'ipFamily'),
  storage: ofKind('volume', 'size') && ofKind('drive', 'size'),
  // The gateway itself serves HTTPS; the management API does not.
  tls: !('tls' in ApiConfig.shape),
};
