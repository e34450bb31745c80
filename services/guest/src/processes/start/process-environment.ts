import { guestVariables, hiddenVariables } from '@berth/contract/guest';
import type { ProcessKey } from '../../supervisor/supervisor.ts';

export type EnvironmentParts = {
  inherited: Readonly<Record<string, string | undefined>>;
  /** Overrides inherited variables. */
  requested: Readonly<Record<string, string>>;
  key: ProcessKey;
  /** Overrides the caller's variables: the account of a process is not the caller's choice. */
  workloadUser: { name: string; home: string } | undefined;
};

export function processEnvironment({
  inherited,
  requested,
  key,
  workloadUser,
}: EnvironmentParts): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && !hiddenVariables.includes(name)) environment[name] = value;
  }
  Object.assign(environment, requested, { [guestVariables.processKey.name]: key });
  if (workloadUser !== undefined) {
    Object.assign(environment, { HOME: workloadUser.home, USER: workloadUser.name, LOGNAME: workloadUser.name });
  }
  return environment;
}
