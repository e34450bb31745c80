import { randomBytes } from 'node:crypto';
import type { ProcessRequest } from '@berth/contract/guest';
import type { ProcessKey } from '../../supervisor/supervisor.ts';
import type { ProcessState } from '../state/process-state.ts';

const defaultKeepAliveSeconds = 600;

export const newProcessKey = (): ProcessKey => randomBytes(8).toString('hex');

export function newProcessState(request: ProcessRequest, name: string, workingDirectory: string): ProcessState {
  const nowMs = Date.now();
  const keepAlive = request.keepAlive ?? false;
  return {
    id: newProcessKey(),
    pid: 0,
    name,
    command: request.command,
    workingDirectory,
    env: request.env ?? {},
    takesInput: request.stdin ?? false,
    restartOnFailure: request.restartOnFailure ?? false,
    maxRestarts: request.maxRestarts ?? 0,
    restartCount: 0,
    keepAlive,
    killAfterSeconds: keepAlive ? keepAliveSeconds(request.timeout) : 0,
    startedAtMs: nowMs,
    desired: 'run',
    signals: [],
    attempt: { key: newProcessKey(), pid: 0, startTicks: 0, startedAtMs: nowMs },
    parts: [],
    markers: [],
    timedOut: false,
  };
}

/** 0 = no limit. */
export function keepAliveSeconds(timeout: number | undefined): number {
  return timeout === undefined || timeout < 0 ? defaultKeepAliveSeconds : timeout;
}
