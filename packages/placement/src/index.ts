export { type LimitedAccount, type LimitSettings, limitOf, limitsOf } from './account-limits.ts';
export { limitMessage, loadAccountUsage, lockRoom, roomFor } from './account-room.ts';
export { type ChosenImage, chooseImage, deploymentImage, type ImageFault, imageFaultMessage } from './choose-image.ts';
export { type Claimed, type ClaimResult, claimWarm, commitClaim } from './claim-warm.ts';
export { PlacementConfig, type PlacementSettings, type Region } from './config.ts';
export { deployedMessage, describeIsolation, nodeGenerationOf } from './describe-isolation.ts';
export type { Connection } from './environment-variables.ts';
export { findImage } from './find-image.ts';
export { imageTypeOf } from './image-name.ts';
export { loadConnections, loadRegions } from './load-references.ts';
export type { Placement } from './place.ts';
export { type PoolSpec, poolKeyOf } from './pool-key.ts';
export { asksForRunc, isolationNeedOf, mayAskForRunc } from './runc-rule.ts';
export {
  bootOf,
  bootRevision,
  mayBeClaimed,
  SandboxSpec,
  sandboxFault,
  sandboxImageName,
  sandboxInstanceSpec,
  sandboxMemoryMb,
  sandboxReservedMb,
  warmInstanceSpec,
  warmReservedMb,
} from './sandbox-instance.ts';
export {
  expiresAtMs,
  expiresInSeconds,
  expiryMessage,
  fixedExpiry,
  idleExpiry,
  type Lifetime,
} from './sandbox-lifetime.ts';
export { reserveMemory, takeRunners } from './take-runners.ts';
export { terminateSandbox } from './terminate-sandbox.ts';
export { waitingMessage } from './waiting-message.ts';
export {
  type InstanceOwner,
  type StoredInstanceSpec,
  workloadFault,
  workloadInstanceSpec,
  workloadMemoryMb,
} from './workload-instance.ts';
export { instanceLimits, TrafficSpec, WorkloadSpec } from './workload-spec.ts';
