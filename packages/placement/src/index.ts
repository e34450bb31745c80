export { type LimitSettings, limitOf, limitsOf } from './account-limits.ts';
export { limitMessage, loadAccountUsage, lockRoom, roomFor } from './account-room.ts';
export { type ChosenImage, chooseImage, deploymentImage, type ImageFault, imageFaultMessage } from './choose-image.ts';
export { type Claimed, type ClaimResult, claimWarm, commitClaim } from './claim-warm.ts';
export { PlacementConfig, type PlacementSettings, type Region } from './config.ts';
export { deployedMessage, describeIsolation, nodeGenerationOf } from './describe-isolation.ts';
export { findImage } from './find-image.ts';
export { imageTypeOf } from './image-name.ts';
export { loadConnections, loadRegions } from './load-references.ts';
export type { Placement } from './place.ts';
export { type PoolSpec, poolKeyOf } from './pool-key.ts';
export { asksForRunc, isolationNeedOf, mayAskForRunc } from './runc-rule.ts';
export {
  bootOf,
  bootRevision,
  sandboxFault,
  sandboxImageName,
  sandboxInstanceSpec,
  sandboxMemoryMb,
  sandboxReservedMb,
  warmInstanceSpec,
  warmReservedMb,
} from './sandbox-instance.ts';
export {
  expiresInSeconds,
  expiryMessage,
  fixedExpiry,
  idleExpiry,
} from './sandbox-lifetime.ts';
export { SandboxSpec } from './sandbox-spec.ts';
export { takeRunners } from './take-runners.ts';
export { terminateSandbox } from './terminate-sandbox.ts';
export { waitingMessage } from './waiting-message.ts';
export {
  type InstanceOwner,
  workloadFault,
  workloadInstanceSpec,
  workloadMemoryMb,
} from './workload-instance.ts';
export { instanceLimits, TrafficSpec, WorkloadSpec } from './workload-spec.ts';
