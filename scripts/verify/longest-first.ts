// Starts the heavy files with the largest shares first, so that no long file is left when the other lanes are done.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { shareOf } from './time-budget.ts';

/** Files that run only with --full have no share. They are long with --full; otherwise they are skipped at once. */
const fullOnlySeconds = 3_600;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const share = ({ moduleId }: TestSpecification) => shareOf(relative('.', moduleId)) || fullOnlySeconds;
    return files.toSorted((one, other) => share(other) - share(one) || one.moduleId.localeCompare(other.moduleId));
  }
}
