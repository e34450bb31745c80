// pnpm engines install|up|down|remove|status [name…]
import type { Installable } from './engine.ts';
import { down, remove, status, up } from './persistent-engines.ts';
import { engines, parts } from './registry.ts';
import { sweepAbandonedRuns } from './sweep.ts';

const install = (installable: Installable) => installable.install().then(() => 'installed');
const verbs = new Map(Object.entries({ up, down, remove, status }));

const [word = '', ...wanted] = process.argv.slice(2);
const verb = verbs.get(word);
/** Empty when a name is unknown. */
const named = <T extends Installable>(list: readonly T[]): readonly T[] => {
  if (wanted.length === 0) return list;
  const found = wanted.map((name) => list.find((one) => one.name === name));
  return found.includes(undefined) ? [] : found.flatMap((one) => one ?? []);
};

if (word === 'install' && named([...engines, ...parts]).length > 0) {
  for (const one of named([...engines, ...parts])) console.log(`${one.name}: ${await install(one)}`);
} else if (verb && named(engines).length > 0) {
  for (const engine of named(engines)) console.log(`${engine.name}: ${await verb(engine)}`);
  if (word === 'down') await sweep();
} else {
  const names = (list: readonly Installable[]) => list.map((one) => one.name).join('|');
  console.error(`Usage: pnpm engines install [${names([...engines, ...parts])}]…`);
  console.error(`       pnpm engines ${[...verbs.keys()].join('|')} [${names(engines)}]…`);
  process.exitCode = 2;
}

async function sweep(): Promise<void> {
  for (const { mark, error } of await sweepAbandonedRuns()) {
    if (error === undefined) console.log(`run ${mark}: removed, its owner has ended`);
    else console.error(`run ${mark}: could not be removed:`, error);
    if (error !== undefined) process.exitCode = 1;
  }
}
