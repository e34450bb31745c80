import type { Logger } from '@berth/telemetry';
import type { RunnerConfig } from '../config.ts';
import { machine } from '../machine/machine.ts';
import { type Identity, isExpired, loadIdentity, saveIdentity } from './identity.ts';
import { joinDeployment } from './join-deployment.ts';

type Settings = Pick<RunnerConfig, 'apiUrl' | 'joinToken' | 'stateFolder' | 'name'>;

/** Joins if the machine has not joined yet, or if its certificate has expired. Otherwise the token is not used. */
export async function obtainIdentity(config: Settings, logger: Logger): Promise<Identity> {
  const { apiUrl, joinToken, stateFolder, name = machine.name() } = config;
  const known = await loadIdentity(stateFolder);
  if (known !== undefined && !isExpired(known, Date.now())) return known;
  if (joinToken === undefined) {
    const why =
      known === undefined ? 'This machine has not joined a deployment' : 'The certificate of this runner has ended';
    throw new Error(`${why}. Make a token with berth-server create-join-token and set runner.joinToken.`);
  }
  const identity = await joinDeployment({ apiUrl, joinToken, name });
  await saveIdentity(stateFolder, identity);
  logger.info({ runner: identity.runnerId, name }, 'joined the deployment');
  return identity;
}
