import { isolationClasses } from '@berth/contract/node';
import type { RunnerConfig } from './config.ts';
import { answered, openDocker } from './driver/docker-client.ts';
import { openShell } from './machine/command.ts';
import { readFacts } from './machine/preflight/facts.ts';
import { type NamedProblem, namedProblems } from './machine/preflight/preflight.ts';

export type { NamedProblem };

const answerSeconds = 10;

/** What the runner would refuse, or warn about, when it starts on this machine. Changes nothing but loads a kernel module. */
export async function inspectMachine(
  config: Pick<RunnerConfig, 'dockerUrl' | 'isolation' | 'diskMbPerSecond' | 'outgoing'>,
): Promise<NamedProblem[]> {
  const { dockerUrl, isolation = isolationClasses, diskMbPerSecond, outgoing } = config;
  const facts = await readFacts(() => answered(openDocker(dockerUrl).info(), answerSeconds), openShell());
  return namedProblems(facts, { isolation, diskMbPerSecond, connections: outgoing.connections });
}
