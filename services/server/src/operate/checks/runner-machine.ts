// Requirements of the runner, which it checks by itself at its start, under the names that it gives them.
import { parse } from 'yaml';
import { z } from 'zod';
import { readIfThere } from '../machine/write-file.ts';
import type { LookedAtMachine, Moment, NamedFinding } from './check.ts';

/** Problems that an installation removes by itself. */
const mendedByUp = ['docker-live-restore'];

const Settings = z.looseObject({ runner: z.looseObject({}).prefault({}) });

export async function runnerFindings({ places }: LookedAtMachine, moment: Moment): Promise<NamedFinding[]> {
  const { inspectMachine, RunnerConfig } = await import('@berth/runner');
  const text = await readIfThere(places.settings);
  const settings = text === undefined ? undefined : Settings.safeParse(parse(text)).data?.runner;
  const config = RunnerConfig.safeParse(settings).data ?? RunnerConfig.parse({ apiUrl: 'https://127.0.0.1' });
  const problems = await inspectMachine(config);
  return problems
    .filter(({ name }) => moment === 'running' || !mendedByUp.includes(name))
    .map(({ name, reason, fix, isWarning }) => ({ name, what: reason, fix, isWarning }));
}
