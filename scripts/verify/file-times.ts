// Vitest reporter that writes the seconds of each file, with its imports, hooks and tests. The JSON report leaves out
// the imports, where many heavy files start their engines.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { environment } from '@berth/telemetry';
import type { Reporter, TestModule } from 'vitest/node';

export default class FileTimes implements Reporter {
  readonly #seconds: Record<string, number> = {};

  onTestModuleEnd(file: TestModule): void {
    const { collectDuration, setupDuration, duration } = file.diagnostic();
    this.#seconds[relative('.', file.moduleId)] = Math.round((collectDuration + setupDuration + duration) / 100) / 10;
  }

  onTestRunEnd(): void {
    const path = environment.BERTH_TEST_TIMES;
    if (path !== undefined) writeFileSync(path, JSON.stringify(this.#seconds));
  }
}
