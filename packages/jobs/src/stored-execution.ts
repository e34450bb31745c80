import type { JsonObject } from '@berth/database';
import type { FixedSpec } from './fixed-spec.ts';
import type { JobRevision } from './pick-revision.ts';

/** An execution as JSON, and its size. The size is known before anything is written. */
export interface StoredExecution {
  /** `executions.spec`. */
  readonly spec: string;
  /** Inputs of all tasks, as one array. */
  readonly inputs: string;
  readonly taskCount: number;
  /** Bytes that the execution takes from the account's limit. */
  readonly bytes: number;
}

/** Fixed cost of a row, counted in addition to its content. */
const rowBytes = { execution: 1_024, task: 128 };

/** Without tasks the execution has one task without arguments. */
export function storedExecution(
  fixed: FixedSpec,
  revision: JobRevision,
  tasks: readonly JsonObject[] = [],
): StoredExecution {
  const given = tasks.length === 0 ? [{}] : tasks;
  const spec = JSON.stringify({ ...fixed, revision: revision.id, job: configurationOf(revision.spec) });
  const inputs = JSON.stringify(given);
  const content = Buffer.byteLength(spec) + Buffer.byteLength(inputs);
  return {
    spec,
    inputs,
    taskCount: given.length,
    bytes: content + rowBytes.execution + given.length * rowBytes.task,
  };
}

/** The part of the job's spec that describes its tasks. Triggers are left out: they hold secrets and tasks of their own. */
function configurationOf({ enabled: _switch, revision: _traffic, triggers: _starts, ...spec }: JsonObject): JsonObject {
  return spec;
}
