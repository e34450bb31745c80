// Answers of the routes as schemas, for the API description. The types belong to the features; `satisfies` keeps types
// and schemas equal. Loaded only when the description is requested.
import * as z from 'zod/mini';
import type { ApplyEditResponse, RerankingResponse } from './codegen.ts';
import type { ControlState, QuiesceAnswer } from './control.ts';
import type { ProcessPorts } from './network.ts';
import type { ProcessLogRange, ProcessLogs } from './processes.ts';
import type { ContentSearchAnswer, FindAnswer, FuzzySearchAnswer } from './search.ts';
import type { HealthResponse, ReloadResponse, StatsResponse } from './system.ts';
import type { PartReceipt, UploadedPart, UploadInitiated, UploadList, UploadPartList } from './uploads.ts';

const entryType = z.enum(['file', 'directory']);

export const MessageAnswer = z.object({ message: z.string() });
export const ErrorAnswer = z.object({ error: z.string() });

export const FindShape = z.object({
  matches: z.array(z.object({ path: z.string(), type: entryType })),
  total: z.int(),
}) satisfies z.ZodMiniType<FindAnswer>;

export const FuzzySearchShape = z.object({
  matches: z.array(z.object({ path: z.string(), type: entryType, score: z.number() })),
  total: z.int(),
  truncated: z.exactOptional(z.literal(true)),
}) satisfies z.ZodMiniType<FuzzySearchAnswer>;

export const ContentSearchShape = z.object({
  query: z.string(),
  matches: z.array(
    z.object({
      path: z.string(),
      line: z.int(),
      column: z.int(),
      text: z.string(),
      context: z.exactOptional(z.string()),
    }),
  ),
  total: z.int(),
}) satisfies z.ZodMiniType<ContentSearchAnswer>;

export const UploadedPartShape = z.object({
  partNumber: z.int(),
  etag: z.string(),
  size: z.int(),
  uploadedAt: z.string(),
}) satisfies z.ZodMiniType<UploadedPart>;

export const PartReceiptShape = z.object({
  partNumber: z.int(),
  etag: z.string(),
  size: z.int(),
}) satisfies z.ZodMiniType<PartReceipt>;

export const UploadInitiatedShape = z.object({
  uploadId: z.string(),
  path: z.string(),
}) satisfies z.ZodMiniType<UploadInitiated>;

export const UploadPartListShape = z.object({
  uploadId: z.string(),
  parts: z.array(UploadedPartShape),
}) satisfies z.ZodMiniType<UploadPartList>;

export const UploadListShape = z.object({
  uploads: z.array(
    z.object({
      uploadId: z.string(),
      path: z.string(),
      initiatedAt: z.string(),
      permissions: z.int(),
      parts: z.record(z.string(), UploadedPartShape),
    }),
  ),
}) satisfies z.ZodMiniType<UploadList>;

export const ProcessLogsShape = z.object({
  stdout: z.string(),
  stderr: z.string(),
  logs: z.string(),
}) satisfies z.ZodMiniType<ProcessLogs>;

export const ProcessLogRangeShape = z.object({
  stream: z.enum(['stdout', 'stderr', 'logs']),
  offset: z.int(),
  nextOffset: z.int(),
  ended: z.boolean(),
  data: z.string(),
}) satisfies z.ZodMiniType<ProcessLogRange>;

export const ProcessPortsShape = z.object({
  pid: z.int(),
  ports: z.array(
    z.object({
      pid: z.int(),
      protocol: z.enum(['tcp', 'udp']),
      localAddr: z.string(),
      localPort: z.int(),
      remoteAddr: z.string(),
      remotePort: z.int(),
      state: z.string(),
      processName: z.string(),
    }),
  ),
}) satisfies z.ZodMiniType<ProcessPorts>;

export const DriveMountListShape = z.object({
  mounts: z.array(z.object({ driveName: z.string(), mountPath: z.string() })),
});

export const ApplyEditShape = z.object({
  success: z.boolean(),
  path: z.string(),
  originalContent: z.string(),
  updatedContent: z.string(),
  provider: z.string(),
  message: z.string(),
}) satisfies z.ZodMiniType<ApplyEditResponse>;

export const RerankingShape = z.object({
  success: z.boolean(),
  files: z.array(z.object({ path: z.string(), content: z.string(), score: z.number() })),
  message: z.string(),
}) satisfies z.ZodMiniType<RerankingResponse>;

export const HealthShape = z.object({
  status: z.literal('ok'),
  version: z.string(),
  gitCommit: z.string(),
  buildTime: z.string(),
  goVersion: z.string(),
  os: z.string(),
  arch: z.string(),
  uptime: z.string(),
  uptimeSeconds: z.number(),
  upgradeCount: z.int(),
  startedAt: z.string(),
  lastUpgrade: z.object({ status: z.literal('idle'), step: z.literal('none'), version: z.string() }),
}) satisfies z.ZodMiniType<HealthResponse>;

const orNull = z.nullable(z.number());

export const StatsShape = z.object({
  memory: z.object({ usedBytes: orNull, limitBytes: orNull }),
  cpu: z.object({ usedSeconds: orNull, limitCores: orNull }),
  pids: z.object({ current: orNull, limit: orNull }),
  disk: z.object({ path: z.string(), totalBytes: orNull, usedBytes: orNull, freeBytes: orNull }),
}) satisfies z.ZodMiniType<StatsResponse>;

export const ReloadShape = z.object({
  generation: z.int(),
  applied: z.int(),
  removed: z.int(),
  skipped: z.array(z.string()),
}) satisfies z.ZodMiniType<ReloadResponse>;

export const WelcomeShape = z.object({ message: z.string(), documentation: z.string(), description: z.string() });

export const ControlStateShape = z.object({
  versions: z.array(z.string()),
  guestVersion: z.string(),
  instanceId: z.string(),
  openRequests: z.int(),
  idleMs: z.int(),
  keepAliveHolds: z.int(),
  environmentGeneration: z.int(),
}) satisfies z.ZodMiniType<ControlState>;

export const QuiesceShape = z.object({
  ready: z.boolean(),
  openRequests: z.int(),
  keepAliveHolds: z.int(),
  error: z.exactOptional(z.string()),
}) satisfies z.ZodMiniType<QuiesceAnswer>;
