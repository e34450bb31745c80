// Environment variables between runner, native helper and guest. The helper is written in C and spells these names
// itself (services/guest/native): a name that changes here changes there.

/** Port of the API inside every sandbox. */
export const guestPort = 8080;

/** Variables with the same name in every deployment. */
export const guestVariables = {
  /** `Long:short`: the long form is in headers, the short one in the names of branded variables. */
  brand: 'SANDBOX_BRAND',
  /** Public key of the runner, whose control calls the guest accepts. */
  controlKey: 'SANDBOX_CONTROL_KEY',
  instanceId: 'SANDBOX_INSTANCE_ID',
  stateFolder: 'SANDBOX_LOG_DIR',
  pidsLimit: 'SANDBOX_PIDS_LIMIT',
  runtimeFolder: 'SANDBOX_RUNTIME',
  /** Account that processes run as. Set by the helper. */
  workloadUser: 'SANDBOX_WORKLOAD_USER',
  /** Key of a started process, which everything that it starts inherits. Set by the guest. */
  processKey: 'SANDBOX_PROCESS_KEY',
} as const;

/** Variables with the brand in front, as in `BRAND_ENV_VAR_PATH`. */
export const brandedGuestVariables = {
  user: 'SANDBOX_USER',
  userEnabled: 'SANDBOX_USER_ENABLED',
  extraEnvironmentPath: 'ENV_VAR_PATH',
  metadataPath: 'METADATA_PATH',
  keepAliveDisabled: 'DISABLE_KEEPALIVE',
} as const;

const { brand, controlKey, instanceId, stateFolder, pidsLimit, runtimeFolder, workloadUser } = guestVariables;

/** Read once, when the sandbox starts: a sandbox that sets one of these cannot be made from a warm one. */
export const startVariables: readonly string[] = [
  brand,
  controlKey,
  instanceId,
  stateFolder,
  pidsLimit,
  runtimeFolder,
  workloadUser,
];
export const brandedStartVariables: readonly string[] = [
  brandedGuestVariables.user,
  brandedGuestVariables.userEnabled,
  brandedGuestVariables.extraEnvironmentPath,
];

/** Never changed in a running guest: a sandbox must not replace the runner's key or move the state folder. */
export const fixedVariables: readonly string[] = [
  brand,
  controlKey,
  instanceId,
  stateFolder,
  runtimeFolder,
  workloadUser,
];

/** Not passed on to processes, which have no use for them: some name things of the guest. */
export const hiddenVariables: readonly string[] = [
  controlKey,
  instanceId,
  stateFolder,
  pidsLimit,
  runtimeFolder,
  workloadUser,
];
