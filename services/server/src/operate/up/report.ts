import { X509Certificate } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { requireDeployment } from '../install/require-record.ts';
import { readIfThere } from '../machine/write-file.ts';
import { internalRoot } from '../settings/edge-authorities.ts';
import { edgeHosts } from '../settings/edge-hosts.ts';
import { firstWorkspace } from './make-account.ts';
import type { UpContext } from './up-context.ts';

/** Addresses, and the first key once. */
export async function report(context: UpContext): Promise<void> {
  const { choices, places, print, release } = context;
  const { api, gateway } = edgeHosts(choices);
  print('');
  print(`Berth ${release.version} is up.`);
  print(`  api        https://${api}`);
  print(`  gateway    https://${gateway}`);
  print(`  reference  https://${api}/docs`);
  print(`  settings   ${places.settings}`);
  if (choices.domain === undefined) await describeAuthority(context);
  await showFirstKey(context);
}

async function describeAuthority(context: UpContext): Promise<void> {
  const path = internalRoot(context);
  const pem = await readIfThere(path);
  if (pem === undefined) return;
  context.print(`  authority  ${path}, to be trusted by clients (curl --cacert)`);
  context.print(`             SHA-256 ${new X509Certificate(pem).fingerprint256}`);
}

async function showFirstKey(context: UpContext): Promise<void> {
  const { places, print, choices, save } = context;
  const key = await readIfThere(places.firstKey);
  if (key !== undefined) {
    print(`  user       ${choices.email}, admin of the workspace ${firstWorkspace}`);
    print(`  key        ${key}`);
    print('The key is shown only now. Keep it safe.');
    await save({ ...requireDeployment(context), hasShownKey: true });
    await rm(places.firstKey);
    return;
  }
  const shown = requireDeployment(context).hasShownKey
    ? 'The first key was shown before.'
    : 'The first key was not kept.';
  print(`${shown} Another key: berth-server create-key --email ADDRESS`);
}
