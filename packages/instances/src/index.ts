export { PlacementConfig, type PlacementSettings, type Region } from './config.ts';
export {
  type ChosenImage,
  chooseImage,
  deploymentImage,
  type ImageFault,
  imageFaultMessage,
} from './images/choose-image.ts';
export { findImage } from './images/find-image.ts';
export { imageTypeOf } from './images/image-name.ts';
export { type LimitedAccount, type LimitSettings, limitOf, limitsOf } from './place/account-limits.ts';
export { limitMessage, loadAccountUsage, lockRoom, roomFor } from './place/account-room.ts';
export { deployedMessage, describeIsolation, nodeGenerationOf } from './place/describe-isolation.ts';
export type { Placement } from './place/place.ts';
export { asksForRunc, isolationNeedOf, mayAskForRunc } from './place/runc-rule.ts';
export { takeRunners } from './place/take-runners.ts';
export { freeForTasks, roomForTask, takeRunnersForTasks } from './place/take-runners-for-tasks.ts';
export { taskNeed } from './place/task-need.ts';
export { waitingMessage } from './place/waiting-message.ts';
export { type Claimed, type ClaimResult, claimWarm, commitClaim } from './sandbox/claim-warm.ts';
export {
  expiresInSeconds,
  expiryMessage,
  fixedExpiry,
  idleExpiry,
} from './sandbox/sandbox-lifetime.ts';
export { terminateSandbox } from './sandbox/terminate-sandbox.ts';
export { JobSpec } from './spec/job-spec.ts';
export { loadConnections, loadRegions } from './spec/load-references.ts';
export { type PoolSpec, poolKeyOf } from './spec/pool-key.ts';
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
} from './spec/sandbox-instance.ts';
export { SandboxSpec } from './spec/sandbox-spec.ts';
export { taskInstanceSpecs, taskReservedMb } from './spec/task-instance.ts';
export { volumesFault } from './spec/task-volumes.ts';
export {
  type InstanceOwner,
  workloadFault,
  workloadInstanceSpec,
  workloadMemoryMb,
} from './spec/workload-instance.ts';
export { instanceLimits, TrafficSpec, WorkloadSpec } from './spec/workload-spec.ts';
