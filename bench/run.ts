// pnpm bench [name…] [--full]
import { isWithin } from './bench.ts';
import { benches } from './registry.ts';

const words = process.argv.slice(2);
const full = words.includes('--full');
const wanted = words.filter((word) => !word.startsWith('--'));
const unknown = wanted.find((name) => !benches.some((bench) => bench.name === name));
if (unknown !== undefined) {
  console.error(`There is no bench "${unknown}". Known: ${benches.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}

for (const bench of benches.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const { ratio, detail } = await bench.run({ full });
  const ok = isWithin(ratio, bench.bound);
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${bench.name}: ${ratio.toFixed(3)} ${JSON.stringify(bench.bound)}`);
  console.log(`        ${bench.ratioOf}; ${JSON.stringify(detail)}`);
  if (!ok) process.exitCode = 1;
}
