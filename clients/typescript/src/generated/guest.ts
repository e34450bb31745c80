// Types of the API inside a sandbox. Written by `pnpm clients`.

/** A text of which some values are known; a later service may answer with others. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

export interface ApplyEditAnswer {
  success: boolean;
  path: string;
  originalContent: string;
  updatedContent: string;
  provider: string;
  message: string;
}

export interface ApplyEditRequest {
  codeEdit: string;
  model?: string | undefined;
}

export interface Change {
  path: string;
  message: string;
}

export interface ContentSearchAnswer {
  query: string;
  matches: ContentSearchAnswerMatch[];
  total: number;
}

export interface ContentSearchAnswerMatch {
  path: string;
  line: number;
  column: number;
  text: string;
  context?: string | undefined;
}

export interface ControlEnvironmentRequest {
  generation: number;
  environment: Record<string, unknown>;
  replace?: boolean | undefined;
}

export interface ControlState {
  versions: string[];
  guestVersion: string;
  instanceId: string;
  openRequests: number;
  idleMs: number;
  keepAliveHolds: number;
  environmentGeneration: number;
}

export interface Directory {
  path: string;
  name: string;
  files: File[];
  subdirectories: DirectorySubdirectory[];
}

export interface DirectorySubdirectory {
  path: string;
  name: string;
}

export interface DriveMountList {
  mounts: DriveMountListMount[];
}

export interface DriveMountListMount {
  driveName: string;
  mountPath: string;
}

export interface DriveMountRequest {
  driveName: string;
  mountPath: string;
  drivePath?: string | undefined;
  readOnly?: boolean | undefined;
  uidMap?: string | undefined;
  gidMap?: string | undefined;
}

export interface EnvironmentAnswer {
  generation: number;
  applied: number;
  removed: number;
  skipped: string[];
}

export interface Error {
  error: string;
}

export interface File {
  path: string;
  name: string;
  permissions: string;
  size: number;
  lastModified: string;
  owner: string;
  group: string;
}

export interface FileRequest {
  content?: string | null | undefined;
  isDirectory?: boolean | null | undefined;
  permissions?: string | null | undefined;
}

export interface FileWithContent {
  path: string;
  name: string;
  permissions: string;
  size: number;
  lastModified: string;
  owner: string;
  group: string;
  content: string;
}

export interface FindAnswer {
  matches: FindAnswerMatch[];
  total: number;
}

export interface FindAnswerMatch {
  path: string;
  type: Open<'file' | 'directory'>;
}

export interface FuzzySearchAnswer {
  matches: FuzzySearchAnswerMatch[];
  total: number;
  truncated?: true | undefined;
}

export interface FuzzySearchAnswerMatch {
  path: string;
  type: Open<'file' | 'directory'>;
  score: number;
}

export interface Health {
  status: Open<'ok'>;
  version: string;
  gitCommit: string;
  buildTime: string;
  goVersion: string;
  os: string;
  arch: string;
  uptime: string;
  uptimeSeconds: number;
  upgradeCount: number;
  startedAt: string;
  lastUpgrade: HealthLastUpgrade;
}

export interface HealthLastUpgrade {
  status: Open<'idle'>;
  step: Open<'none'>;
  version: string;
}

export interface Message {
  message: string;
}

export interface PartReceipt {
  partNumber: number;
  etag: string;
  size: number;
}

export interface PortMonitorRequest {
  callback: string;
}

export interface Process {
  pid: string;
  name: string;
  command: string;
  workingDir: string;
  status: Open<'running' | 'completed' | 'failed' | 'stopped' | 'killed'>;
  startedAt: string;
  completedAt: string | null;
  exitCode: number;
  logs: string | null;
  stdout: string | null;
  stderr: string | null;
  restartOnFailure: boolean;
  maxRestarts: number;
  restartCount: number;
  keepAlive: boolean;
}

export interface ProcessInputRequest {
  data?: string | undefined;
  encoding?: 'utf8' | 'base64' | undefined;
  end?: boolean | undefined;
}

export interface ProcessLogRange {
  stream: Open<'stdout' | 'stderr' | 'logs'>;
  offset: number;
  nextOffset: number;
  ended: boolean;
  data: string;
}

export interface ProcessLogs {
  stdout: string;
  stderr: string;
  logs: string;
}

export interface ProcessPorts {
  pid: number;
  ports: ProcessPortsPort[];
}

export interface ProcessPortsPort {
  pid: number;
  protocol: Open<'tcp' | 'udp'>;
  localAddr: string;
  localPort: number;
  remoteAddr: string;
  remotePort: number;
  state: string;
  processName: string;
}

export interface ProcessRequest {
  command: string;
  name?: string | undefined;
  workingDir?: string | undefined;
  env?: Record<string, string> | undefined;
  waitForCompletion?: boolean | undefined;
  timeout?: number | undefined;
  waitForPorts?: number[] | undefined;
  restartOnFailure?: boolean | undefined;
  maxRestarts?: number | undefined;
  keepAlive?: boolean | undefined;
  stdin?: boolean | undefined;
}

export interface ProcessSignalRequest {
  signal: string | number;
}

export interface QuiesceAnswer {
  ready: boolean;
  openRequests: number;
  keepAliveHolds: number;
  error?: string | undefined;
}

export interface RankingAnswer {
  success: boolean;
  files: RankingAnswerFile[];
  message: string;
}

export interface RankingAnswerFile {
  path: string;
  content: string;
  score: number;
}

export interface Stats {
  memory: StatsMemory;
  cpu: StatsCpu;
  pids: StatsPids;
  disk: StatsDisk;
}

export interface StatsCpu {
  usedSeconds: number | null;
  limitCores: number | null;
}

export interface StatsDisk {
  path: string;
  totalBytes: number | null;
  usedBytes: number | null;
  freeBytes: number | null;
}

export interface StatsMemory {
  usedBytes: number | null;
  limitBytes: number | null;
}

export interface StatsPids {
  current: number | null;
  limit: number | null;
}

export interface TreeRequest {
  files?: Record<string, string> | null | undefined;
}

export interface TunnelConfigRequest {
  config: string;
}

export interface UpgradeRequest {
  version?: string | undefined;
  baseUrl?: string | undefined;
}

export interface UploadCompleteRequest {
  parts: UploadCompleteRequestPart[];
}

export interface UploadCompleteRequestPart {
  partNumber: number;
  etag: string;
}

export interface UploadInitiateRequest {
  permissions?: string | null | undefined;
}

export interface UploadInitiated {
  uploadId: string;
  path: string;
}

export interface UploadList {
  uploads: UploadListUpload[];
}

export interface UploadListUpload {
  uploadId: string;
  path: string;
  initiatedAt: string;
  permissions: number;
  parts: Record<string, UploadedPart>;
}

export interface UploadPartList {
  uploadId: string;
  parts: UploadedPart[];
}

export interface UploadedPart {
  partNumber: number;
  etag: string;
  size: number;
  uploadedAt: string;
}

export interface Welcome {
  message: string;
  documentation: string;
  description: string;
}

export interface FileUpload {
  file: Blob;
  permissions?: string | undefined;
}
