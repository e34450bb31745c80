// QEMU's guest agent: runs programs inside a virtual machine over a separate serial channel, independent of the
// machine's network.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

const answerMs = 10_000;
const lookMs = 200;

const Answer = z.object({ return: z.unknown(), error: z.object({ desc: z.string() }).optional() });
const Started = z.object({ pid: z.int() });
const Ended = z.object({
  exited: z.boolean(),
  exitcode: z.int().optional(),
  signal: z.int().optional(),
  'out-data': z.base64().default(''),
  'err-data': z.base64().default(''),
});

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class GuestAgent {
  readonly #socketPath: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Throws when the machine does not answer, or the program does not end in time. */
  async execute(program: string, args: readonly string[], timeoutSeconds: number): Promise<Outcome> {
    const giveUpAt = Date.now() + timeoutSeconds * 1_000;
    const { pid } = Started.parse(await this.#ask('guest-exec', { path: program, arg: args, 'capture-output': true }));
    for (;;) {
      const ended = Ended.parse(await this.#ask('guest-exec-status', { pid }));
      if (ended.exited) return outcome(ended);
      if (Date.now() > giveUpAt) throw new Error(`${program} ${args.join(' ')} did not end in ${timeoutSeconds} s.`);
      await sleep(lookMs);
    }
  }

  /** Sends one request at a time: the channel carries a single stream of lines. */
  #ask(command: string, words: Readonly<Record<string, unknown>>): Promise<unknown> {
    const asked = this.#last.then(() => this.#exchange(command, words));
    this.#last = asked.catch(() => {});
    return asked;
  }

  /** Uses one connection per request, so that a late answer is not taken for the answer to another request. */
  async #exchange(command: string, words: Readonly<Record<string, unknown>>): Promise<unknown> {
    const signal = AbortSignal.timeout(answerMs);
    const socket = connect(this.#socketPath);
    try {
      await once(socket, 'connect', { signal });
      const lines = createInterface({ input: socket });
      const id = Math.floor(Math.random() * 2 ** 31);
      await question(socket, lines, signal, { execute: 'guest-sync', arguments: { id } }, (it) => it.return === id);
      const answer = await question(socket, lines, signal, { execute: command, arguments: words }, () => true);
      if (answer.error !== undefined) throw new Error(`The guest agent refuses ${command}: ${answer.error.desc}`);
      return answer.return;
    } finally {
      socket.destroy();
    }
  }
}

async function question(
  socket: Socket,
  lines: ReturnType<typeof createInterface>,
  signal: AbortSignal,
  words: unknown,
  isAnswer: (answer: z.infer<typeof Answer>) => boolean,
): Promise<z.infer<typeof Answer>> {
  const answered = Promise.withResolvers<z.infer<typeof Answer>>();
  const onLine = (line: string): void => {
    const { data } = Answer.safeParse(parsed(line));
    if (data !== undefined && isAnswer(data)) answered.resolve(data);
  };
  const onEnd = (): void => answered.reject(new Error('The virtual machine does not answer.'));
  lines.on('line', onLine);
  signal.addEventListener('abort', onEnd);
  socket.once('error', onEnd).once('close', onEnd);
  try {
    socket.write(`${JSON.stringify(words)}\n`);
    return await answered.promise;
  } finally {
    lines.off('line', onLine);
    signal.removeEventListener('abort', onEnd);
    socket.off('error', onEnd).off('close', onEnd);
  }
}

/** An agent that starts in the middle of a line answers with text that is not JSON. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function outcome(ended: z.infer<typeof Ended>): Outcome {
  const text = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
  const code = ended.exitcode ?? 128 + (ended.signal ?? 0);
  return { code, stdout: text(ended['out-data']), stderr: text(ended['err-data']) };
}
