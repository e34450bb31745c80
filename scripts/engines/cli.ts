// pnpm engines install|up|down|remove|status [name]
import type { Engine } from './engine.ts';
import { engines } from './registry.ts';
import { down, remove, status, up } from './standing.ts';

const install = (engine: Engine) => engine.install().then(() => 'installed');
const verbs = new Map(Object.entries({ install, up, down, remove, status }));

const [word = '', name] = process.argv.slice(2);
const verb = verbs.get(word);
const chosen = engines.filter((engine) => name === undefined || engine.name === name);

if (verb && chosen.length > 0) {
  for (const engine of chosen) console.log(`${engine.name}: ${await verb(engine)}`);
} else {
  console.error(
    `Usage: pnpm engines ${[...verbs.keys()].join('|')} [${engines.map((engine) => engine.name).join('|')}]`,
  );
  process.exitCode = 2;
}
