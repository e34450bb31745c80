// Environment variables between runner, native helper and guest. The helper is written in C and spells these names
// itself (services/guest/native): a name that changes here changes there.

/** Port of the API inside every sandbox. */
export const guestPort = 8080;

interface GuestVariable {
  readonly name: string;
  readonly traits: readonly Trait[];
}

type Trait =
  /** Read once, when the sandbox starts: a sandbox that sets it cannot be made from a warm one. */
  | 'start'
  /** Never changed in a running guest: a sandbox must not replace the runner's key or move the state folder. */
  | 'fixed'
  /** Not passed on to processes, which have no use for it: some name things of the guest. */
  | 'hidden';

/** Variables with the same name in every deployment. */
export const guestVariables = {
  /** `Long:short`: the long form is in headers, the short one in the names of branded variables. */
  brand: { name: 'SANDBOX_BRAND', traits: ['start', 'fixed'] },
  /** Public key of the runner, whose control calls the guest accepts. */
  controlKey: { name: 'SANDBOX_CONTROL_KEY', traits: ['start', 'fixed', 'hidden'] },
  instanceId: { name: 'SANDBOX_INSTANCE_ID', traits: ['start', 'fixed', 'hidden'] },
  stateFolder: { name: 'SANDBOX_LOG_DIR', traits: ['start', 'fixed', 'hidden'] },
  pidsLimit: { name: 'SANDBOX_PIDS_LIMIT', traits: ['start', 'hidden'] },
  runtimeFolder: { name: 'SANDBOX_RUNTIME', traits: ['start', 'fixed', 'hidden'] },
  /** Account that processes run as. Set by the helper. */
  workloadUser: { name: 'SANDBOX_WORKLOAD_USER', traits: ['start', 'fixed', 'hidden'] },
  /** Key of a started process, which everything that it starts inherits. Set by the guest. */
  processKey: { name: 'SANDBOX_PROCESS_KEY', traits: [] },
} as const satisfies Record<string, GuestVariable>;

/** Variables with the brand in front (`brandedVariable`), as in `BRAND_ENV_VAR_PATH`. */
export const brandedGuestVariables = {
  user: { name: 'SANDBOX_USER', traits: ['start'] },
  userEnabled: { name: 'SANDBOX_USER_ENABLED', traits: ['start'] },
  extraEnvironmentPath: { name: 'ENV_VAR_PATH', traits: ['start'] },
  metadataPath: { name: 'METADATA_PATH', traits: [] },
  keepAliveDisabled: { name: 'DISABLE_KEEPALIVE', traits: [] },
} as const satisfies Record<string, GuestVariable>;

const namesOf = (variables: Readonly<Record<string, GuestVariable>>, trait: Trait): readonly string[] =>
  Object.values(variables).flatMap(({ name, traits }) => (traits.includes(trait) ? [name] : []));

export const startVariables = namesOf(guestVariables, 'start');
export const brandedStartVariables = namesOf(brandedGuestVariables, 'start');
export const fixedVariables = namesOf(guestVariables, 'fixed');
export const hiddenVariables = namesOf(guestVariables, 'hidden');
