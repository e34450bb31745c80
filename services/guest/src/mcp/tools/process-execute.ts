import { ProcessRequest } from '@berth/contract/guest';
import * as z from 'zod/mini';
import type { ProcessHandle } from '../../processes/processes.ts';
import { flag, listOf, text, whole } from '../argument-types.ts';
import { defineTool, parseArguments, type ToolContext } from '../tool.ts';
import { type ProcessWait, waitForProcess } from '../wait-for-process.ts';

const defaultTimeoutSeconds = 30;
const defaultKeepAliveSeconds = 600;

const Input = z.strictObject({
  command: text('Command line for the shell.').check(z.minLength(1)),
  name: z.nullish(text('Name to find it by; unique among running processes. Made up when absent.')),
  workingDir: z.nullish(text('Folder that it starts in; / when absent.')),
  env: z.nullish(
    z.record(z.string(), z.string()).check(z.describe('Variables (text to text) added to those of the sandbox.')),
  ),
  waitForCompletion: z.nullish(flag('Answer when it has ended, with its output; false when absent.')),
  timeout: z.nullish(
    whole(
      'Seconds to wait, 30 when absent, 0 for no limit. With keepAlive also when the process is killed, 600 when absent.',
    ).check(z.minimum(0)),
  ),
  waitForPorts: z.nullish(
    listOf(z.int().check(z.minimum(1), z.maximum(65_535)), 'Answer when it serves all of these ports.'),
  ),
  restartOnFailure: z.nullish(flag('Start it again when it fails; false when absent.')),
  maxRestarts: z.nullish(whole('How often to start it again; negative for no limit, 0 when absent.')),
  keepAlive: z.nullish(flag('Keep the sandbox awake while it runs; false when absent.')),
});
type Args = z.output<typeof Input>;

export const processExecute = defineTool({
  name: 'processExecute',
  description:
    'Runs a command in a shell. Answers when it has started, or waits for its end or its ports. A wait ends after 58 seconds: ' +
    'when pollRequired is true the process goes on, and processGet tells how it ended.',
  input: Input,
  output: z.object({
    pid: z.string(),
    name: z.string(),
    status: z.string(),
    exitCode: z.int(),
    logs: z.nullish(z.string()),
    message: z.nullish(z.string()),
    pollRequired: z.nullish(z.boolean()),
  }),
  run: async (args, context) => {
    const started = await start(args, context);
    const wait = waitOf(args);
    if (wait === undefined) {
      const { pid, name, status, exitCode } = await started.describe('started');
      return { pid, name, status, exitCode };
    }
    const isDone = await waitForProcess(started, wait, context.left);
    const { pid, name, status, exitCode, logs } = await started.describe('whole');
    const answer = { pid, name, status, exitCode, logs };
    if (isDone || status !== 'running') return answer;
    const message = `${name} still runs. Call processGet with identifier "${pid}" until its status is no longer running.`;
    return { ...answer, message, pollRequired: true };
  },
});

async function start(args: Args, { guest, caller }: ToolContext): Promise<ProcessHandle> {
  const request = {
    command: args.command,
    name: args.name ?? undefined,
    workingDir: args.workingDir ?? '/',
    env: args.env ?? undefined,
    // Exactly the caller's value: with keepAlive it kills the process, so the limit on waiting must never be used here.
    timeout: args.timeout ?? undefined,
    restartOnFailure: args.restartOnFailure ?? undefined,
    maxRestarts: args.maxRestarts ?? undefined,
    keepAlive: args.keepAlive ?? undefined,
  };
  const processes = await guest.processes();
  // The rules of the REST API for names and variables apply here too.
  const started = await processes.start(parseArguments(ProcessRequest, request, 'processExecute'));
  const { name, pid } = await started.describe('started');
  // Without the command: people write secrets into commands.
  guest.log.audit('process_exec', caller, { name, pid });
  return started;
}

function waitOf({ waitForPorts, waitForCompletion, timeout, keepAlive }: Args): ProcessWait | undefined {
  const ports = waitForPorts ?? [];
  const completion = waitForCompletion ?? false;
  if (ports.length === 0 && !completion) return undefined;
  const timeoutSeconds = timeout ?? (keepAlive ? defaultKeepAliveSeconds : defaultTimeoutSeconds);
  return { ports, completion, timeoutSeconds };
}
