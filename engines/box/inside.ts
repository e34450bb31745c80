// A command in a box, as a unit of the box's own systemd: with its environment and its cgroups, like a command of an operator.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Ended {
  /** -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  /** Of both streams. */
  readonly output: string;
}

export interface Command {
  readonly ended: Promise<Ended>;
  /** SIGKILL for the command and everything that it started. */
  kill(): Promise<void>;
}

export interface CommandOptions {
  readonly onLine?: (line: string) => void;
}

let started = 0;

/** `init` is the first process of the box, by its number on this machine. */
export function startInside(init: number, line: string, { onLine }: CommandOptions): Command {
  started += 1;
  const unit = `command-${process.pid}-${started}`;
  const words = [
    ...['systemd-run', '--quiet', '--pipe', '--wait', '--collect', `--unit=${unit}`, '--working-directory=/root'],
    ...['--setenv=HOME=/root', '--setenv=LC_ALL=C.UTF-8', '--', '/bin/sh', '-c', line],
  ];
  const child = inside(init, words);
  let [stdout, output] = ['', ''];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (stream === child.stdout) stdout += text;
    });
    if (onLine !== undefined) createInterface({ input: stream }).on('line', onLine);
  }
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? -1, stdout, output }));
  return {
    ended,
    async kill() {
      const killer = inside(init, ['systemctl', 'kill', '--signal=KILL', `${unit}.service`]);
      await once(killer, 'close');
      await ended;
    },
  };
}

function inside(init: number, words: readonly string[]) {
  const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd=/'];
  return spawn('nsenter', ['--target', String(init), ...namespaces, '--', ...words], {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
