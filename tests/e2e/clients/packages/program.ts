// Uses everything that the client exports. Its types are checked against the installed package; then it runs without a deployment, so
// that only the first request is made.
import {
  AccessError,
  type Agent,
  type Agents,
  Berth,
  BerthError,
  type BerthOptions,
  type BodyStream,
  type CallOptions,
  ConflictError,
  ConnectionError,
  type Deployment,
  type ExecOptions,
  type ExecResult,
  ExitError,
  type FileData,
  type FileEvent,
  type Files,
  type FindOptions,
  type guest,
  InvalidRequestError,
  type ItemOf,
  type Jobs,
  type ListingId,
  type LogOptions,
  type Logs,
  type NewSandbox,
  NotFoundError,
  type OperationId,
  type OperationShape,
  type Operations,
  type OutputCallbacks,
  type OutputEvent,
  type OutputOrEnd,
  operations,
  PortUnreachableError,
  type Previews,
  type Process,
  QuotaError,
  RateLimitedError,
  type RequestArguments,
  type RunOptions,
  type Sandboxes,
  SandboxHandle,
  type StartOptions,
  type Terminal,
  type TerminalOptions,
  TimeoutError,
  UnavailableError,
  type Waiting,
  type WriteOptions,
} from 'berth-sdk';

const families = [
  AccessError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PortUnreachableError,
];
const otherFamilies = [QuotaError, RateLimitedError, TimeoutError, UnavailableError];

export async function useParts(berth: Berth, box: SandboxHandle): Promise<number> {
  const [sandboxes, previews]: [Sandboxes, Previews] = [berth.sandboxes, box.previews];
  const [agents, jobs, logs]: [Agents, Jobs, Logs] = [berth.agents, berth.jobs, berth.logs];
  const [same, execution] = [await sandboxes.get(box.name), await jobs.execution('report', 'one')];
  const callbacks: OutputCallbacks = { onStderr: (text) => text.length };
  await same.exec('true', callbacks);
  const process = await box.spawn('true');
  const last: OutputOrEnd[] = [];
  for await (const event of process.events()) last.push(event);
  const waiting: Waiting = { check: true };
  const options: LogOptions = { resourceType: 'agents', workloads: ['helper'], tail: 1 };
  for await (const { message } of logs.follow(options)) console.log(message);
  const open = (): BodyStream => new ReadableStream<Uint8Array<ArrayBuffer>>();
  await box.files.writeArchive('/app', open);
  const answer = await agents.call('helper', '/');
  const { exitCode } = await process.wait(waiting);
  return exitCode + last.length + answer.status + (await previews.list()).length + (execution.status?.length ?? 0);
}

export async function useCommands(box: SandboxHandle): Promise<number> {
  const options: ExecOptions = { cwd: '/app', check: true, input: 'text', killAfterMs: 1_000, onAbort: 'leave' };
  const result: ExecResult = await box.exec('npm test', { ...options, onStdout: (text) => text.length });
  const start: StartOptions = { name: 'web', keepAlive: true, stdin: true };
  const process: Process = await box.spawn('npm start', start);
  const seen: OutputEvent[] = [];
  for await (const event of process.output()) seen.push(event);
  await process.write('line\n');
  await process.endInput();
  await process.signal('SIGHUP');
  const state: guest.Process = await process.info();
  const hasEnded: boolean[] = [await process.stop(5), await process.kill()];
  const waited: ExecResult = await box.process(state.name).wait({ check: false });
  const bytes = seen.map((event) => ('bytes' in event ? event.bytes.length : event.text.length));
  return result.exitCode + waited.exitCode + hasEnded.length + bytes.length;
}

export async function useFiles(files: Files): Promise<string> {
  const data: FileData = new Uint8Array([1, 2]);
  const options: WriteOptions = { permissions: '0600', onProgress: (count) => count + 1 };
  await files.write('/work/a', data, options);
  await files.makeFolder('/work/b');
  const find: FindOptions = { patterns: ['*.ts'], isWhole: true };
  const found = (await files.find('/work', find)).matches.length + (await files.search('/work', 'text')).total;
  const names = (await files.list('/work')).files.map(({ name }) => name);
  for await (const event of files.watch('/work', { recursive: true })) {
    const { op, path }: FileEvent = event;
    names.push(`${op} ${path}`);
  }
  await files.remove('/work', { recursive: true });
  return `${found} ${names.join()} ${await files.readText('/work/a')} ${(await files.read('/work/a')).byteLength}`;
}

export async function useSandboxes(berth: Berth): Promise<string> {
  const wanted: NewSandbox = { name: 'demo', memory: 512, ports: [3000], env: { STAGE: 'test' }, orExisting: true };
  await using box = await berth.sandboxes.create(wanted);
  const options: TerminalOptions = { cols: 80, rows: 24, onOutput: (text) => void text.length };
  const terminal: Terminal = await box.terminal(options);
  terminal.write('exit\n');
  terminal.resize(100, 30);
  terminal.close();
  await terminal.closed;
  const preview = await box.previews.create('site', { port: 3000, public: true });
  const addresses = [
    await box.port(3000),
    preview.spec.url,
    ...(await box.previews.list()).map(({ spec }) => spec.url),
  ];
  await box.previews.delete('site');
  for await (const each of berth.sandboxes.list()) if (each instanceof SandboxHandle) await useCommands(each);
  const { info } = await (await berth.sandboxes.get('demo')).refresh();
  return `${addresses.join()} ${info.status} ${await useFiles(box.files)}`;
}

export async function useWorkloads(berth: Berth): Promise<string> {
  const deployment: Deployment = { name: 'helper', image: 'agent/helper:1', public: false, env: { MODE: 'fast' } };
  const agent: Agent = await berth.agents.deploy(deployment);
  const answer: Response = await berth.agents.call('helper', '/ask', { method: 'POST', body: '{}' });
  const options: RunOptions = { onProgress: ({ status }) => void status };
  const execution = await berth.jobs.run('report', [{ city: 'Oslo' }], options);
  await berth.jobs.cancel('report', 'execution');
  await berth.agents.delete((await berth.agents.get('helper')).metadata.name);
  const states = [agent.status, execution.status, (await berth.jobs.execution('report', 'execution')).status];
  return `${states.join()} ${await answer.text()}`;
}

export async function useOperations(berth: Berth): Promise<string[]> {
  const call: CallOptions = { timeoutMs: 5_000, idempotencyKey: 'one', signal: AbortSignal.timeout(5_000) };
  const id: OperationId & ListingId = 'listAgents';
  const given: RequestArguments<'createPolicy'> = {
    body: { metadata: { name: 'daily' }, spec: { type: 'maxToken', maxTokens: { granularity: 'day', total: 1_000 } } },
  };
  const policy: Operations['createPolicy']['answer'] = await berth.request('createPolicy', { ...given, ...call });
  const agents: ItemOf<'listAgents'>[] = [];
  for await (const agent of berth.list(id, { query: { limit: 10 } })) agents.push(agent);
  // @ts-expect-error There is no such operation.
  await berth.request('createNothing');
  // @ts-expect-error The body needs a specification.
  await berth.request('createPolicy', { body: { metadata: { name: 'daily' } } });
  return [policy.metadata.name, ...agents.map(({ metadata }) => metadata.name)];
}

// The environment names the deployment.
const settings: BerthOptions = { key: 'key', workspace: 'main', maxTries: 1, requestTimeoutMs: 30_000 };
const shapes: Readonly<Record<string, OperationShape>> = operations;
const reason: unknown = await new Berth(settings).request('listAgents').catch((error: unknown) => error);
console.log(
  JSON.stringify({
    operations: Object.keys(shapes).length,
    reason: reason instanceof ConnectionError ? reason.name : String(reason),
    isBerthError: [...families, ...otherFamilies, ExitError].every((family) => family.prototype instanceof BerthError),
  }),
);
