import type { ProcessResponse } from '@berth/contract/guest';
import { logsTail, streamTail } from './output/output-text.ts';
import type { ProcessOutput } from './output/process-output.ts';
import type { ProcessState } from './state/process-state.ts';

export type DescriptionForm = 'started' | 'whole' | 'listed';

const maxInlineBytes = 64 * 1024;

export function describeProcess(state: ProcessState, output: ProcessOutput, form: DescriptionForm): ProcessResponse {
  const { outcome } = state;
  const running = form === 'listed' ? null : '';
  return {
    pid: String(state.pid),
    name: state.name,
    command: state.command,
    workingDir: state.workingDirectory,
    status: outcome?.status ?? (state.desired === 'run' ? 'running' : state.desired),
    startedAt: new Date(state.startedAtMs).toUTCString(),
    completedAt: outcome === undefined ? running : new Date(outcome.completedAtMs).toUTCString(),
    exitCode: outcome?.exitCode ?? 0,
    logs: form === 'started' ? null : [...logsTail(output, maxInlineBytes)].join(''),
    stdout: form === 'started' ? '' : [...streamTail(output, 'stdout', maxInlineBytes)].join(''),
    stderr: form === 'started' ? '' : [...streamTail(output, 'stderr', maxInlineBytes)].join(''),
    restartOnFailure: state.restartOnFailure,
    maxRestarts: state.maxRestarts,
    restartCount: state.restartCount,
    keepAlive: state.keepAlive,
  };
}
