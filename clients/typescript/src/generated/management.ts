// Types of the management API. Written by `pnpm clients`.

/** A text of which some values are known; a later service may answer with others. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

export interface Account {
  id: string;
  metadata: AccountMetadata;
  spec: AccountSpec;
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
}

export interface AccountMetadata {
  displayName?: string | undefined;
  ownerEmail?: string | undefined;
}

export interface AccountMetricsDataEntry {
  workspace?: string | undefined;
  resourceType?: string | undefined;
  resourceName?: string | undefined;
  resourceUuid?: string | undefined;
  billingDimension?: string | undefined;
  summary: AccountMetricsDataEntrySummary;
  /** One item for each bucket of the window, oldest first; the first one begins with the window */
  timeseries: AccountMetricsPoint[];
}

export interface AccountMetricsDataEntrySummary {
  /** USD */
  cost: number;
  /** In the unit of the dimension; only when grouped by billing_dimension */
  usage?: number | undefined;
}

export interface AccountMetricsPoint {
  /** ISO 8601, UTC */
  timestamp: string;
  /** USD */
  cost: number;
  /** In the unit of the dimension; only when grouped by billing_dimension */
  usage?: number | undefined;
}

export interface AccountMetricsResponse {
  /** ISO 8601, UTC */
  startTime: string;
  /** ISO 8601, UTC */
  endTime: string;
  resolution: Open<'hourly' | 'daily' | 'weekly' | 'monthly'>;
  summary: AccountMetricsResponseSummary;
  /** Highest cost first */
  data: AccountMetricsDataEntry[];
  meta: CursorMeta;
}

/** Sums over all groups; the same on every page */
export interface AccountMetricsResponseSummary {
  /** USD */
  totalCost: number;
  /** In the unit of the dimension; only when grouped by billing_dimension */
  totalUsage?: number | undefined;
}

export interface AccountSpec {
  admins?: string[] | undefined;
  subscription: AccountSubscription;
}

export interface AccountSubscription {
  plan: string;
  tier: string;
}

export interface Agent {
  metadata: Metadata;
  spec: AgentSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
}

export interface AgentInput {
  metadata: MetadataInput;
  spec: AgentSpecInput;
}

export interface AgentList {
  data: Agent[];
  meta: PaginationMeta;
}

export interface AgentReplacement {
  metadata: MetadataReplacement;
  spec: AgentSpecInput;
}

export interface AgentRuntime {
  envs?: Env[] | undefined;
  generation?: Open<'mk2' | 'mk3'> | undefined;
  image?: string | undefined;
  maxScale?: number | undefined;
  memory?: number | undefined;
  minScale?: number | undefined;
}

export interface AgentSpec {
  enabled?: boolean | undefined;
  policies?: string[] | undefined;
  public?: boolean | undefined;
  region?: string | undefined;
  repository?: Repository | undefined;
  revision?: RevisionConfiguration | undefined;
  runtime?: AgentRuntime | undefined;
  triggers?: Trigger[] | undefined;
  volumes?: VolumeAttachment[] | undefined;
}

export interface AgentSpecInput {
  enabled?: boolean | undefined;
  policies?: string[] | undefined;
  public?: boolean | undefined;
  region?: string | undefined;
  repository?: Repository | undefined;
  revision?: RevisionConfiguration | undefined;
  runtime?: AgentRuntime | undefined;
  triggers?: TriggerInput[] | undefined;
  volumes?: VolumeAttachmentInput[] | undefined;
}

export interface ApiKey {
  id: string;
  name?: string | undefined;
  expires_in?: string | undefined;
  /** ISO 8601, UTC */
  expiresAt?: string | undefined;
  /** ISO 8601, UTC */
  lastUsedAt?: string | undefined;
  scopes?: string[] | undefined;
  sub: string;
  sub_type: Open<'user' | 'service_account'>;
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
  createdBy?: string | undefined;
  updatedBy?: string | undefined;
}

export interface ApiKeyInput {
  name?: string | undefined;
  expires_in?: string | undefined;
  /** Absent: the key may do whatever its owner may. */
  scopes?: ('admin' | 'agents:call' | 'agents:create' | 'agents:delete' | 'agents:get' | 'agents:list' | 'agents:update' | 'apiKey:list' | 'apiKey:write' | 'applications:create' | 'applications:delete' | 'applications:get' | 'applications:list' | 'applications:update' | 'audit:list' | 'billing:get' | 'billing:update' | 'configurations:list' | 'customdomains:create' | 'customdomains:delete' | 'customdomains:get' | 'customdomains:list' | 'customdomains:update' | 'drives:create' | 'drives:delete' | 'drives:get' | 'drives:list' | 'egressgateways:list' | 'egressips:list' | 'featureFlags:get' | 'featureFlags:list' | 'functions:call' | 'functions:create' | 'functions:delete' | 'functions:get' | 'functions:list' | 'functions:update' | 'images:create' | 'images:delete' | 'images:get' | 'images:list' | 'images:share' | 'integrations:create' | 'integrations:delete' | 'integrations:get' | 'integrations:list' | 'integrations:update' | 'invitations:list' | 'jobs:create' | 'jobs:delete' | 'jobs:get' | 'jobs:list' | 'jobs:update' | 'locations:list' | 'mcphub:list' | 'models:call' | 'models:create' | 'models:delete' | 'models:get' | 'models:list' | 'models:update' | 'policies:create' | 'policies:delete' | 'policies:get' | 'policies:list' | 'policies:update' | 'sandboxes:call' | 'sandboxes:control' | 'sandboxes:create' | 'sandboxes:delete' | 'sandboxes:get' | 'sandboxes:list' | 'sandboxes:update' | 'sandboxhub:list' | 'templates:get' | 'templates:list' | 'volumeTemplates:create' | 'volumeTemplates:delete' | 'volumeTemplates:get' | 'volumeTemplates:list' | 'volumeTemplates:upsert' | 'volumes:create' | 'volumes:delete' | 'volumes:get' | 'volumes:list' | 'volumes:update' | 'workspaces:accept' | 'workspaces:create' | 'workspaces:decline' | 'workspaces:delete' | 'workspaces:get' | 'workspaces:invite' | 'workspaces:leave' | 'workspaces:list' | 'workspaces:remove' | 'workspaces:update')[] | undefined;
}

export interface ApiKeyWithValue {
  id: string;
  name?: string | undefined;
  expires_in?: string | undefined;
  /** ISO 8601, UTC */
  expiresAt?: string | undefined;
  /** ISO 8601, UTC */
  lastUsedAt?: string | undefined;
  scopes?: string[] | undefined;
  sub: string;
  sub_type: Open<'user' | 'service_account'>;
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
  createdBy?: string | undefined;
  updatedBy?: string | undefined;
  apiKey: string;
}

export interface AppRevision {
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  createdBy?: string | undefined;
  envs?: Env[] | undefined;
  id?: string | undefined;
  image?: string | undefined;
  memory?: number | undefined;
  port?: number | undefined;
  snapshot?: string | undefined;
}

export interface Application {
  metadata: Metadata;
  spec: ApplicationSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
  readonly nodeGeneration?: string | undefined;
}

export interface ApplicationExtension {
  sandbox?: string | undefined;
}

export interface ApplicationInput {
  metadata: MetadataInput;
  spec: ApplicationSpecInput;
}

export interface ApplicationList {
  data: Application[];
  meta: PaginationMeta;
}

export interface ApplicationReplacement {
  metadata: MetadataReplacement;
  spec: ApplicationSpecInput;
}

export interface ApplicationSpec {
  enabled?: boolean | undefined;
  envs?: Env[] | undefined;
  extensions?: Record<string, ApplicationExtension> | undefined;
  image?: string | undefined;
  memory?: number | undefined;
  port?: number | undefined;
  proxy?: boolean | undefined;
  region?: string | undefined;
  revision?: RevisionConfiguration | undefined;
  urls?: ApplicationUrl[] | undefined;
  readonly revisions?: AppRevision[] | undefined;
}

export interface ApplicationSpecInput {
  enabled?: boolean | undefined;
  envs?: Env[] | undefined;
  extensions?: Record<string, ApplicationExtension> | undefined;
  image?: string | undefined;
  memory?: number | undefined;
  port?: number | undefined;
  proxy?: boolean | undefined;
  region?: string | undefined;
  revision?: RevisionConfiguration | undefined;
  urls?: ApplicationUrl[] | undefined;
}

export interface ApplicationUrl {
  domain: string;
  subdomain?: string | undefined;
}

export interface AuditEntry {
  /** ISO 8601, UTC */
  at: string;
  action: string;
  /** Kind and name, empty where the action says it all. */
  target: string;
  subject: string;
  subjectType: string;
  /** The API key that was used. */
  keyId?: string | undefined;
  /** Where the request came from. */
  address?: string | undefined;
  /** Calls that this entry stands for; more than one only for calls of workloads. */
  uses: number;
  /** Of the first of them. */
  requestId: string;
  workspaceId?: string | undefined;
}

export interface AuditPage {
  data: AuditEntry[];
  meta: CursorMeta;
}

export interface Brand {
  long: string;
  short: string;
}

export interface Budget {
  name: string;
  /** USD for each calendar month in UTC */
  amount: number;
  /** What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up */
  of: Open<'usage' | 'models'>;
  /** Percent of the amount, ascending */
  thresholds: number[];
  workspace?: string | undefined;
  callbackUrl?: string | undefined;
  /** The current month in UTC, as 2026-11 */
  month: string;
  /** Cost of the month so far, in USD */
  cost: number;
  /** Cost as percent of the amount, with two decimals, rounded down */
  percent: number;
  /** Thresholds that the month has reached, ascending */
  alerts: BudgetAlert[];
  /** ISO 8601, UTC */
  createdAt: string;
  createdBy: string;
  /** ISO 8601, UTC */
  updatedAt: string;
  updatedBy: string;
}

export interface BudgetAlert {
  /** Percent */
  threshold: number;
  /** ISO 8601, UTC */
  reachedAt: string;
  /** Cost of the month then, in USD */
  cost: number;
  /** Amount of the budget then, in USD */
  amount: number;
  /** State of the callback; expired when its record was removed, 30 days after its end */
  callback: Open<'none' | 'waiting' | 'delivered' | 'given_up' | 'expired'>;
}

export interface BudgetInput {
  /** USD for each calendar month in UTC */
  amount: number;
  /** What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up */
  of?: 'usage' | 'models' | undefined;
  /** Percent of the amount; 50, 80 and 100 when left out */
  thresholds?: number[] | undefined;
  /** Only this workspace; all workspaces when left out */
  workspace?: string | undefined;
  /** Receives a signed POST when a threshold is reached */
  callbackUrl?: string | undefined;
}

export interface BudgetSettings {
  name: string;
  /** USD for each calendar month in UTC */
  amount: number;
  /** What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up */
  of: Open<'usage' | 'models'>;
  /** Percent of the amount, ascending */
  thresholds: number[];
  workspace?: string | undefined;
  callbackUrl?: string | undefined;
  /** ISO 8601, UTC */
  createdAt: string;
  createdBy: string;
  /** ISO 8601, UTC */
  updatedAt: string;
  updatedBy: string;
}

export interface BudgetWritten {
  name: string;
  /** USD for each calendar month in UTC */
  amount: number;
  /** What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up */
  of: Open<'usage' | 'models'>;
  /** Percent of the amount, ascending */
  thresholds: number[];
  workspace?: string | undefined;
  callbackUrl?: string | undefined;
  /** ISO 8601, UTC */
  createdAt: string;
  createdBy: string;
  /** ISO 8601, UTC */
  updatedAt: string;
  updatedBy: string;
  /** Key of the signatures; shown only by the write that made it */
  callbackSecret?: string | undefined;
}

export interface Changelog {
  entries: ChangelogEntry[];
}

export interface ChangelogEntry {
  content: string;
  date: string;
  title: string;
}

export interface CheckWorkspaceAvailabilityBody {
  name: string;
}

export interface Configuration {
  continents: ConfigurationContinent[];
  countries: ConfigurationCountry[];
  detectedRegion?: string | undefined;
  privateLocations: ConfigurationPrivateLocation[];
  regions: Region[];
}

export interface ConfigurationContinent {
  name: string;
  displayName?: string | undefined;
}

export interface ConfigurationCountry {
  name: string;
  displayName?: string | undefined;
}

export interface ConfigurationPrivateLocation {
  name: string;
}

export interface CoreEvent {
  canaryRevision?: string | undefined;
  message?: string | undefined;
  revision?: string | undefined;
  status?: string | undefined;
  /** ISO 8601, UTC */
  time?: string | undefined;
  type?: string | undefined;
}

export interface CreateJobExecutionOutput {
  executionId: string;
  id: string;
  jobId: string;
  tasks: Record<string, unknown>[];
  workspaceId: string;
}

export interface CreateJobExecutionRequest {
  allowQueue?: boolean | undefined;
  env?: Record<string, string> | string | undefined;
  /** The same as env, which wins where both name a variable. */
  envOverride?: Record<string, string> | string | undefined;
  executionId?: string | undefined;
  id?: string | undefined;
  jobId?: string | undefined;
  memory?: number | undefined;
  /** Absent or empty: one task without arguments. */
  tasks?: Record<string, unknown>[] | undefined;
  workspaceId?: string | undefined;
}

export interface CreateServiceAccountBody {
  name: string;
  description?: string | undefined;
  role?: 'admin' | 'member' | undefined;
}

export interface CurrentUsage {
  /** The current month in UTC, as 2026-11 */
  month: string;
  /** ISO 8601, UTC */
  startTime: string;
  /** End of the month */
  endTime: string;
  /** End of the time that cost and usage are about */
  until: string;
  /** USD */
  cost: number;
  /** Expected cost of the whole month in USD: the cost so far, and the rate of the last 7 days for the rest */
  forecast: number;
  /** Highest cost first; dimensions without usage are left out */
  dimensions: CurrentUsageDimension[];
}

export interface CurrentUsageDimension {
  billingDimension: string;
  /** USD */
  cost: number;
  /** In the unit of the dimension */
  usage: number;
}

export interface CursorMeta {
  hasMore: boolean;
  nextCursor: string;
}

export interface CustomDomain {
  metadata: CustomDomainMetadata;
  spec: CustomDomainSpec;
}

export interface CustomDomainInput {
  metadata: CustomDomainInputMetadata;
  spec: CustomDomainSpecInput;
}

export interface CustomDomainInputMetadata {
  displayName?: string | undefined;
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
  name: string;
}

export interface CustomDomainMetadata {
  name: string;
  displayName?: string | undefined;
  labels?: Record<string, string> | undefined;
  readonly sharedFromWorkspace?: string | undefined;
  /** ISO 8601, UTC */
  readonly createdAt?: string | undefined;
  /** ISO 8601, UTC */
  readonly updatedAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  readonly workspace?: string | undefined;
}

export interface CustomDomainReplacement {
  metadata: CustomDomainReplacementMetadata;
  spec: CustomDomainSpecInput;
}

export interface CustomDomainReplacementMetadata {
  displayName?: string | undefined;
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
  name?: string | undefined;
}

export interface CustomDomainSpec {
  domainType?: Open<'previews' | 'applications'> | undefined;
  /** An empty text takes it away. */
  fallbackPreviewId?: string | undefined;
  region?: string | undefined;
  subjectAlternativeNames?: string[] | undefined;
  readonly cnameRecords?: string | undefined;
  /** ISO 8601, UTC */
  readonly lastVerifiedAt?: string | undefined;
  readonly status?: Open<'pending' | 'verified' | 'failed'> | undefined;
  readonly subdomains?: CustomDomainSubdomain[] | undefined;
  readonly txtRecords?: Record<string, string> | undefined;
  readonly verificationError?: string | undefined;
}

export interface CustomDomainSpecInput {
  domainType?: 'previews' | 'applications' | undefined;
  /** An empty text takes it away. */
  fallbackPreviewId?: string | undefined;
  region?: string | undefined;
  subjectAlternativeNames?: string[] | undefined;
}

export interface CustomDomainSubdomain {
  subdomain: string;
  url: string;
  previewName: string;
  resourceName: string;
  resourceType: string;
}

export interface DeleteDriveAnswer {
  message: string;
  name: string;
}

export interface DeleteUnusedImagesAnswer {
  deleted: number;
  message: string;
}

export interface DeleteVolumeTemplateVersionAnswer {
  message: string;
  template: VolumeTemplate;
}

export interface Delivery {
  /** Sent with each try, so that a receiver can tell a repeated one */
  id: string;
  /** given_up: the receiver answered 410, or no try of a day was answered with 2xx */
  status: Open<'waiting' | 'delivered' | 'given_up'>;
  resourceType: Open<'agent' | 'job'>;
  /** Absent once the resource is gone */
  resourceName?: string | undefined;
  triggerId: string;
  executionId?: string | undefined;
  invocationId?: string | undefined;
  url: string;
  /** Tries whose result is known */
  attempts: number;
  /** While it waits: when the next try is due */
  nextAt?: string | undefined;
  /** Status of the answer to the last try */
  lastStatus?: number | undefined;
  /** Why the last try had no answer */
  lastError?: string | undefined;
  /** ISO 8601, UTC */
  createdAt: string;
  /** ISO 8601, UTC */
  endedAt?: string | undefined;
}

export interface DeliveryPage {
  data: Delivery[];
  meta: CursorMeta;
}

export interface DeliveryWithBody {
  /** Sent with each try, so that a receiver can tell a repeated one */
  id: string;
  /** given_up: the receiver answered 410, or no try of a day was answered with 2xx */
  status: Open<'waiting' | 'delivered' | 'given_up'>;
  resourceType: Open<'agent' | 'job'>;
  /** Absent once the resource is gone */
  resourceName?: string | undefined;
  triggerId: string;
  executionId?: string | undefined;
  invocationId?: string | undefined;
  url: string;
  /** Tries whose result is known */
  attempts: number;
  /** While it waits: when the next try is due */
  nextAt?: string | undefined;
  /** Status of the answer to the last try */
  lastStatus?: number | undefined;
  /** Why the last try had no answer */
  lastError?: string | undefined;
  /** ISO 8601, UTC */
  createdAt: string;
  /** ISO 8601, UTC */
  endedAt?: string | undefined;
  /** What is sent */
  body: string;
}

export interface Discovery {
  /** The long word is in names of headers, the short one in those of keys and variables. */
  brand: Brand;
  /** Behaviour versions of the API, oldest first. */
  versions: string[];
  /** Of the management API, without its prefix. */
  apiUrl: string;
  /** Of the gateway: below it /{workspace}/sandboxes/{name} is the API of a sandbox. */
  gatewayUrl: string;
  /** Ways to get a credential; key: an API key that was made before. */
  logins: string[];
}

export interface Drive {
  metadata: Metadata;
  spec: DriveSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DEPLOYING' | 'DEPLOYED' | 'FAILED' | 'DELETING' | 'TERMINATED'> | undefined;
  readonly state?: DriveState | undefined;
}

export interface DriveAccessToken {
  access_token: string;
  token_type: Open<'Bearer'>;
  expires_in: number;
}

export interface DriveInput {
  metadata: MetadataInput;
  spec: DriveSpecInput;
}

export interface DriveList {
  data: Drive[];
  meta: PaginationMeta;
}

export interface DrivePermission {
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
  mode?: Open<'read' | 'read-write'> | undefined;
  path?: string | undefined;
}

export interface DriveReplacement {
  metadata: MetadataReplacement;
  spec: DriveSpecInput;
}

export interface DriveSpec {
  region?: string | undefined;
  /** Limit in GB; absent or 0 means none. */
  size?: number | undefined;
  permissions?: DrivePermission[] | undefined;
  readonly infrastructureId?: string | undefined;
}

export interface DriveSpecInput {
  region?: string | undefined;
  /** Limit in GB; absent or 0 means none. */
  size?: number | undefined;
  permissions?: DrivePermission[] | undefined;
}

export interface DriveState {
  s3Url?: string | undefined;
}

export interface EgressGateway {
  metadata: EgressGatewayMetadata;
  spec: EgressGatewaySpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
}

export interface EgressGatewayInput {
  metadata: EgressGatewayInputMetadata;
  spec: EgressGatewaySpecInput;
}

export interface EgressGatewayInputMetadata {
  name: string;
  displayName?: string | undefined;
}

export interface EgressGatewayMetadata {
  name: string;
  displayName?: string | undefined;
  readonly vpcName?: string | undefined;
  /** ISO 8601, UTC */
  readonly createdAt?: string | undefined;
  /** ISO 8601, UTC */
  readonly updatedAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  readonly workspace?: string | undefined;
}

export interface EgressGatewaySpec {
  region?: string | undefined;
}

export interface EgressGatewaySpecInput {
  region: string;
}

export type EgressGatewayUsage = Record<string, string[]>;

export interface EgressIP {
  metadata: EgressIPMetadata;
  spec: EgressIPSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
}

export interface EgressIPInput {
  metadata: EgressIPInputMetadata;
  spec: EgressIPSpecInput;
}

export interface EgressIPInputMetadata {
  name: string;
  displayName?: string | undefined;
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
}

export interface EgressIPMetadata {
  name: string;
  displayName?: string | undefined;
  labels?: Record<string, string> | undefined;
  readonly gatewayName?: string | undefined;
  readonly vpcName?: string | undefined;
  /** ISO 8601, UTC */
  readonly createdAt?: string | undefined;
  /** ISO 8601, UTC */
  readonly updatedAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  readonly workspace?: string | undefined;
}

export interface EgressIPSpec {
  ipFamily?: Open<'IPv4' | 'IPv6'> | undefined;
  readonly publicIp?: string | undefined;
}

export interface EgressIPSpecInput {
  ipFamily?: 'IPv4' | 'IPv6' | undefined;
}

export interface EgressPolicy {
  destinations?: string[] | undefined;
  mode?: Open<'dedicated' | 'shared'> | undefined;
  name?: string | undefined;
}

export type EndpointConfigurations = Record<string, IntegrationEndpoint>;

export interface Env {
  name: string;
  value?: string | undefined;
  secret?: boolean | undefined;
}

export interface Error {
  error: string;
  code: number;
  message: string;
}

export interface ExpirationPolicy {
  action: Open<'delete'>;
  type: Open<'ttl-idle' | 'ttl-max-age' | 'date'>;
  value: string;
}

export interface ExpirationPolicyInput {
  action?: 'delete' | undefined;
  type: 'ttl-idle' | 'ttl-max-age' | 'date';
  value: string;
}

export interface Feature {
  featureKey: string;
  enabled: boolean;
  variant?: string | undefined;
  payload?: unknown | undefined;
  /** ISO 8601, UTC */
  evaluatedAt: string;
}

export interface Features {
  features: Record<string, boolean>;
}

export interface Flavor {
  name?: string | undefined;
  type?: Open<'cpu' | 'gpu'> | undefined;
}

export interface FollowedLogEntry {
  /** RFC 3339 in UTC, with nanoseconds */
  timestamp: string;
  message: string;
  /** Number as in OpenTelemetry: 21 fatal, 17 error, 13 warning, 9 info, 5 debug, 1 trace, 0 unknown */
  severity: number;
  /** Empty when the line belongs to no trace */
  trace_id: string;
  workload: string;
}

export interface FollowedLogs {
  /** Oldest first */
  logs: FollowedLogEntry[];
  /** Ask with it for the lines that follow; without new lines it changes too */
  after: string;
}

export interface Function {
  metadata: Metadata;
  spec: FunctionSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
}

export interface FunctionInput {
  metadata: MetadataInput;
  spec: FunctionSpecInput;
}

export interface FunctionList {
  data: Function[];
  meta: PaginationMeta;
}

export interface FunctionReplacement {
  metadata: MetadataReplacement;
  spec: FunctionSpecInput;
}

export interface FunctionRuntime {
  envs?: Env[] | undefined;
  generation?: Open<'mk2' | 'mk3'> | undefined;
  image?: string | undefined;
  maxScale?: number | undefined;
  memory?: number | undefined;
  minScale?: number | undefined;
  ports?: Port[] | undefined;
  transport?: Open<'websocket' | 'http-stream'> | undefined;
  type?: Open<'mcp'> | undefined;
}

export interface FunctionRuntimeInput {
  envs?: Env[] | undefined;
  generation?: 'mk2' | 'mk3' | undefined;
  image?: string | undefined;
  maxScale?: number | undefined;
  memory?: number | undefined;
  minScale?: number | undefined;
  ports?: PortInput[] | undefined;
  transport?: 'websocket' | 'http-stream' | undefined;
  type?: 'mcp' | undefined;
}

export interface FunctionSpec {
  enabled?: boolean | undefined;
  integrationConnections?: string[] | undefined;
  policies?: string[] | undefined;
  public?: boolean | undefined;
  region?: string | undefined;
  revision?: RevisionConfiguration | undefined;
  runtime?: FunctionRuntime | undefined;
  triggers?: Trigger[] | undefined;
  type?: Open<'mcp'> | undefined;
}

export interface FunctionSpecInput {
  enabled?: boolean | undefined;
  integrationConnections?: string[] | undefined;
  policies?: string[] | undefined;
  public?: boolean | undefined;
  region?: string | undefined;
  revision?: RevisionConfiguration | undefined;
  runtime?: FunctionRuntimeInput | undefined;
  triggers?: TriggerInput[] | undefined;
  type?: 'mcp' | undefined;
}

export interface GroupMapping {
  groupName: string;
  role: Open<'admin' | 'member'>;
}

export interface Image {
  metadata: ImageMetadata;
  spec: ImageSpec;
}

export interface ImageInput {
  resourceType: 'agent' | 'application' | 'function' | 'job' | 'sandbox';
  name: string;
  generation?: 'mk2' | 'mk3' | undefined;
  image?: string | undefined;
  dockerConfig?: string | undefined;
}

export interface ImageMetadata {
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  displayName?: string | undefined;
  events?: CoreEvent[] | undefined;
  /** ISO 8601, UTC */
  lastDeployedAt?: string | undefined;
  name: string;
  resourceType: string;
  sourceWorkspace?: string | undefined;
  status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
  workspace?: string | undefined;
}

export interface ImageRegistered {
  message: string;
  name: string;
  resourceType: string;
  image?: string | undefined;
  build?: boolean | undefined;
}

export interface ImageSpec {
  size?: number | undefined;
  tags?: ImageTag[] | undefined;
}

export interface ImageTag {
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  name: string;
  size?: number | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
}

export interface Integration {
  additionalInfos?: Record<string, string> | undefined;
  endpoints?: Record<string, IntegrationEndpoint> | undefined;
  headers?: Record<string, string> | undefined;
  name: string;
  organizations?: IntegrationOrganization[] | undefined;
  params?: Record<string, string> | undefined;
  repositories?: IntegrationRepository[] | undefined;
}

export interface IntegrationConnection {
  metadata: Metadata;
  spec: IntegrationConnectionSpec;
}

export interface IntegrationConnectionInput {
  metadata: MetadataInput;
  spec: IntegrationConnectionSpec;
}

export interface IntegrationConnectionReplacement {
  metadata: MetadataReplacement;
  spec: IntegrationConnectionSpec;
}

export interface IntegrationConnectionSpec {
  config?: Record<string, string> | undefined;
  integration?: string | undefined;
  sandbox?: boolean | undefined;
  secret?: Record<string, string> | undefined;
}

export interface IntegrationEndpoint {
  body?: string | undefined;
  ignoreModels?: string[] | undefined;
  method?: string | undefined;
  models?: string[] | undefined;
  streamKey?: string | undefined;
  streamToken?: TokenPaths | undefined;
  token?: TokenPaths | undefined;
}

export interface IntegrationModel {
  author?: string | undefined;
  /** ISO 8601, UTC */
  created_at?: string | undefined;
  downloads?: number | undefined;
  endpoint?: string | undefined;
  id?: string | undefined;
  library_name?: string | undefined;
  likes?: number | undefined;
  model_private?: string | undefined;
  name?: string | undefined;
  pipeline_tag?: string | undefined;
  tags?: string[] | undefined;
  trending_score?: number | undefined;
}

export interface IntegrationOrganization {
  id?: string | undefined;
  name?: string | undefined;
  displayName?: string | undefined;
  avatar_url?: string | undefined;
}

export interface IntegrationRepository {
  id?: string | undefined;
  name?: string | undefined;
  organization?: string | undefined;
  url?: string | undefined;
}

export interface InvalidApiVersion {
  error: Open<'invalid_api_version'>;
  message: string;
}

export interface InviteUserBody {
  email: string;
  role?: 'admin' | 'member' | undefined;
}

export interface Invocation {
  /** Answered to the caller in a header, and sent to the agent with each run */
  id: string;
  /** succeeded: the agent answered below 400. failed: it answered otherwise, or not at all. unknown: the process that performed the call ended within its last run */
  status: Open<'queued' | 'running' | 'succeeded' | 'failed' | 'unknown'>;
  /** Trigger whose settings the call has */
  triggerId?: string | undefined;
  /** Who made the call; absent for an anonymous caller */
  subject?: string | undefined;
  method: string;
  /** As the agent receives it */
  path: string;
  bodyBytes: number;
  /** Runs that have begun */
  runs: number;
  /** The first run and its retries */
  maxRuns: number;
  /** Seconds of one run */
  timeout: number;
  /** ISO 8601, UTC */
  acceptedAt: string;
  /** While it is queued: when it is due */
  nextAt?: string | undefined;
  /** Begin of the first run */
  startedAt?: string | undefined;
  /** ISO 8601, UTC */
  endedAt?: string | undefined;
  /** Of the last answer */
  statusCode?: number | undefined;
  responseBytes?: number | undefined;
  /** Why the last run gave no answer */
  error?: string | undefined;
  /** Its callback, once the call has ended */
  deliveryId?: string | undefined;
}

export interface InvocationPage {
  data: Invocation[];
  meta: CursorMeta;
}

export interface Job {
  metadata: Metadata;
  spec: JobSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
}

export interface JobExecution {
  metadata: JobExecutionMetadata;
  spec: JobExecutionSpec;
  stats?: JobExecutionStats | undefined;
  status: Open<'queued' | 'pending' | 'running' | 'cancelling' | 'cancelled' | 'failed' | 'succeeded' | 'timeout'>;
  /** The first 100 tasks; none in listings. List the tasks to see all. */
  tasks?: JobExecutionTask[] | undefined;
}

export interface JobExecutionList {
  data: JobExecution[];
  meta: PaginationMeta;
}

export interface JobExecutionMetadata {
  cluster?: string | undefined;
  /** ISO 8601, UTC */
  completedAt?: string | undefined;
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  /** ISO 8601, UTC */
  deletedAt?: string | undefined;
  /** Our own addition, while it runs: when it ends if the other tasks take as long as those that have ended. */
  expectedEndAt?: string | undefined;
  /** ISO 8601, UTC */
  expiredAt?: string | undefined;
  id: string;
  job: string;
  /** ISO 8601, UTC */
  startedAt?: string | undefined;
  /** Our own addition, while it runs: tasks that ended per minute since the first one started. */
  tasksPerMinute?: number | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
  workspace: string;
}

export interface JobExecutionSpec {
  /** A JSON object as text; secret values are masked. */
  envOverride?: string | undefined;
  memoryOverride?: number | undefined;
  parallelism?: number | undefined;
  tasks?: JobExecutionTask[] | undefined;
  timeout?: number | undefined;
}

export interface JobExecutionStats {
  cancelled: number;
  failure: number;
  retried: number;
  running: number;
  success: number;
  total: number;
}

export interface JobExecutionTask {
  conditions?: JobExecutionTaskCondition[] | undefined;
  metadata: JobExecutionTaskMetadata;
  spec?: JobExecutionTaskSpec | undefined;
  status: Open<'unspecified' | 'pending' | 'reconciling' | 'failed' | 'succeeded' | 'running' | 'cancelled'>;
}

export interface JobExecutionTaskCondition {
  executionReason?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  severity?: string | undefined;
  state?: string | undefined;
  type?: string | undefined;
}

export interface JobExecutionTaskList {
  data: JobExecutionTask[];
  meta: PaginationMeta;
}

export interface JobExecutionTaskMetadata {
  name: string;
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  /** ISO 8601, UTC */
  scheduledAt?: string | undefined;
  /** ISO 8601, UTC */
  startedAt?: string | undefined;
  /** ISO 8601, UTC */
  completedAt?: string | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
}

export interface JobExecutionTaskSpec {
  maxRetries?: number | undefined;
  timeout?: string | undefined;
}

export interface JobGithubRunner {
  repositories?: string[] | undefined;
}

export interface JobGithubRunnerInput {
  repositories?: string[] | string | undefined;
}

export interface JobInput {
  metadata: MetadataInput;
  spec: JobSpecInput;
}

export interface JobList {
  data: Job[];
  meta: PaginationMeta;
}

export interface JobReplacement {
  metadata: MetadataReplacement;
  spec: JobSpecInput;
}

export interface JobRuntime {
  diskPercent?: number | undefined;
  envs?: Env[] | undefined;
  generation?: Open<'mk2' | 'mk3'> | undefined;
  image?: string | undefined;
  maxConcurrentTasks?: number | undefined;
  maxRetries?: number | undefined;
  memory?: number | undefined;
  ports?: Port[] | undefined;
  /** Seconds per task. */
  timeout?: number | undefined;
}

export interface JobRuntimeInput {
  diskPercent?: number | undefined;
  envs?: Env[] | undefined;
  generation?: 'mk2' | 'mk3' | undefined;
  image?: string | undefined;
  maxConcurrentTasks?: number | undefined;
  maxRetries?: number | undefined;
  memory?: number | undefined;
  ports?: PortInput[] | undefined;
  /** Seconds per task. */
  timeout?: number | undefined;
}

export interface JobSpec {
  enabled?: boolean | undefined;
  githubRunner?: JobGithubRunner | undefined;
  policies?: string[] | undefined;
  region?: string | undefined;
  revision?: RevisionConfiguration | undefined;
  runtime?: JobRuntime | undefined;
  triggers?: Trigger[] | undefined;
  volumes?: JobVolume[] | undefined;
}

export interface JobSpecInput {
  enabled?: boolean | undefined;
  githubRunner?: JobGithubRunnerInput | undefined;
  policies?: string[] | undefined;
  region?: string | undefined;
  revision?: RevisionConfiguration | undefined;
  runtime?: JobRuntimeInput | undefined;
  triggers?: TriggerInput[] | undefined;
  volumes?: JobVolume[] | undefined;
}

export interface JobVolume {
  mountPath: string;
  name: string;
  readOnly?: boolean | undefined;
  sizeMb: number;
  type: Open<'ephemeral'>;
}

export interface JsonWebKey {
  kty: string;
  crv: string;
  x: string;
  kid: string;
  alg: string;
  use: string;
}

export interface JsonWebKeySet {
  keys: JsonWebKey[];
}

export interface LiteVolume {
  metadata: LiteVolumeMetadata;
  spec: LiteVolumeSpec;
  state?: LiteVolumeState | undefined;
  status?: Open<'DEPLOYING' | 'DEPLOYED' | 'FAILED' | 'DELETING' | 'TERMINATED'> | undefined;
  /** ISO 8601, UTC */
  terminatedAt?: string | undefined;
}

export interface LiteVolumeMetadata {
  name: string;
  displayName?: string | undefined;
  externalId?: string | undefined;
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
}

export interface LiteVolumeSpec {
  region?: string | undefined;
  size?: number | undefined;
}

export interface LiteVolumeState {
  attachedTo?: string | undefined;
}

export interface Location {
  region: string;
  status: string;
  continent?: string | undefined;
  country?: string | undefined;
  flavors?: Flavor[] | undefined;
  location?: string | undefined;
  /** How code of different tenants is kept apart there. */
  isolation?: string | undefined;
}

export interface LogBucket {
  /** Start of the interval, RFC 3339 in UTC */
  timestamp: string;
  count: number;
  debug: number;
  error: number;
  fatal: number;
  info: number;
  trace: number;
  unknown: number;
  warning: number;
}

export interface LogEntry {
  /** RFC 3339 in UTC, with nanoseconds */
  timestamp: string;
  message: string;
  /** Number as in OpenTelemetry: 21 fatal, 17 error, 13 warning, 9 info, 5 debug, 1 trace, 0 unknown */
  severity: number;
  /** Empty when the line belongs to no trace */
  trace_id: string;
}

export interface MCPDefinition {
  categories?: string[] | undefined;
  coming_soon?: boolean | undefined;
  description?: string | undefined;
  displayName?: string | undefined;
  enterprise?: boolean | undefined;
  hidden?: boolean | undefined;
  icon?: string | undefined;
  image?: string | undefined;
  longDescription?: string | undefined;
  name: string;
  url?: string | undefined;
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
  entrypoint?: MCPDefinitionEntrypoint | undefined;
  form?: MCPDefinitionForm | undefined;
  hiddenSecrets?: string[] | undefined;
  integration?: string | undefined;
  transport?: Open<'websocket' | 'http-stream'> | undefined;
}

export interface MCPDefinitionEntrypoint {
  command?: string | undefined;
  args?: string[] | undefined;
  env?: Record<string, string> | undefined;
  superGatewayArgs?: string[] | undefined;
}

export interface MCPDefinitionForm {
  config?: Record<string, unknown> | undefined;
  secrets?: Record<string, unknown> | undefined;
  oauth?: MCPDefinitionFormOauth | undefined;
}

export interface MCPDefinitionFormOauth {
  type?: string | undefined;
  scope?: string[] | undefined;
}

export interface Metadata {
  name: string;
  displayName?: string | undefined;
  externalId?: string | undefined;
  labels?: Record<string, string> | undefined;
  readonly plan?: string | undefined;
  readonly url?: string | undefined;
  /** ISO 8601, UTC */
  readonly createdAt?: string | undefined;
  /** ISO 8601, UTC */
  readonly updatedAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  readonly workspace?: string | undefined;
}

export interface MetadataInput {
  name: string;
  displayName?: string | undefined;
  externalId?: string | undefined;
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
}

export interface MetadataReplacement {
  name?: string | undefined;
  displayName?: string | undefined;
  externalId?: string | undefined;
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
}

export interface MetricsValues {
  values: string[];
}

export interface Model {
  metadata: Metadata;
  spec: ModelSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
}

export interface ModelInput {
  metadata: MetadataInput;
  spec: ModelSpec;
}

export interface ModelList {
  data: Model[];
  meta: PaginationMeta;
}

export interface ModelReplacement {
  metadata: MetadataReplacement;
  spec: ModelSpec;
}

export interface ModelRuntime {
  endpointName?: string | undefined;
  generation?: Open<'mk2' | 'mk3'> | undefined;
  model?: string | undefined;
  organization?: string | undefined;
  type?: Open<'hf_private_endpoint' | 'hf_public_endpoint' | 'huggingface' | 'public_model' | 'mcp' | 'openai' | 'anthropic' | 'gemini' | 'mistral' | 'deepseek' | 'cohere' | 'cerebras' | 'xai' | 'vertexai' | 'azure-openai-service' | 'azure-ai-inference' | 'azure-marketplace' | 'groq'> | undefined;
}

export interface ModelSpec {
  enabled?: boolean | undefined;
  flavors?: Flavor[] | undefined;
  integrationConnections?: string[] | undefined;
  policies?: string[] | undefined;
  runtime?: ModelRuntime | undefined;
  sandbox?: boolean | undefined;
}

export interface PaginationMeta {
  hasMore: boolean;
  nextCursor: string;
  total: number;
}

export interface PendingInvitation {
  /** ISO 8601, UTC */
  createdAt?: string | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
  createdBy?: string | undefined;
  updatedBy?: string | undefined;
  email: string;
  /** ISO 8601, UTC */
  expiresAt: string;
  invitedBy?: string | undefined;
  role: Open<'admin' | 'member'>;
  workspace: string;
}

export interface PendingInvitationAccept {
  email: string;
  workspace: Workspace;
}

export interface PendingInvitationRender {
  account?: PendingInvitationRenderAccount | undefined;
  email: string;
  /** ISO 8601, UTC */
  expiresAt: string;
  invitationId: string;
  /** ISO 8601, UTC */
  invitedAt: string;
  invitedBy?: PendingInvitationRenderInvitedBy | undefined;
  role: Open<'admin' | 'member'>;
  type: Open<'workspace' | 'account_admin'>;
  workspace?: PendingInvitationRenderWorkspace | undefined;
  workspaceDetails?: PendingInvitationRenderWorkspaceDetails | undefined;
}

export interface PendingInvitationRenderAccount {
  id: string;
  displayName?: string | undefined;
}

export interface PendingInvitationRenderInvitedBy {
  sub?: string | undefined;
  email?: string | undefined;
  given_name?: string | undefined;
  family_name?: string | undefined;
}

export interface PendingInvitationRenderWorkspace {
  name: string;
  displayName?: string | undefined;
}

export interface PendingInvitationRenderWorkspaceDetails {
  emails: string[];
  user_number: number;
}

export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

export interface Policy {
  metadata: Metadata;
  spec: PolicySpec;
}

export interface PolicyInput {
  metadata: MetadataInput;
  spec: PolicySpec;
}

export interface PolicyList {
  data: PolicyListItem[];
  meta: PaginationMeta;
}

export interface PolicyListItem {
  metadata: Metadata;
  spec: PolicySpec;
  usage?: PolicyUsageCounts | undefined;
}

export interface PolicyLocation {
  name?: string | undefined;
  type?: Open<'location' | 'country' | 'continent'> | undefined;
}

export interface PolicyMaxTokens {
  granularity?: Open<'minute' | 'hour' | 'day' | 'month'> | undefined;
  input?: number | undefined;
  output?: number | undefined;
  ratioInputOverOutput?: number | undefined;
  step?: number | undefined;
  total?: number | undefined;
}

export interface PolicyReplacement {
  metadata: MetadataReplacement;
  spec: PolicySpec;
}

export interface PolicySpec {
  flavors?: Flavor[] | undefined;
  locations?: PolicyLocation[] | undefined;
  maxTokens?: PolicyMaxTokens | undefined;
  resourceTypes?: Open<'model' | 'function' | 'agent' | 'sandbox' | 'application' | 'job'>[] | undefined;
  sandbox?: boolean | undefined;
  type?: Open<'location' | 'flavor' | 'maxToken'> | undefined;
}

export interface PolicyUsageCounts {
  agents: number;
  functions: number;
  jobs: number;
  models: number;
  sandboxes: number;
}

export interface PolicyUsages {
  agents: string[];
  functions: string[];
  jobs: string[];
  models: string[];
  sandboxes: string[];
}

export interface Port {
  name?: string | undefined;
  /** HTTP, TCP, UDP or TLS, in any case. */
  protocol?: Open<'HTTP' | 'TCP' | 'UDP' | 'TLS'> | undefined;
  target: number;
}

export interface PortInput {
  name?: string | undefined;
  /** HTTP, TCP, UDP or TLS, in any case. */
  protocol?: string | undefined;
  target: number;
}

export interface Preview {
  metadata: PreviewMetadata;
  spec: PreviewSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
}

export interface PreviewInput {
  metadata: PreviewInputMetadata;
  spec: PreviewSpecInput;
}

export interface PreviewInputMetadata {
  name: string;
  displayName?: string | undefined;
}

export interface PreviewMetadata {
  name: string;
  displayName?: string | undefined;
  readonly resourceName?: string | undefined;
  readonly resourceType?: string | undefined;
  /** ISO 8601, UTC */
  readonly createdAt?: string | undefined;
  /** ISO 8601, UTC */
  readonly updatedAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
  readonly workspace?: string | undefined;
}

export interface PreviewReplacement {
  metadata: PreviewReplacementMetadata;
  spec: PreviewReplacementSpec;
}

export interface PreviewReplacementMetadata {
  name?: string | undefined;
  displayName?: string | undefined;
}

export interface PreviewReplacementSpec {
  /** A verified custom domain of the workspace. */
  customDomain?: string | '' | null | undefined;
  expires?: string | '' | null | undefined;
  /** Any port but 80; 443 is the API of the sandbox. */
  port?: number | undefined;
  prefixUrl?: string | '' | null | undefined;
  /** Private when left out: callers need a token. */
  public?: boolean | undefined;
  requestHeaders?: Record<string, string> | null | undefined;
  responseHeaders?: Record<string, string> | null | undefined;
  ttl?: string | '' | null | undefined;
}

export interface PreviewSpec {
  /** A verified custom domain of the workspace. */
  customDomain?: string | Open<''> | null | undefined;
  expires?: string | Open<''> | null | undefined;
  /** Any port but 80; 443 is the API of the sandbox. */
  port?: number | undefined;
  prefixUrl?: string | Open<''> | null | undefined;
  /** Private when left out: callers need a token. */
  public?: boolean | undefined;
  requestHeaders?: Record<string, string> | null | undefined;
  responseHeaders?: Record<string, string> | null | undefined;
  ttl?: string | Open<''> | null | undefined;
  readonly region?: string | undefined;
  readonly url?: string | undefined;
}

export interface PreviewSpecInput {
  /** A verified custom domain of the workspace. */
  customDomain?: string | '' | null | undefined;
  expires?: string | '' | null | undefined;
  /** Any port but 80; 443 is the API of the sandbox. */
  port: number;
  prefixUrl?: string | '' | null | undefined;
  /** Private when left out: callers need a token. */
  public?: boolean | undefined;
  requestHeaders?: Record<string, string> | null | undefined;
  responseHeaders?: Record<string, string> | null | undefined;
  ttl?: string | '' | null | undefined;
}

export interface PreviewToken {
  metadata: PreviewTokenMetadata;
  spec: PreviewTokenSpec;
}

export interface PreviewTokenDeleted {
  message: string;
}

export interface PreviewTokenInput {
  metadata: PreviewTokenInputMetadata;
  spec: PreviewTokenInputSpec;
}

export interface PreviewTokenInputMetadata {
  name: string;
}

export interface PreviewTokenInputSpec {
  /** 24 hours from now when it is left out. */
  expiresAt?: string | undefined;
}

export interface PreviewTokenMetadata {
  name: string;
  readonly previewName?: string | undefined;
  readonly resourceName?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly workspace?: string | undefined;
}

export interface PreviewTokenSpec {
  readonly expired?: boolean | undefined;
  expiresAt?: string | undefined;
  readonly token?: string | undefined;
}

export interface ProxyTarget {
  body?: Record<string, string> | undefined;
  destinations?: string[] | undefined;
  headers?: Record<string, string> | undefined;
  secrets?: Record<string, string> | undefined;
}

export interface PublicIp {
  description?: string | undefined;
  ipv4Cidrs: string[];
  ipv6Cidrs: string[];
}

export type PublicIps = Record<string, PublicIp>;

export interface Quota {
  resourceType: string;
  value: number;
}

export interface Region {
  name: string;
  agentDrivePublicUrl?: Record<string, string> | undefined;
  allowed?: boolean | undefined;
  continent?: string | undefined;
  country?: string | undefined;
  drivesAvailable?: boolean | undefined;
  egressAvailable?: boolean | undefined;
  infoGeneration?: string | undefined;
  location?: string | undefined;
  mk31Available?: boolean | undefined;
  proxyAvailable?: boolean | undefined;
}

export interface Repository {
  type?: string | undefined;
  url?: string | undefined;
}

export interface RequestMetricsBucket {
  /** Start of the interval */
  timestamp: string;
  requests: number;
  /** Answers with a status from 400 to 499 */
  clientErrors: number;
  /** Answers with a status from 500 on, also those of the platform where the workload gave none */
  serverErrors: number;
  /** Bytes of request bodies, and what clients sent over upgraded connections */
  bytesIn: number;
  /** Bytes of response bodies, and what workloads sent over upgraded connections */
  bytesOut: number;
  /** Time until the end of the response, waiting for an instance included; estimated from a histogram. Null without requests */
  latencyMs: Percentiles | null;
  /** The same until the head of the response, of the requests that the workload answered. Null without answers */
  firstByteMs: Percentiles | null;
}

export interface ResourceLogResponse {
  /** Newest first */
  logs: LogEntry[];
  /** Lines that match, whether or not this answer holds them */
  totalCount: number;
  /** Lines per interval, oldest first, of a workload that was named; an interval without lines is left out */
  chart: LogBucket[];
}

export interface RevisionConfiguration {
  active?: string | undefined;
  canary?: string | undefined;
  canaryPercent?: number | undefined;
  stickySessionTtl?: number | undefined;
  traffic?: number | undefined;
}

export interface RevisionMetadata {
  active: boolean;
  canary: boolean;
  /** ISO 8601, UTC */
  createdAt: string;
  createdBy: string;
  id: string;
  previousActive: boolean;
  status: string;
  trafficPercent: number;
}

export interface Sandbox {
  metadata: Metadata;
  spec: SandboxSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
  readonly state?: Open<'RUNNING' | 'STANDBY'> | undefined;
  readonly errors?: SandboxInfrastructureError[] | undefined;
  readonly expiresIn?: number | undefined;
  /** ISO 8601, UTC */
  readonly lastUsedAt?: string | undefined;
  readonly nodeGeneration?: string | undefined;
}

export interface SandboxControl {
  message: string;
  metadata: Metadata;
  status: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'>;
}

export interface SandboxDefinition {
  categories?: string[] | undefined;
  coming_soon?: boolean | undefined;
  description?: string | undefined;
  displayName?: string | undefined;
  enterprise?: boolean | undefined;
  hidden?: boolean | undefined;
  icon?: string | undefined;
  image?: string | undefined;
  longDescription?: string | undefined;
  name: string;
  url?: string | undefined;
  memory?: number | undefined;
  ports?: Port[] | undefined;
  tags?: string | undefined;
}

export interface SandboxError {
  code: string;
  details?: Record<string, unknown> | undefined;
  message: string;
  reason?: string | undefined;
  sandbox_name?: string | undefined;
  status_code?: number | undefined;
  step?: string | undefined;
  timestamp?: string | undefined;
  workspace?: string | undefined;
}

export interface SandboxInfrastructureError {
  code?: string | undefined;
  fatal?: boolean | undefined;
  instance?: string | undefined;
  message?: string | undefined;
  time?: string | undefined;
}

export interface SandboxInput {
  metadata: MetadataReplacement;
  spec: SandboxSpecInput;
}

export interface SandboxLifecycle {
  expirationPolicies?: ExpirationPolicy[] | undefined;
  terminatedRetention?: string | undefined;
}

export interface SandboxLifecycleInput {
  expirationPolicies?: ExpirationPolicyInput[] | undefined;
  terminatedRetention?: string | undefined;
}

export interface SandboxList {
  data: SandboxListItem[];
  meta: PaginationMeta;
}

export interface SandboxListItem {
  metadata: Metadata;
  spec: SandboxSpec;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
  readonly state?: Open<'RUNNING' | 'STANDBY'> | undefined;
  readonly errors?: SandboxInfrastructureError[] | undefined;
  readonly expiresIn?: number | undefined;
  /** ISO 8601, UTC */
  readonly lastUsedAt?: string | undefined;
  readonly nodeGeneration?: string | undefined;
}

export interface SandboxNetwork {
  allowedDomains?: string[] | undefined;
  egress?: SandboxNetworkEgress | undefined;
  firewall?: SandboxNetworkFirewall | undefined;
  forbiddenDomains?: string[] | undefined;
  proxy?: SandboxNetworkProxy | undefined;
  subnet?: string | undefined;
}

export interface SandboxNetworkEgress {
  gateway?: string | undefined;
  mode?: Open<'dedicated'> | undefined;
  policies?: EgressPolicy[] | undefined;
}

export interface SandboxNetworkFirewall {
  rulesets?: Open<'default' | 'proxy' | 'dedicated-ip'>[] | undefined;
}

export interface SandboxNetworkProxy {
  allowedDomains?: string[] | undefined;
  bypass?: string[] | undefined;
  forbiddenDomains?: string[] | undefined;
  routing?: ProxyTarget[] | undefined;
}

export interface SandboxReplacement {
  metadata: MetadataReplacement;
  spec: SandboxSpecInput;
}

export interface SandboxRuntime {
  dockerConfig?: string | undefined;
  envs?: Env[] | undefined;
  expires?: string | Open<''> | null | undefined;
  extraArgs?: Record<string, string> | undefined;
  generation?: Open<'mk2' | 'mk3'> | undefined;
  image?: string | undefined;
  memory?: number | undefined;
  ports?: Port[] | undefined;
  skipBuild?: string | undefined;
  snapshotEnabled?: boolean | undefined;
  storageMb?: number | undefined;
  terminationGracePeriodSeconds?: number | undefined;
  ttl?: string | Open<''> | null | undefined;
}

export interface SandboxRuntimeInput {
  dockerConfig?: string | undefined;
  envs?: Env[] | undefined;
  expires?: string | '' | null | undefined;
  extraArgs?: Record<string, string> | undefined;
  generation?: 'mk2' | 'mk3' | undefined;
  image?: string | undefined;
  memory?: number | undefined;
  ports?: PortInput[] | undefined;
  skipBuild?: string | undefined;
  snapshotEnabled?: boolean | undefined;
  storageMb?: number | undefined;
  terminationGracePeriodSeconds?: number | undefined;
  ttl?: string | '' | null | undefined;
}

export interface SandboxSpec {
  enabled?: boolean | undefined;
  lifecycle?: SandboxLifecycle | null | undefined;
  network?: SandboxNetwork | undefined;
  region?: string | undefined;
  runtime?: SandboxRuntime | undefined;
  volumes?: VolumeAttachment[] | undefined;
  vpc?: string | undefined;
}

export interface SandboxSpecInput {
  enabled?: boolean | undefined;
  lifecycle?: SandboxLifecycleInput | null | undefined;
  network?: SandboxNetwork | undefined;
  region?: string | undefined;
  runtime?: SandboxRuntimeInput | undefined;
  volumes?: VolumeAttachmentInput[] | undefined;
  vpc?: string | undefined;
}

export interface ServiceAccount {
  client_id: string;
  name: string;
  description?: string | undefined;
  role?: Open<'admin' | 'member'> | undefined;
  /** ISO 8601, UTC */
  created_at?: string | undefined;
  /** ISO 8601, UTC */
  updated_at?: string | undefined;
}

export interface ServiceAccountWithSecret {
  client_id: string;
  name: string;
  description?: string | undefined;
  role?: Open<'admin' | 'member'> | undefined;
  /** ISO 8601, UTC */
  created_at?: string | undefined;
  /** ISO 8601, UTC */
  updated_at?: string | undefined;
  client_secret: string;
}

export interface Statement {
  /** As 2026-11, in UTC */
  month: string;
  /** When the statement was made; it never changes */
  frozenAt: string;
  /** Sum of its lines in USD */
  totalCost: number;
  /** Newest month of usage first, then by workspace and dimension */
  lines: StatementLine[];
}

export interface StatementLine {
  /** Month of the usage. A line of an earlier month is the difference to all statements before */
  usageMonth: string;
  workspace: string;
  billingDimension: string;
  /** In the unit of the dimension; differences may be negative */
  usage: number;
  /** USD; differences may be negative */
  cost: number;
}

export interface StatementSummary {
  /** As 2026-11, in UTC */
  month: string;
  /** When the statement was made; it never changes */
  frozenAt: string;
  /** Sum of its lines in USD */
  totalCost: number;
}

export interface Template {
  name: string;
  description?: string | undefined;
  defaultBranch?: string | undefined;
  sha?: string | undefined;
  url?: string | undefined;
  icon?: string | undefined;
  iconDark?: string | undefined;
  downloadCount?: number | undefined;
  forksCount?: number | undefined;
  starCount?: number | undefined;
  topics?: string[] | undefined;
  variables?: TemplateVariable[] | undefined;
}

export interface TemplateFile {
  /** Relative to the folder of the template */
  path: string;
  /** Bytes in base64 */
  content: string;
}

export interface TemplateFiles {
  files: TemplateFile[];
}

export interface TemplateVariable {
  name?: string | undefined;
  description?: string | undefined;
  integration?: string | undefined;
  path?: string | undefined;
  secret?: boolean | undefined;
}

export interface TokenPaths {
  received?: string | undefined;
  sent?: string | undefined;
  total?: string | undefined;
}

export interface Trigger {
  configuration?: TriggerConfiguration | undefined;
  enabled: boolean;
  id?: string | undefined;
  type: Open<'http' | 'http-async' | 'cron'>;
}

export interface TriggerConfiguration {
  /** private (the default) or public */
  authenticationType?: string | undefined;
  callbackUrl?: string | undefined;
  path?: string | undefined;
  retry?: number | undefined;
  schedule?: string | undefined;
  tasks?: Record<string, unknown>[] | undefined;
  timeout?: number | undefined;
  callbackSecret?: string | undefined;
}

export interface TriggerConfigurationInput {
  /** private (the default) or public */
  authenticationType?: string | undefined;
  callbackUrl?: string | undefined;
  path?: string | undefined;
  retry?: number | undefined;
  schedule?: string | undefined;
  tasks?: Record<string, unknown>[] | undefined;
  timeout?: number | undefined;
}

export interface TriggerInput {
  configuration?: TriggerConfigurationInput | undefined;
  enabled?: boolean | undefined;
  id?: string | undefined;
  type: 'http' | 'http-async' | 'cron';
}

export interface UpdateServiceAccountBody {
  name?: string | undefined;
  description?: string | undefined;
  role?: 'admin' | 'member' | undefined;
}

export interface UpdateUserRoleBody {
  role: 'admin' | 'member';
}

export interface VPC {
  metadata: Metadata;
  spec: VPCSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DELETING' | 'TERMINATED' | 'FAILED' | 'DEACTIVATED' | 'DEACTIVATING' | 'UPLOADING' | 'BUILDING' | 'DEPLOYING' | 'DEPLOYED' | 'BUILT'> | undefined;
}

export interface VPCInput {
  metadata: MetadataInput;
  spec: VPCSpec;
}

export type VPCSpec = Record<string, unknown>;

export interface Volume {
  metadata: Metadata;
  spec: VolumeSpec;
  readonly events?: CoreEvent[] | undefined;
  readonly status?: Open<'DEPLOYING' | 'DEPLOYED' | 'FAILED' | 'DELETING' | 'TERMINATED'> | undefined;
  readonly state?: VolumeState | undefined;
  /** ISO 8601, UTC */
  readonly terminatedAt?: string | undefined;
}

export interface VolumeAttachment {
  mountPath: string;
  name: string;
  readOnly?: boolean | undefined;
  sizeMb?: number | undefined;
  type: Open<'persistent' | 'ephemeral'>;
}

export interface VolumeAttachmentInput {
  mountPath: string;
  name: string;
  readOnly?: boolean | undefined;
  sizeMb?: number | undefined;
  type?: 'persistent' | 'ephemeral' | undefined;
}

export interface VolumeInput {
  metadata: MetadataInput;
  spec: VolumeSpecInput;
}

export interface VolumeList {
  data: LiteVolume[];
  meta: PaginationMeta;
}

export interface VolumeReplacement {
  metadata: MetadataReplacement;
  spec: VolumeSpecInput;
}

export interface VolumeSpec {
  region?: string | undefined;
  /** MB */
  size?: number | undefined;
  template?: string | undefined;
  readonly infrastructureId?: string | undefined;
}

export interface VolumeSpecInput {
  region?: string | undefined;
  /** MB */
  size?: number | undefined;
  template?: string | undefined;
}

export interface VolumeState {
  attachedTo?: string | undefined;
}

export interface VolumeTemplate {
  metadata: Metadata;
  spec: VolumeTemplateSpec;
  readonly state?: VolumeTemplateState | undefined;
  readonly versions?: VolumeTemplateVersion[] | undefined;
}

export interface VolumeTemplateInput {
  metadata: MetadataInput;
  spec: VolumeTemplateSpec;
}

export interface VolumeTemplateReplacement {
  metadata: MetadataReplacement;
  spec: VolumeTemplateSpec;
}

export interface VolumeTemplateSpec {
  /** MB */
  defaultSize?: number | undefined;
  description?: string | undefined;
}

export interface VolumeTemplateState {
  /** ISO 8601, UTC */
  lastVersionUploadedAt?: string | undefined;
  latestVersion?: string | undefined;
  status?: Open<'created' | 'ready' | 'error'> | undefined;
  versionCount?: number | undefined;
}

export interface VolumeTemplateVersion {
  bucket?: string | undefined;
  contentSize?: number | undefined;
  name?: string | undefined;
  region?: string | undefined;
  status?: Open<'CREATED' | 'READY' | 'FAILED'> | undefined;
  templateName?: string | undefined;
  versionId?: string | undefined;
  workspace?: string | undefined;
}

export interface WorkloadRequestMetrics {
  requests: number;
  /** Answers with a status from 400 to 499 */
  clientErrors: number;
  /** Answers with a status from 500 on, also those of the platform where the workload gave none */
  serverErrors: number;
  /** Bytes of request bodies, and what clients sent over upgraded connections */
  bytesIn: number;
  /** Bytes of response bodies, and what workloads sent over upgraded connections */
  bytesOut: number;
  /** Time until the end of the response, waiting for an instance included; estimated from a histogram. Null without requests */
  latencyMs: Percentiles | null;
  /** The same until the head of the response, of the requests that the workload answered. Null without answers */
  firstByteMs: Percentiles | null;
  /** Requests per interval, oldest first, of a workload that was named; an interval without requests is left out */
  chart: RequestMetricsBucket[];
}

export interface Workspace {
  readonly id: string;
  name: string;
  accountId: string;
  displayName?: string | undefined;
  groupMappings?: GroupMapping[] | undefined;
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
  region?: string | undefined;
  runtime?: WorkspaceRuntime | undefined;
  readonly hipaaInfo?: WorkspaceHipaaInfo | undefined;
  readonly resourceCounts?: Record<string, number> | undefined;
  readonly status: Open<'created' | 'account_binded' | 'account_configured' | 'workspace_configured' | 'ready' | 'error'>;
  readonly statusReason?: string | undefined;
  /** ISO 8601, UTC */
  readonly createdAt?: string | undefined;
  /** ISO 8601, UTC */
  readonly updatedAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly updatedBy?: string | undefined;
}

export interface WorkspaceAvailability {
  available: boolean;
  message: string;
  reason?: string | undefined;
}

export interface WorkspaceChange {
  name?: string | undefined;
  displayName?: string | undefined;
  groupMappings?: GroupMapping[] | undefined;
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
  region?: string | undefined;
  runtime?: WorkspaceRuntime | undefined;
}

export interface WorkspaceHipaaInfo {
  accountEnabled?: boolean | undefined;
  unsafe?: WorkspaceHipaaInfoUnsafe | undefined;
}

export interface WorkspaceHipaaInfoUnsafe {
  enabled?: boolean | undefined;
  /** ISO 8601, UTC */
  updatedAt?: string | undefined;
  updatedBy?: string | undefined;
}

export interface WorkspaceInput {
  name: string;
  accountId?: string | undefined;
  displayName?: string | undefined;
  groupMappings?: GroupMapping[] | undefined;
  /** At most 64 labels. */
  labels?: Record<string, string> | undefined;
  region?: string | undefined;
  runtime?: WorkspaceRuntime | undefined;
}

export interface WorkspaceRuntime {
  generation?: string | undefined;
  sandbox?: WorkspaceSandboxSettings | undefined;
}

export interface WorkspaceSandboxSettings {
  disableProcessLogging?: boolean | undefined;
}

export interface WorkspaceUser {
  accepted: boolean;
  email?: string | undefined;
  email_verified?: boolean | undefined;
  expired?: boolean | undefined;
  family_name?: string | undefined;
  given_name?: string | undefined;
  role: Open<'admin' | 'member'>;
  source?: Open<'directory_sync' | 'invitation' | 'domain_capture'> | undefined;
  sub?: string | undefined;
}
