// Carries out steps in order. Each looks first, so all of them can be run again after a failure or a kill.
import { Fault } from '../machine/fault.ts';

export interface Step<Context> {
  readonly name: string;
  /** True when there is nothing to do. A step without it looks in `run`. */
  isDone?(context: Context): Promise<boolean>;
  /** Returns a remark for the line of the step. */
  run(context: Context): Promise<string | undefined>;
}

export interface StepOutput {
  print(line: string): void;
  /** Milliseconds of a clock that only runs forward. */
  now(): number;
}

export async function runSteps<Context>(
  steps: readonly Step<Context>[],
  context: Context,
  { print, now }: StepOutput,
): Promise<void> {
  for (const step of steps) {
    const startedAt = now();
    try {
      if (await step.isDone?.(context)) {
        print(`${step.name} … already done`);
        continue;
      }
      const remark = await step.run(context);
      const seconds = ((now() - startedAt) / 1_000).toFixed(1);
      print(`${step.name} … done (${seconds} s)${remark === undefined ? '' : `: ${remark}`}`);
    } catch (error) {
      print(`${step.name} … failed`);
      throw error instanceof Fault ? error : new Fault(`The step "${step.name}" failed.`, again, { cause: error });
    }
  }
}

const again = 'remove the cause, then run the same command again: finished steps are not repeated';
