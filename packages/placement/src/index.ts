export { type LimitedAccount, type LimitSettings, limitOf, limitsOf } from './account-limits.ts';
export { limitMessage, loadHeld, lockRoom, roomFor } from './account-room.ts';
export { type Claimed, type ClaimResult, claimWarm, settleClaim } from './claim-warm.ts';
export { PlacementConfig, type Region, type Settings } from './config.ts';
export type { Connection } from './environment-variables.ts';
export { findImage } from './find-image.ts';
export { type ChosenImage, chooseImage, deploymentImage, type ImageFault, imageFaultMessage } from './image.ts';
export { imageTypeOf } from './image-name.ts';
export {
  faultOf,
  instanceSpec,
  memoryOf,
  type StoredInstanceSpec,
  type Workload,
} from './instance-spec.ts';
export { deployedMessage, isolationIn, nodeGenerationOf } from './isolation.ts';
export type { Placement } from './place.ts';
export { type PoolWish, poolOf } from './pool.ts';
export { loadConnections, loadRegions } from './references.ts';
export { asksForRunc, isolationOf, mayAskForRunc } from './runc-rule.ts';
export {
  expiresAtMs,
  expiresInSeconds,
  expiryMessage,
  fixedExpiry,
  idleExpiry,
  type Lifetime,
} from './sandbox-lifetime.ts';
export {
  bootOf,
  bootRevision,
  mayBeClaimed,
  reservedMbOf,
  SandboxSpec,
  sandboxFault,
  sandboxImageName,
  sandboxInstanceSpec,
  sandboxMemoryMb,
  warmInstanceSpec,
  warmReservedMb,
} from './sandbox-spec.ts';
export { reserveMemory, takeRunners } from './take-runners.ts';
export { terminateSandbox } from './terminate-sandbox.ts';
export { waitingMessage } from './waiting.ts';
export { instanceLimits, TrafficSpec, WorkloadSpec } from './workload-spec.ts';
