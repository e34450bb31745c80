// Names of the schemas in the description of the API. They are apart from the schemas, because the MCP server publishes those
// without references.
import * as z from 'zod/mini';
import {
  ApplyEditShape,
  ContentSearchShape,
  ControlStateShape,
  DriveMountListShape,
  ErrorAnswer,
  FindShape,
  FuzzySearchShape,
  HealthShape,
  MessageAnswer,
  PartReceiptShape,
  ProcessLogRangeShape,
  ProcessLogsShape,
  ProcessPortsShape,
  QuiesceShape,
  ReloadShape,
  RerankingShape,
  StatsShape,
  UploadedPartShape,
  UploadInitiatedShape,
  UploadListShape,
  UploadPartListShape,
  WelcomeShape,
} from '../answers.ts';
import { ApplyEditRequest } from '../codegen.ts';
import { ControlEnvironmentRequest } from '../control.ts';
import { FileRequest, TreeRequest } from '../files.ts';
import { ChangeShape, DirectoryShape, FileShape, FileWithContentShape, ProcessShape } from '../mcp.ts';
import { PortMonitorRequest } from '../network.ts';
import { ProcessInputRequest, ProcessRequest, ProcessSignalRequest } from '../processes.ts';
import { DriveMountRequest, TunnelConfigRequest, UpgradeRequest } from '../system.ts';
import { UploadCompleteRequest, UploadInitiateRequest } from '../uploads.ts';

const named = {
  ApplyEditAnswer: ApplyEditShape,
  ApplyEditRequest,
  Change: ChangeShape,
  ContentSearchAnswer: ContentSearchShape,
  ControlEnvironmentRequest,
  ControlState: ControlStateShape,
  Directory: DirectoryShape,
  DriveMountList: DriveMountListShape,
  DriveMountRequest,
  EnvironmentAnswer: ReloadShape,
  Error: ErrorAnswer,
  File: FileShape,
  FileRequest,
  FileWithContent: FileWithContentShape,
  FindAnswer: FindShape,
  FuzzySearchAnswer: FuzzySearchShape,
  Health: HealthShape,
  Message: MessageAnswer,
  PartReceipt: PartReceiptShape,
  PortMonitorRequest,
  Process: ProcessShape,
  ProcessInputRequest,
  ProcessLogRange: ProcessLogRangeShape,
  ProcessLogs: ProcessLogsShape,
  ProcessPorts: ProcessPortsShape,
  ProcessRequest,
  ProcessSignalRequest,
  QuiesceAnswer: QuiesceShape,
  RankingAnswer: RerankingShape,
  Stats: StatsShape,
  TreeRequest,
  TunnelConfigRequest,
  UpgradeRequest,
  UploadCompleteRequest,
  UploadInitiated: UploadInitiatedShape,
  UploadInitiateRequest,
  UploadList: UploadListShape,
  UploadPartList: UploadPartListShape,
  UploadedPart: UploadedPartShape,
  Welcome: WelcomeShape,
} as const;

export const schemaNames = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(named)) schemaNames.add(schema, { id });
