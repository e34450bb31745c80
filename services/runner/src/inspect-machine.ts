import { isolationClasses } from '@berth/contract/node';
import type { RunnerConfig } from './config.ts';
import { answered, openDocker } from './driver/docker-client.ts';
import { openShell } from './machine/command.ts';
import { readFacts } from './machine/preflight/facts.ts';
import { type NamedProblem, namedProblems } from './machine/preflight/preflight.ts';

export type { NamedProblem };

const answerSeconds = 10;

/** Problems and warnings that a runner would report at its start on this machine. Loads a kernel module where it is missing. */
export async function inspectMachine(
  config: Pick<RunnerConfig, 'dockerUrl' | 'isolation' | 'diskMbPerSecond' | 'outgoing'>,
): Promise<NamedProblem[]> {
  const { dockerUrl, isolation = isolationClasses, diskMbPerSecond, outgoing } = config;
  const facts = await readFacts(() => answered(openDocker(dockerUrl).info(), answerSeconds), openShell());
  return namedProblems(facts, { isolation, diskMbPerSecond, connections: outgoing.connections });
}
