// pnpm engines install|up|down|status [name]
import { engines } from './registry.ts';
import { down, status, up } from './standing.ts';

const verbs = { install: (name: string) => find(name).install(), up: (name: string) => up(find(name)), down, status };
type Verb = keyof typeof verbs;

const USAGE = `Usage: pnpm engines ${Object.keys(verbs).join('|')} [${engines.map(({ name }) => name).join('|')}]`;

function find(name: string) {
  const engine = engines.find((candidate) => candidate.name === name);
  if (engine) return engine;
  throw new Error(`There is no engine "${name}". ${USAGE}`);
}

const isVerb = (word: string | undefined): word is Verb => word !== undefined && Object.hasOwn(verbs, word);

const [verb, wanted] = process.argv.slice(2);
if (isVerb(verb)) {
  const names = wanted ? [find(wanted).name] : engines.map(({ name }) => name);
  for (const name of names) {
    const outcome = await verbs[verb](name);
    console.log(`${name}: ${outcome ?? 'done'}`);
  }
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
