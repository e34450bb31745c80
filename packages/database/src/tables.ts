// Types of the tables. migrations/*.sql is the source of truth; a test compares both.
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';

type Json<T extends object> = JSONColumnType<T, string, string>;
type NullableJson<T extends object> = ColumnType<T | null, string | null | undefined, string | null>;
type Time = ColumnType<Date, Date | string | undefined, Date | string>;
type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
export type JsonObject = Record<string, unknown>;
export type WorkspaceStatus =
  | 'created'
  | 'account_binded'
  | 'account_configured'
  | 'workspace_configured'
  | 'ready'
  | 'error';
export type MemberRole = 'member' | 'admin';

/** `executions.trigger`. */
/** Where the result of what a trigger has started is sent; the secret is sealed for the resource, as in its spec. */
export interface TriggerCallback {
  readonly url: string;
  readonly secret: { readonly $sealed: string };
}

export interface ExecutionTrigger {
  readonly id: string;
  readonly type: 'cron' | 'http';
  readonly callback?: TriggerCallback;
}

export interface Tables {
  accounts: {
    id: string;
    display_name: string;
    owner_email: string;
    plan: string;
    tier: string;
    quotas: ColumnType<Record<string, number>, string | undefined, string>;
    created_at: Time;
    updated_at: Time;
  };
  users: {
    id: string;
    email: string;
    email_verified: Generated<boolean>;
    given_name: string | null;
    family_name: string | null;
    created_at: Time;
  };
  account_members: { account_id: string; user_id: string; role: MemberRole };
  workspaces: {
    id: string;
    account_id: string;
    name: string;
    display_name: string | null;
    region: string | null;
    labels: ColumnType<Record<string, string>, string | undefined, string>;
    group_mappings: ColumnType<{ groupName?: string; role?: MemberRole }[], string | undefined, string>;
    runtime: ColumnType<JsonObject, string | undefined, string>;
    hipaa: NullableJson<JsonObject>;
    status: WorkspaceStatus;
    status_reason: string | null;
    created_at: Time;
    created_by: string;
    updated_at: Time;
    updated_by: string;
  };
  workspace_steps: { workspace_id: string; step: string; at: Time };
  workspace_members: {
    workspace_id: string;
    user_id: string;
    role: MemberRole;
    source: string | null;
    created_at: Time;
  };
  invitations: {
    id: string;
    workspace_id: string;
    email: string;
    role: MemberRole;
    invited_by: string;
    state: Generated<'open' | 'accepted' | 'declined' | 'revoked'>;
    created_at: Time;
    updated_at: Time;
    expires_at: Time;
  };
  service_accounts: {
    client_id: string;
    workspace_id: string;
    name: string;
    description: string | null;
    role: MemberRole;
    secret_hash: Buffer;
    created_at: Time;
    updated_at: Time;
  };
  api_keys: {
    id: string;
    hash: Buffer;
    user_id: string | null;
    service_account_id: string | null;
    name: string | null;
    scopes: string[] | null;
    sealed: string | null;
    created_at: Time;
    created_by: string;
    expires_at: NullableTime;
    last_used_at: NullableTime;
    parent_id: string | null;
  };
  workspace_keys: { workspace_id: string; master_key_id: string; wrapped: Buffer; created_at: Time };
  deployment_keys: {
    id: string;
    purpose: string;
    master_key_id: string;
    wrapped: Buffer;
    public_part: NullableJson<JsonObject>;
    created_at: Time;
  };
  prices: { account_id: string; billing_dimension: string; unit: string; usd_per_unit: string; valid_from: Time };
  resources: {
    uid: string;
    workspace_id: string;
    kind: string;
    parent_uid: Generated<string>;
    name: string;
    display_name: string | null;
    external_id: string | null;
    labels: NullableJson<Record<string, string>>;
    spec: Json<JsonObject>;
    state: NullableJson<JsonObject>;
    status: string | null;
    generation: Generated<number>;
    created_at: Time;
    created_by: string;
    updated_at: Time;
    updated_by: string;
    terminated_at: NullableTime;
    expires_at: NullableTime;
    search: string;
  };
  resource_events: {
    id: Generated<number>;
    resource_uid: string;
    time: Time;
    type: string;
    status: string | null;
    message: string | null;
    revision: string | null;
    canary_revision: string | null;
  };
  revisions: {
    resource_uid: string;
    id: string;
    number: number;
    spec: Json<JsonObject>;
    status: string;
    created_at: Time;
    created_by: string;
  };
  resource_counts: { workspace_id: string; kind: string; parent_uid: Generated<string>; live: number };
  quota_usage: { account_id: string; resource_type: string; used: number };
  cron_triggers: {
    resource_uid: string;
    trigger_id: string;
    workspace_id: string;
    schedule: string;
    /** False where the trigger or its job is disabled. */
    is_enabled: boolean;
    /** When the next tick is due; null while disabled. */
    next_at: NullableTime;
    /** Time of the newest tick that was handled. */
    last_at: NullableTime;
  };
  trigger_paths: {
    workspace_id: string;
    path: string;
    resource_uid: string;
    trigger_id: string;
    /** Switch of the trigger itself; its resource has another. */
    is_enabled: boolean;
    is_public: boolean;
    /** Requests are accepted at once and performed afterwards. */
    is_async: Generated<boolean>;
  };
  /** Asynchronous calls of agents. */
  invocations: {
    id: string;
    /** Of the caller and the request's Idempotency-Key. */
    message_id: string | null;
    account_id: string;
    workspace_id: string;
    workspace_name: string;
    resource_uid: string;
    resource_name: string;
    /** Whose settings it has; null for those of the agent's own address. */
    trigger_id: string | null;
    key_id: string | null;
    subject: string | null;
    /** False where the caller was admitted because the address is public. */
    is_by_member: boolean;
    method: string;
    path: string;
    /** Names and values in turn; null once the call has ended. */
    headers: JSONColumnType<readonly string[] | null, string | null, string | null>;
    body: Buffer | null;
    body_bytes: number;
    max_runs: number;
    timeout_seconds: number;
    callback: NullableJson<TriggerCallback>;
    status: Generated<'queued' | 'running' | 'succeeded' | 'failed' | 'unknown'>;
    runs: Generated<number>;
    next_at: Time;
    /** Named anew for each claim. */
    claim_id: string | null;
    claimed_until: NullableTime;
    accepted_at: Time;
    started_at: NullableTime;
    ended_at: NullableTime;
    status_code: number | null;
    response_bytes: number | null;
    error: string | null;
    metered_at: NullableTime;
  };
  executions: {
    id: string;
    workspace_id: string;
    /** Set by the database from the workspace. */
    account_id: Generated<string | null>;
    job_uid: string;
    external_id: string;
    message_id: string | null;
    status: string;
    spec: Json<JsonObject>;
    /** What started the execution; null for a start through the API. */
    trigger: NullableJson<ExecutionTrigger>;
    task_count: number;
    /** Largest number of tasks at once. */
    parallelism: Generated<number>;
    /** Memory of each task. */
    memory_mb: Generated<number>;
    /** Tasks with an attempt that is not settled yet. */
    active: Generated<number>;
    succeeded: Generated<number>;
    failed: Generated<number>;
    cancelled: Generated<number>;
    /** Attempts that were repeated for the task's own fault. */
    retried: Generated<number>;
    /** Bytes taken from the account's limit. */
    bytes: Generated<number>;
    generation: Generated<number>;
    created_at: Time;
    created_by: string;
    updated_at: Time;
    started_at: NullableTime;
    completed_at: NullableTime;
  };
  tasks: {
    execution_id: string;
    index: number;
    status: Generated<string>;
    input: Json<JsonObject>;
    /** Number of its newest attempt; 0 before the first. */
    attempt: Generated<number>;
    /** Attempts that failed for the task's own fault. */
    failures: Generated<number>;
    /** Attempts that ended for another reason, such as a lost machine. */
    losses: Generated<number>;
    /** The next attempt starts no earlier. */
    not_before: NullableTime;
    /** How its newest settled attempt ended. */
    reason: string | null;
    exit_code: number | null;
    message: string | null;
    created_at: Time;
    updated_at: Time;
    scheduled_at: NullableTime;
    started_at: NullableTime;
    completed_at: NullableTime;
  };
  /** Of an execution or an invocation in a workspace, or of a budget of an account. */
  deliveries: {
    id: string;
    workspace_id: string | null;
    resource_uid: string | null;
    execution_id: string | null;
    invocation_id: string | null;
    trigger_id: string | null;
    account_id: string | null;
    budget_id: string | null;
    /** The workspace, or the account. */
    sender_id: GeneratedAlways<string>;
    url: string;
    /** Host and port of the url. */
    host: string;
    /** Sealed for the resource or the budget. */
    secret: string;
    body: string;
    /** Tries whose result is recorded. */
    attempts: Generated<number>;
    next_at: Time;
    /** The process that delivers it has until then to record the result. */
    claimed_until: NullableTime;
    delivered_at: NullableTime;
    given_up_at: NullableTime;
    last_status: number | null;
    last_error: string | null;
    created_at: Time;
  };
  runners: {
    id: string;
    name: string;
    region: string;
    status: Generated<'joined' | 'up' | 'lost'>;
    isolation: Generated<string[]>;
    memory_mb: Generated<number>;
    cpus: Generated<number>;
    reserved_mb: Generated<number>;
    /** Tasks of jobs that it runs at once. */
    max_tasks: Generated<number>;
    session: Generated<number>;
    version: string | null;
    free_memory_mb: number | null;
    free_disk_percent: number | null;
    warm: ColumnType<unknown[], string | undefined, string>;
    warm_lately: Generated<number>;
    is_pressed: Generated<boolean>;
    ingress_address: string | null;
    ingress_secret: string | null;
    joined_at: Time;
    last_seen_at: NullableTime;
  };
  deployment_epoch: {
    is_only: Generated<boolean>;
    epoch: Generated<string>;
    is_rehearsal: Generated<boolean>;
    since: Time;
  };
  orphans: {
    runner_id: string;
    instance_id: string;
    workspace_id: string | null;
    is_sandbox: boolean;
    reported_at: Time;
    removal_ordered_at: NullableTime;
  };
  gateway_certificates: { id: string; public_key: string; certificate: string | null; asked_at: Time };
  gateway_keys: { purpose: string; secret: Buffer; created_at: Time };
  runner_tokens: {
    hash: Buffer;
    region: string;
    created_at: Time;
    expires_at: Time;
    used_at: NullableTime;
    runner_id: string | null;
  };
  instances: {
    id: string;
    workspace_id: string | null;
    /** Set by the database from the workspace. */
    account_id: Generated<string | null>;
    workspace_name: Generated<string | null>;
    resource_uid: string | null;
    /** Pool in which the instance waits for an owner. */
    pool: string | null;
    revision: string;
    runner_id: string;
    spec: Json<JsonObject>;
    desired: Generated<'running' | 'leaving' | 'gone'>;
    state: Generated<'placed' | 'pulling' | 'starting' | 'ready' | 'ended' | 'failed' | 'gone' | 'lost'>;
    code: string | null;
    message: string | null;
    starts: Generated<number>;
    address: string | null;
    stages: NullableJson<JsonObject>;
    reserved_mb: number;
    generation: Generated<number>;
    applied_generation: Generated<number>;
    awake: Generated<boolean>;
    used_at: NullableTime;
    is_expired: Generated<boolean>;
    report_session: Generated<number>;
    report_sequence: Generated<number>;
    created_at: Time;
    ready_at: NullableTime;
    failed_at: NullableTime;
    ended_at: NullableTime;
    /** Set for an attempt of a task, with the two columns after it. */
    execution_id: string | null;
    task_index: number | null;
    attempt: number | null;
    /** `reason` and `exitCode` of an attempt that has ended. */
    result: NullableJson<JsonObject>;
    /** When the process of an attempt ended; `ready_at` is when it started. */
    finished_at: NullableTime;
    /** When the end of an attempt became part of its task. */
    settled_at: NullableTime;
    /** When its runner had sent all usage of it. */
    metered_at: NullableTime;
  };
  runner_absences: { runner_id: string; since: Time; until: NullableTime };
  usage_dirty_hours: { account_id: string; hour: Time; marks: Generated<string>; claimed_until: Generated<Date> };
  usage_spans: {
    id: Generated<string>;
    account_id: string;
    workspace_id: string;
    workspace_name: string;
    resource_type: string;
    resource_name: string;
    resource_uid: string;
    billing_dimension: string;
    from_at: Time;
    to_at: NullableTime;
    /** The ledger has the span up to here. */
    metered_to: NullableTime;
  };
  usage_closed_hours: {
    account_id: string;
    hour: Time;
    micro: string;
    pico: string;
    closings: Generated<number>;
    closed_at: Time;
  };
  budgets: {
    id: string;
    account_id: string;
    name: string;
    amount_usd: string;
    thresholds: number[];
    workspace: string | null;
    /** What it counts. A budget of models also refuses requests once it is used up. */
    of: Generated<'usage' | 'models'>;
    callback_url: string | null;
    callback_secret: string | null;
    evaluated_at: Time;
    created_at: Time;
    created_by: string;
    updated_at: Time;
    updated_by: string;
  };
  budget_alerts: {
    budget_id: string;
    /** As 2026-11. */
    month: string;
    percent: number;
    pico: string;
    amount_usd: string;
    reached_at: Time;
    delivery_id: string | null;
  };
  statements: { account_id: string; month: string; frozen_at: Time; pico: string };
  statement_lines: {
    account_id: string;
    month: string;
    usage_month: string;
    workspace_id: string;
    workspace: string;
    billing_dimension: string;
    micro: string;
    pico: string;
  };
  log_usage: { workspace_id: string; day: string; bytes: number };
  /** Sums of one gateway process for one window of a policy or a budget. */
  limit_windows: {
    subject: string;
    measure: string;
    window_start: Time;
    gateway_run: string;
    sent: string;
    received: string;
    nano_usd: string;
    expires_at: Time;
  };
  workload_demand: { resource_uid: string; gateway_id: string; requests: number; expires_at: Time };
  egress_addresses: { address: string; pool: string; resource_uid: string; allocated_at: Time };
  host_labels: { region: string; label: string; resource_uid: string };
  deleted_workspaces: { id: string; deleted_at: Time };
  released_workspace_names: { name: string; account_id: string; released_at: Time };
  preview_hosts: { region: string; label: string; preview_uid: string };
  preview_tokens: {
    id: string;
    preview_uid: string;
    name: string;
    hash: Buffer;
    sealed: string;
    expires_at: Time;
    created_at: Time;
    created_by: string;
  };
  outbox: {
    id: Generated<number>;
    created_at: Time;
    topic: string;
    key: string;
    /** The nil UUID for work that belongs to no workspace. */
    workspace_id: Generated<string>;
    payload: ColumnType<JsonObject, string | undefined, string>;
    trace: string | null;
  };
  audit_log: {
    id: Generated<number>;
    at: Time;
    account_id: string | null;
    workspace_id: string | null;
    subject: string;
    subject_type: string;
    action: string;
    target: string;
    request_id: string;
    key_id: string | null;
    address: string | null;
    uses: Generated<number>;
  };
  idempotency_keys: {
    principal: string;
    workspace_id: string;
    operation: string;
    key: string;
    request_hash: Buffer;
    answer: string | null;
    created_at: Time;
  };
}
