// Maximum throughput, measured by wrk, from inside a machine where there is one.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { wrkProgram } from '../../engines/load-tools.ts';
import { cpuTimeUs } from './cpu-time.ts';

export interface Target {
  /** URLs with the path, one for each listening process; the connections are spread over them. */
  readonly urls: readonly string[];
  readonly pids: readonly number[];
  readonly key: string;
  /** Script of wrk, for requests that are no plain GET. */
  readonly script?: string;
}

export interface Throughput {
  readonly perSecond: number;
  readonly cpuUs: number;
}

const connections = 32;
const run = promisify(execFile);

export async function load(
  { netns }: { readonly netns?: string },
  target: Target,
  seconds: number,
  feeders = 1,
): Promise<Throughput> {
  const before = cpuTimeUs(target.pids);
  const feeds = Array.from({ length: feeders }, (_, at) => target.urls[at % target.urls.length] ?? '');
  const outputs = await Promise.all(
    feeds.map(async (url) => {
      const each = [
        '-t1',
        `-c${connections / feeders}`,
        `-d${seconds}s`,
        '--timeout',
        '20s',
        '-H',
        `Authorization: Bearer ${target.key}`,
        ...(target.script === undefined ? [] : ['-s', target.script]),
      ];
      const command = [wrkProgram, ...each, url];
      const [first = '', ...rest] = netns === undefined ? command : ['nsenter', `--net=${netns}`, '--', ...command];
      const { stdout } = await run(first, rest);
      return stdout;
    }),
  );
  const cpu = cpuTimeUs(target.pids) - before;
  for (const output of outputs)
    if (/Non-2xx|Socket errors/.test(output)) throw new Error(`not every request was answered well:\n${output}`);
  const requests = sum(outputs, /(\d+) requests in/);
  return { perSecond: sum(outputs, /Requests\/sec:\s+([\d.]+)/), cpuUs: cpu / requests };
}

const sum = (outputs: readonly string[], figure: RegExp): number =>
  outputs.reduce((total, output) => total + Number(figure.exec(output)?.[1]), 0);
