// node scripts/needs.ts: prints the engines that the stages of `pnpm verify` need beyond PostgreSQL, one per line. For
// `.ci/run`.
import { fullStages } from './verify/stages.ts';

for (const name of new Set(fullStages.flatMap(({ needs = [] }) => needs))) console.log(name);
