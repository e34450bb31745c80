// pnpm bench [name…] [--full] [--isolation=runc|gvisor]
import { inspect } from 'node:util';
import { isolationClasses } from '@berth/contract/node';
import { beginRun } from '../engines/begin-run.ts';
import { isWithin, type Measure } from './bench.ts';
import { benches } from './registry.ts';
import { StolenTime } from './support/stolen-time.ts';

const words = process.argv.slice(2);
const full = words.includes('--full');
const isolations = isolationClasses.filter((isolation) =>
  words.every((word) => !word.startsWith('--isolation=') || word === `--isolation=${isolation}`),
);
const wanted = words.filter((word) => !word.startsWith('--'));
if (isolations.length === 0) {
  console.error(`Known isolation classes: ${isolationClasses.join(', ')}.`);
  process.exit(2);
}
const unknown = wanted.find((name) => !benches.some((bench) => bench.name === name));
if (unknown !== undefined) {
  console.error(`There is no bench "${unknown}". Known: ${benches.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

function line({ name, value, unit, bound, detail }: Measure, stolenShare: number): string {
  const verdict = bound === undefined ? '      ' : isWithin(value, bound) ? 'ok    ' : 'FAILED';
  const limit =
    bound === undefined ? '' : 'atMost' in bound ? ` (at most ${bound.atMost})` : ` (at least ${bound.atLeast})`;
  const figures = detail === undefined ? '' : `  ${JSON.stringify(detail)}`;
  const percent = Math.round(stolenShare * 100);
  const stolen = percent < 1 ? '' : `  (${percent} % of the CPU time was taken by the host)`;
  return `${verdict}  ${name}: ${Number(value.toPrecision(4))} ${unit}${limit}${figures}${stolen}`;
}

const run = await beginRun();
for (const bench of benches.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  console.log(`${bench.name}: ${bench.about}${full ? '' : ' (quick; --full for the whole size)'}`);
  const stolenTime = new StolenTime();
  try {
    for await (const measure of bench.run({ full, isolations })) {
      console.log(line(measure, stolenTime.share()));
      if (!isWithin(measure.value, measure.bound)) process.exitCode = 1;
    }
  } catch (error) {
    // The original error first, then the errors of the cleanup.
    for (const each of error instanceof SuppressedError ? [error.suppressed, error.error] : [error])
      console.error(inspect(each, { depth: 5 }));
    process.exitCode = 1;
  }
}
await run.end();
