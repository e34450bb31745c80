// /etc/berth: the settings with the secrets, and what the engines read of them.
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { imageNames, parseImagesFile } from '../install/image-names.ts';
import type { DeploymentRecord } from '../install/install-record.ts';
import { Fault } from '../machine/fault.ts';
import { readIfThere, writeWholeFile } from '../machine/write-file.ts';
import { instancesMb, type Secrets, settingsText } from '../settings/berth-settings.ts';
import { caddyfile, edgeFiles } from '../settings/caddyfile.ts';
import { clickhouseUsers } from '../settings/clickhouse-users.ts';
import { decideSettings } from '../settings/decide-settings.ts';
import { type KeptValues, keptValues } from '../settings/kept-values.ts';
import { proposeSettings } from '../settings/propose-settings.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpContext } from './up-context.ts';

/** `up` refuses the machine of a runner before any step. */
const knownDeployment = ({ record }: Pick<UpContext, 'record'>): DeploymentRecord | undefined => {
  const known = record();
  return known?.kind === 'deployment' ? known : undefined;
};

/** Account of the processes in the image of the control plane. */
const controlAccount = 65_532;
/** Account of the server in the image of ClickHouse. */
const clickhouseAccount = 101;
const readableByAll = 0o444;

const newPassword = (): string => randomBytes(32).toString('base64url');

const newSecrets = (): Secrets => ({
  masterKey: { id: new Date().toISOString().slice(0, 7), key: randomBytes(32).toString('base64') },
  postgresPassword: newPassword(),
  clickhousePassword: newPassword(),
});

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const writeSettings: Step<UpContext> = {
  name: 'settings',
  async isDone(context) {
    const { choices, release } = context;
    const known = knownDeployment(context);
    if (known === undefined || known.version !== release.version || !isDeepStrictEqual(known.choices, choices))
      return false;
    if (!isDeepStrictEqual(await otherImages(context), known.images)) return false;
    const { wanted, found, kept } = await settingsOf(context);
    if (found === undefined || decision(context, wanted, found) !== 'keep') return false;
    const files = kept === undefined ? [] : await filesOf(context, kept);
    const current = await Promise.all(files.map(async ({ path, text }) => (await readIfThere(path)) === text));
    return current.every(Boolean);
  },
  async run(context) {
    const { places, save, choices, release } = context;
    const { wanted, found, kept } = await settingsOf(context);
    const what = decision(context, wanted, found);
    if (what === 'propose') await proposeSettings(context, wanted, { owner: controlAccount });
    const images = await otherImages(context);
    const settingsHash = what === 'write' && wanted !== undefined ? hashOf(wanted) : context.record()?.settingsHash;
    const earlier = knownDeployment(context) ?? { kind: 'deployment', broughtImages: [], hasShownKey: false };
    // Before the file: an edited file and an unknown one are told apart by this hash.
    await save({ ...earlier, version: release.version, choices, images, ...(settingsHash && { settingsHash }) });
    if (what === 'write' && wanted !== undefined)
      await writeWholeFile(places.settings, wanted, { owner: controlAccount });
    for (const { path, text, ...rights } of kept === undefined ? [] : await filesOf(context, kept))
      await writeWholeFile(path, text, rights);
    return what === 'keep' && found !== wanted ? `${places.settings} is kept as you have edited it` : undefined;
  },
};

async function otherImages({ imagesFolder, record }: UpContext): Promise<Readonly<Record<string, string>>> {
  const path = imagesFolder === undefined ? undefined : join(imagesFolder, 'images.env');
  const text = path === undefined ? undefined : await readIfThere(path);
  return text === undefined || path === undefined ? (record()?.images ?? {}) : parseImagesFile(text, path);
}

async function settingsOf(context: UpContext) {
  const { places, choices, release } = context;
  const found = await readIfThere(places.settings);
  const kept: KeptValues | undefined =
    found === undefined
      ? { secrets: newSecrets(), instancesMb: undefined }
      : await keptValues(places.settings, newPassword);
  const images = imageNames(release.version, await otherImages(context));
  const wanted = kept && {
    choices,
    places,
    secrets: kept.secrets,
    sandboxImage: images.BERTH_SANDBOX_IMAGE,
    instancesMb: kept.instancesMb ?? instancesMb(Math.floor(totalmem() / 2 ** 20)),
  };
  return { found, kept, wanted: wanted && settingsText(wanted) };
}

const decision = ({ record, choices }: UpContext, wanted: string | undefined, found: string | undefined) => {
  const known = record();
  const hasNewChoices = known === undefined || !isDeepStrictEqual(known.choices, choices);
  return decideSettings({ found, wanted, writtenHash: known?.settingsHash, hasNewChoices }, hashOf);
};

interface SecretFile {
  readonly path: string;
  readonly text: string;
  readonly mode?: number;
  readonly owner?: number;
}

async function filesOf(context: UpContext, { secrets }: KeptValues): Promise<SecretFile[]> {
  const { places, choices, acmeRoot, wildcard } = context;
  const copies = [
    { from: acmeRoot, name: edgeFiles.root, mode: readableByAll },
    { from: wildcard?.certificate, name: edgeFiles.certificate, mode: readableByAll },
    { from: wildcard?.key, name: edgeFiles.key },
  ].flatMap(({ from, ...file }) => (from === undefined ? [] : [{ from, ...file }]));
  const copied = copies.map(async ({ from, name, ...rights }) => ({
    path: join(places.caddy, name),
    text: await readFile(from, 'utf8').catch((cause: unknown) => {
      throw new Fault(`${from} cannot be read.`, 'name a file that exists, then run the same command again', { cause });
    }),
    ...rights,
  }));
  return [
    { path: places.postgresPassword, text: secrets.postgresPassword },
    ...(choices.withLogs
      ? [{ path: places.clickhouseUsers, text: clickhouseUsers(secrets.clickhousePassword), owner: clickhouseAccount }]
      : []),
    { path: join(places.caddy, 'Caddyfile'), text: caddyfile(choices), mode: readableByAll },
    ...(await Promise.all(copied)),
  ];
}
