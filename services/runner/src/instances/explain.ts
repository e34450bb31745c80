// Messages about an instance, for people. Each one names the next step.
import type { DesiredInstance, TaskInstance } from '@berth/contract/node';
import type { PullFault } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import type { ListeningPorts } from './listening-ports.ts';

const maxOutputCharacters = 500;

export interface End {
  readonly exitCode: number | undefined;
  /** End of the container's output, as far as it is known. */
  readonly output: string;
}

export function pulling(image: string, bytes?: { readonly done: number; readonly total: number }): string {
  if (bytes === undefined || bytes.total === 0) return `Pulling ${image}.`;
  return `Pulling ${image}: ${megabytes(bytes.done)} of ${megabytes(bytes.total)} MB.`;
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000);

const pullCodes = {
  missing: 'image_missing',
  refused: 'image_refused',
  unavailable: 'image_unavailable',
  // Existing codes are reused, so that an api of the previous version knows them.
  too_large: 'image_refused',
  no_room: 'image_unavailable',
} as const satisfies Record<PullFault, Failure['code']>;

export const pullFailed = (fault: PullFault, message: string): Failure => ({ code: pullCodes[fault], message });

export function outOfMemory({ memoryMb }: DesiredInstance): Failure {
  const message = `Out of memory: it needs more than its ${memoryMb} MB. Raise spec.runtime.memory.`;
  return { code: 'out_of_memory', message };
}

export function crashLoop(times: number, end: End): Failure {
  const code = end.exitCode === undefined ? '' : `, last with exit code ${end.exitCode}`;
  const how = times === 1 ? `It ended${code.replace(', last', '')}` : `It ended ${times} times in a row${code}`;
  return { code: 'crash_loop', message: `${how}. ${lastWords(end.output)}` };
}

function lastWords(output: string): string {
  const kept = output.trim().slice(-maxOutputCharacters);
  return kept === '' ? 'It wrote nothing; run the image by hand to see why.' : `Its last output:\n${kept}`;
}

/** The process of a task ended by itself; undefined when it succeeded. */
export function taskExited(end: End): string | undefined {
  return end.exitCode === 0 ? undefined : `It ended with exit code ${end.exitCode}. ${lastWords(end.output)}`;
}

export const timedOut = ({ timeoutSeconds }: TaskInstance): string =>
  `It ran for more than its ${timeoutSeconds} seconds and was ended. Raise spec.runtime.timeout, or give each task less to do.`;

export const taskLost =
  'Its container is gone from its machine, and its exit code with it: it may have run. Check what it has done before you start it again.';

type Ended = { readonly exitCode: number | undefined; readonly outOfMemory: boolean } | undefined;

const howItEnded = ({ memoryMb }: DesiredInstance, end: Ended): string => {
  if (end?.outOfMemory) return `It ran out of its ${memoryMb} MB of memory`;
  return `It ended${end?.exitCode === undefined ? '' : ` with exit code ${end.exitCode}`}`;
};

/** `note` is what the mode of the instance adds. */
export function restarting(desired: DesiredInstance, end: Ended, note: string): string {
  return `${howItEnded(desired, end)} and is started again.${note}`;
}

/** The sandbox is lost with its files. */
export function lost(desired: DesiredInstance, end: Ended): string {
  const how =
    end === undefined
      ? 'Its container is gone from its machine, and its files with it.'
      : `${howItEnded(desired, end)}, and its files are lost with it: nothing can be started in its container again.`;
  return `${how} Reboot it, which starts it empty, or delete it.`;
}

export const noGuest: Failure = {
  code: 'start_failed',
  message:
    'This machine offers no sandboxes: its operator has to set runner.guestFolder to the guest’s runtime folder.',
};

export function portClosed(port: number, { open, inner }: ListeningPorts): Failure {
  return { code: 'port_closed', message: `Nothing listens on port ${port}${elsewhere(port, open, inner)}.${advice}` };
}

const advice = ' Listen on $HOST:$PORT.';

function elsewhere(port: number, open: readonly number[], inner: readonly number[]): string {
  if (inner.includes(port)) return ' but on its own loopback address, where nobody else reaches it';
  const others = [...open, ...inner].filter((other) => other !== port);
  return others.length === 0 ? '' : `; it listens on ${[...new Set(others)].slice(0, 10).join(', ')}`;
}

export function startFailed(words: string): Failure {
  return { code: 'start_failed', message: `The container could not be started: ${words}` };
}
