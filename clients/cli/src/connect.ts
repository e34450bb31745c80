// Finds the deployment of a command: the options come before the environment, and that before a login.
import { Berth } from 'berth-sdk';
import { environment } from './environment.ts';
import { UsageError } from './exit-codes.ts';
import { type Login, readSettings } from './settings.ts';

interface Chosen {
  readonly deployment: string | undefined;
  readonly workspace: string | undefined;
}

function chosenLogin({ deployment, workspace }: Chosen): Login {
  const { BERTH_URL: url, BERTH_KEY: key = '', BERTH_WORKSPACE } = environment;
  const login =
    deployment === undefined && url !== undefined ? { url, key, workspace: BERTH_WORKSPACE } : stored(deployment);
  return { ...login, workspace: workspace ?? login.workspace };
}

function stored(name: string | undefined): Login {
  const { current, deployments } = readSettings();
  const login = deployments[name ?? current ?? ''];
  if (login !== undefined) return login;
  if (name === undefined) throw new UsageError('No deployment is known. Run: berth login --url <address> --key <key>');
  throw new UsageError(`There is no login "${name}". Known are: ${Object.keys(deployments).join(', ') || 'none'}.`);
}

export const connect = (chosen: Chosen): Berth => {
  const { url, key, workspace, gatewayUrl } = chosenLogin(chosen);
  const named = { ...(workspace !== undefined && { workspace }), ...(gatewayUrl !== undefined && { gatewayUrl }) };
  return new Berth({ url, key, ...named });
};
