// Inputs and answers of each route, for the API description that the guest serves and the fuzzer reads. Loaded with the
// first call that needs it; serving a request needs only routes.ts.
import * as z from 'zod/mini';
import {
  ApplyEditShape,
  ContentSearchShape,
  ControlStateShape,
  DriveMountListShape,
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
  UploadInitiatedShape,
  UploadListShape,
  UploadPartListShape,
  WelcomeShape,
} from './answers.ts';
import { ApplyEditRequest } from './codegen.ts';
import { ControlEnvironmentRequest } from './control.ts';
import { FileRequest, TreeRequest } from './files.ts';
import { ChangeShape, DirectoryShape, FileWithContentShape, ProcessShape } from './mcp.ts';
import { PortMonitorRequest } from './network.ts';
import { ProcessInputRequest, ProcessRequest, ProcessSignalRequest } from './processes.ts';
import type { GuestRouteId } from './routes.ts';
import { DriveMountRequest, TunnelConfigRequest, UpgradeRequest } from './system.ts';
import { UploadCompleteRequest, UploadInitiateRequest } from './uploads.ts';

type GuestParameter = {
  type: 'string' | 'integer' | 'number' | 'boolean';
  description: string;
  required?: true;
  minimum?: number;
  maximum?: number;
  enum?: readonly string[];
  default?: string | number | boolean;
};

/** A JSON body of this schema, or a form that contains a file. */
export type GuestBody = { json: z.ZodMiniType; optional?: true; orUpload?: true } | 'upload';

/** One of several JSON forms, or a body of another content type. */
export type GuestAnswer = { json: readonly z.ZodMiniType[]; types?: readonly string[] } | { types: readonly string[] };

export type GuestOperation = {
  tag: string;
  summary: string;
  /** Descriptions of the `{…}` parts of the path that need more than their name. */
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, GuestParameter>>;
  body?: GuestBody;
  answer?: GuestAnswer;
  /** Statuses besides that of the answer, 500, and the statuses common to all routes. */
  statuses: readonly number[];
  /** Only for the runner, which signs the request. */
  signed?: true;
};

const ANY_PATH =
  'As it is (relative to the working directory), with a second slash before it or percent-encoded from its slash on (absolute), or with ~.';
const TREE_PATH = 'Absolute, with or without its first slash.';
const json = (...schemas: z.ZodMiniType[]): GuestAnswer => ({ json: schemas });

const flag = (description: string, otherwise = false): GuestParameter => ({
  type: 'boolean',
  description,
  default: otherwise,
});
const text = (description: string): GuestParameter => ({ type: 'string', description });

const searchQuery = {
  maxResults: { type: 'integer', minimum: 0, description: 'How many at most, up to 1000; 0 means all.' },
  excludeDirs: text('Names of folders to leave out, with commas between; empty leaves out none.'),
} as const satisfies Record<string, GuestParameter>;

const identifier = { identifier: 'A pid (digits), or the name of a process: the newest that has it.' };
const pid = { pid: 'Number of a process.' };

const welcome: GuestOperation = {
  tag: 'System',
  summary: 'Says what this is.',
  answer: json(WelcomeShape),
  statuses: [],
};

export const guestOperations: Readonly<Record<GuestRouteId, GuestOperation>> = {
  treeRead: {
    tag: 'Files',
    summary: 'Lists a folder.',
    path: { path: TREE_PATH },
    query: {
      recursive: flag('Also what is below its folders.'),
      depth: { type: 'integer', minimum: 1, maximum: 9999, description: 'With recursive: how many levels.' },
    },
    answer: json(DirectoryShape),
    statuses: [400, 422],
  },
  treeWrite: {
    tag: 'Files',
    summary: 'Writes many files below a folder.',
    path: { path: TREE_PATH },
    body: { json: TreeRequest },
    answer: json(DirectoryShape),
    statuses: [400, 413, 422],
  },
  treeDelete: {
    tag: 'Files',
    summary: 'Deletes a folder.',
    path: { path: TREE_PATH },
    query: { recursive: flag('Also when it is not empty.') },
    answer: json(ChangeShape),
    statuses: [400, 422],
  },
  fileRead: {
    tag: 'Files',
    summary: 'Reads a file, as JSON or as bytes, or lists a folder.',
    path: { path: ANY_PATH },
    query: { download: flag('The bytes, whatever is accepted.') },
    answer: { json: [FileWithContentShape, DirectoryShape], types: ['application/octet-stream'] },
    statuses: [206, 304, 400, 404, 413, 416, 422],
  },
  fileWrite: {
    tag: 'Files',
    summary: 'Writes a file, from JSON or from a form, or makes a folder.',
    path: { path: ANY_PATH },
    body: { json: FileRequest, orUpload: true },
    answer: json(ChangeShape),
    statuses: [400, 413, 422],
  },
  fileDelete: {
    tag: 'Files',
    summary: 'Deletes a file or a folder.',
    path: { path: ANY_PATH },
    query: { recursive: flag('Also a folder that is not empty.') },
    answer: json(ChangeShape),
    statuses: [400, 404, 422],
  },
  uploadList: { tag: 'Uploads', summary: 'Lists open uploads.', answer: json(UploadListShape), statuses: [] },
  uploadInitiate: {
    tag: 'Uploads',
    summary: 'Opens an upload in parts.',
    path: { path: ANY_PATH },
    body: { json: UploadInitiateRequest, optional: true },
    answer: json(UploadInitiatedShape),
    statuses: [400, 422],
  },
  uploadPart: {
    tag: 'Uploads',
    summary: 'Takes one part; sent again, it replaces the former.',
    query: { partNumber: { type: 'integer', minimum: 1, maximum: 10_000, required: true, description: 'From 1.' } },
    body: 'upload',
    answer: json(PartReceiptShape),
    statuses: [400, 404, 413, 422],
  },
  uploadParts: {
    tag: 'Uploads',
    summary: 'Lists the parts that are there.',
    answer: json(UploadPartListShape),
    statuses: [404],
  },
  uploadComplete: {
    tag: 'Uploads',
    summary: 'Puts the parts together.',
    body: { json: UploadCompleteRequest },
    answer: json(ChangeShape),
    statuses: [400, 404, 409, 413, 422],
  },
  uploadAbort: { tag: 'Uploads', summary: 'Ends an upload.', answer: json(ChangeShape), statuses: [404] },
  find: {
    tag: 'Search',
    summary: 'Finds files or folders by name.',
    path: { path: ANY_PATH },
    query: {
      ...searchQuery,
      patterns: text('Patterns of the shell on the base name, with commas between.'),
      excludeHidden: flag('Leave out what begins with a dot.', true),
      type: { type: 'string', enum: ['file', 'directory'], default: 'file', description: 'What to find.' },
    },
    answer: json(FindShape),
    statuses: [400, 404, 422],
  },
  fuzzySearch: {
    tag: 'Search',
    summary: 'Finds paths that resemble a text, best first.',
    path: { path: `${ANY_PATH} Without query, its last part is what to look for.` },
    query: {
      ...searchQuery,
      query: text('What to look for.'),
      excludeHidden: flag('Leave out what begins with a dot.', true),
    },
    answer: json(FuzzySearchShape),
    statuses: [400, 404, 422],
  },
  contentSearch: {
    tag: 'Search',
    summary: 'Finds lines that hold a text.',
    path: { path: ANY_PATH },
    query: {
      ...searchQuery,
      query: { ...text('The text; no pattern.'), required: true },
      caseSensitive: flag('Whether case matters.'),
      filePattern: text('Pattern of the shell on the base name.'),
      contextLines: { type: 'integer', minimum: 0, description: 'Lines before and after each.' },
    },
    answer: json(ContentSearchShape),
    statuses: [400, 404, 422],
  },
  watch: {
    tag: 'Files',
    summary: 'Streams changes of a folder, one JSON object a line; with /** at the end of the path also below it.',
    path: { path: ANY_PATH },
    query: { ignore: text('Parts of paths to leave out, with commas between.') },
    answer: { types: ['text/plain'] },
    statuses: [400, 404, 422],
  },
  processList: { tag: 'Processes', summary: 'Lists processes.', answer: json(z.array(ProcessShape)), statuses: [] },
  processStart: {
    tag: 'Processes',
    summary: 'Starts a process; with Accept: text/event-stream its output is the answer.',
    query: { format: { type: 'string', enum: ['sse'], description: 'Frames of server-sent events for a stream.' } },
    body: { json: ProcessRequest },
    answer: { json: [ProcessShape], types: ['application/x-ndjson', 'text/event-stream'] },
    statuses: [400, 413, 422],
  },
  processGet: {
    tag: 'Processes',
    summary: 'Shows a process with the newest of its output.',
    path: identifier,
    answer: json(ProcessShape),
    statuses: [404],
  },
  processStop: {
    tag: 'Processes',
    summary: 'Asks a process and its group to end, and kills what is left after the grace.',
    path: identifier,
    query: { grace: { type: 'integer', minimum: 0, default: 10, description: 'Seconds before the rest is killed.' } },
    answer: json(MessageAnswer),
    statuses: [400, 404],
  },
  processKill: {
    tag: 'Processes',
    summary: 'Kills a process and its group.',
    path: identifier,
    answer: json(MessageAnswer),
    statuses: [404],
  },
  processLogs: {
    tag: 'Processes',
    summary: 'The newest output, or with stream, offset or limit a stretch of one stream.',
    path: identifier,
    query: {
      stream: { type: 'string', enum: ['stdout', 'stderr', 'logs'], description: 'Which one.' },
      offset: { type: 'integer', minimum: 0, description: 'Of the first byte.' },
      limit: { type: 'integer', minimum: 1, description: 'How many bytes at most.' },
    },
    answer: json(ProcessLogsShape, ProcessLogRangeShape),
    statuses: [400, 404],
  },
  processLogStream: {
    tag: 'Processes',
    summary: 'Streams all output from the beginning on, each line with the name of its stream before it.',
    path: identifier,
    answer: { types: ['text/plain'] },
    statuses: [404],
  },
  processInput: {
    tag: 'Processes',
    summary: 'Writes to the input of a process that was started with stdin.',
    path: identifier,
    body: { json: ProcessInputRequest },
    answer: json(MessageAnswer),
    statuses: [400, 404, 413, 422],
  },
  processSignal: {
    tag: 'Processes',
    summary: 'Sends a signal to a process and its group.',
    path: identifier,
    body: { json: ProcessSignalRequest },
    answer: json(MessageAnswer),
    statuses: [400, 404],
  },
  portList: {
    tag: 'Network',
    summary: 'Lists the sockets of a process and of what it started.',
    path: pid,
    answer: json(ProcessPortsShape),
    statuses: [400, 404, 422],
  },
  portMonitor: {
    tag: 'Network',
    summary: 'Calls a loopback address back for every port that the process opens.',
    path: pid,
    body: { json: PortMonitorRequest },
    answer: json(ChangeShape),
    statuses: [400, 404, 422, 429],
  },
  portMonitorEnd: {
    tag: 'Network',
    summary: 'Ends the callbacks.',
    path: pid,
    answer: json(ChangeShape),
    statuses: [400, 404],
  },
  tunnelConfigure: {
    tag: 'Network',
    summary: 'Sets up a tunnel; no runtime grants what it needs yet.',
    body: { json: TunnelConfigRequest },
    signed: true,
    statuses: [400, 422, 501],
  },
  tunnelEnd: { tag: 'Network', summary: 'Ends the tunnel.', signed: true, statuses: [400] },
  driveList: { tag: 'Drives', summary: 'Lists mounted drives.', answer: json(DriveMountListShape), statuses: [] },
  driveMount: {
    tag: 'Drives',
    summary: 'Mounts a drive; there is no storage for them yet.',
    body: { json: DriveMountRequest },
    statuses: [400, 413, 501],
  },
  driveUnmount: {
    tag: 'Drives',
    summary: 'Unmounts a drive.',
    path: { path: 'Where it is mounted, with or without its first slash.' },
    statuses: [400, 404],
  },
  codeApply: {
    tag: 'Code',
    summary: 'Merges an edit into a file by a model.',
    path: { path: ANY_PATH },
    body: { json: ApplyEditRequest },
    answer: json(ApplyEditShape),
    statuses: [400, 413, 422, 503],
  },
  codeRank: {
    tag: 'Code',
    summary: 'Ranks the files of a folder by how well they fit a question.',
    path: { path: ANY_PATH },
    query: {
      query: { ...text('The question.'), required: true },
      scoreThreshold: { type: 'number', default: 0.5, description: 'Lowest score to list.' },
      tokenLimit: { type: 'integer', minimum: 1, default: 30_000, description: 'How much to list.' },
      filePattern: text('Regular expression on the path.'),
    },
    answer: json(RerankingShape),
    statuses: [400, 404, 422, 503],
  },
  terminalPage: {
    tag: 'Terminal',
    summary: 'A terminal for the browser.',
    query: { sessionId: text('Which session.'), token: text('Credential for the gateway.') },
    answer: { types: ['text/html'] },
    statuses: [404, 501],
  },
  terminalSocket: {
    tag: 'Terminal',
    summary: 'A terminal as a WebSocket of JSON frames.',
    query: {
      sessionId: { ...text('Which session; made when there is none.'), default: 'default' },
      cols: { type: 'integer', minimum: 1, maximum: 1000, default: 80, description: 'Width.' },
      rows: { type: 'integer', minimum: 1, maximum: 1000, default: 24, description: 'Height.' },
      shell: text('Program; else that of the environment or the image.'),
      workingDir: text('Where the shell begins.'),
      token: text('Credential for the gateway.'),
    },
    statuses: [101, 404, 426],
  },
  health: {
    tag: 'System',
    summary: 'Says that the guest answers, and which.',
    answer: json(HealthShape),
    statuses: [],
  },
  stats: { tag: 'System', summary: 'Memory, CPU, processes and disk.', answer: json(StatsShape), statuses: [] },
  upgrade: {
    tag: 'System',
    summary: 'Refused: the runner brings the guest.',
    body: { json: UpgradeRequest, optional: true },
    statuses: [403],
  },
  environmentReload: {
    tag: 'System',
    summary: 'Reads the variables that the host provides again.',
    answer: json(ReloadShape),
    signed: true,
    statuses: [404, 409],
  },
  mcp: {
    tag: 'MCP',
    summary: 'The tools of the sandbox by the Model Context Protocol.',
    body: { json: z.looseObject({}) },
    answer: json(z.looseObject({})),
    statuses: [202, 400, 406, 413, 415],
  },
  mcpStream: { tag: 'MCP', summary: 'Refused: the server starts no streams.', statuses: [405] },
  apiDescription: {
    tag: 'System',
    summary: 'This description, and a page to read it.',
    path: { path: 'Nothing, openapi.json or index.html.' },
    answer: { json: [z.looseObject({})], types: ['text/html'] },
    statuses: [404],
  },
  welcome,
  welcomePost: welcome,
  welcomePut: welcome,
  welcomeDelete: welcome,
  welcomePatch: welcome,
  controlState: {
    tag: 'Control',
    summary: 'What is open, since when not, and which generation of variables is set.',
    answer: json(ControlStateShape),
    signed: true,
    statuses: [],
  },
  controlEnvironment: {
    tag: 'Control',
    summary: 'Sets a generation of variables.',
    body: { json: ControlEnvironmentRequest },
    answer: json(ReloadShape),
    signed: true,
    statuses: [400, 409, 413],
  },
  controlQuiesce: {
    tag: 'Control',
    summary: 'Says whether the sandbox may sleep.',
    answer: json(QuiesceShape),
    signed: true,
    statuses: [409],
  },
  controlRehearse: {
    tag: 'Control',
    summary: 'Runs a command for nobody, so that the first one of an owner finds everything loaded. Leaves no trace.',
    answer: json(MessageAnswer),
    signed: true,
    statuses: [],
  },
};
