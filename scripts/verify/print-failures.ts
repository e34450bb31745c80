// Vitest reporter that prints a failure when it happens. The default reporter waits for the end, so a run that is cut
// off would not show the failures.
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

export default class PrintFailures implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === 'failed') print(test.module, test.fullName, errors);
  }

  onTestModuleEnd(file: TestModule): void {
    const errors = [file, ...file.children.allSuites()].flatMap((part) => part.errors());
    if (errors.length > 0) print(file, 'the file or a hook of it', errors);
  }
}

type Failure = { message?: string; stack?: string; cause?: unknown };

function print(file: TestModule, name: string, errors: readonly Failure[]): void {
  const lines = errors.flatMap(reasonOf).flatMap((reason) => reason.split('\n'));
  const ours = lines.filter((line) => !line.includes('/node_modules/'));
  console.log(`failed now: ${relative('.', file.moduleId)}: ${name}\n${ours.join('\n')}`);
}

function reasonOf({ message, stack, cause }: Failure): string[] {
  const reason = stack ?? message ?? 'no reason given';
  return typeof cause === 'object' && cause !== null ? [reason, 'because of', ...reasonOf(cause)] : [reason];
}
