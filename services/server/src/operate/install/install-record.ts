// Choices of an installation, and what it has changed on the machine: read by later runs, by doctor and by uninstall.
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { readIfThere, writeWholeFile } from '../machine/write-file.ts';

export const Choices = z.object({
  /** Undefined: the deployment is reached by its address, with a certificate of its own authority. */
  domain: z.string().optional(),
  email: z.string(),
  /** IPv4 address at which clients and instances reach this machine. */
  address: z.ipv4(),
  withLogs: z.boolean(),
  acmeCa: z.string().optional(),
  hasAcmeRoot: z.boolean().default(false),
  hasWildcard: z.boolean().default(false),
  /** Whether machines elsewhere may join: then the node listener is open to them. */
  takesRunners: z.boolean().default(false),
});
export type Choices = z.infer<typeof Choices>;

export const RunnerChoices = z.object({
  /** Name of this machine in its deployment. */
  name: z.string(),
  /** IPv4 address at which gateways reach this machine. */
  address: z.ipv4(),
  /** Node listener of the deployment. */
  nodeUrl: z.url({ protocol: /^https$/ }),
  /** Addresses at which instances reach the gateways. */
  gateways: z.array(z.object({ address: z.ipv4(), port: z.int().min(1).max(65_535) })),
});
export type RunnerChoices = z.infer<typeof RunnerChoices>;

export const dockerKeys = ['live-restore', 'runtimes.runsc'] as const;

const common = {
  version: z.string(),
  /** Names of images that differ from the defaults, by variable. */
  images: z.record(z.string(), z.string()).default({}),
  /** Images that were not on the machine before. */
  broughtImages: z.array(z.string()).default([]),
  /** Hash of the settings as they were written. Settings with another hash were edited by the operator. */
  settingsHash: z.string().optional(),
  docker: z.object({ madeFile: z.boolean(), added: z.array(z.enum(dockerKeys)) }).optional(),
  /** Hash of version, unit and settings with which the runner was started. */
  runnerState: z.string().optional(),
};

/** Machine with a whole deployment, by `up`. Loose: what a newer release has written stays when this release writes. */
const DeploymentRecord = z.looseObject({
  ...common,
  kind: z.literal('deployment').default('deployment'),
  choices: Choices,
  hasShownKey: z.boolean().default(false),
  /** Release to which `upgrade --back` leads. */
  previous: z.string().optional(),
  /** Exists while an upgrade or a way back is under way. */
  move: z.object({ from: z.string(), to: z.string(), isBack: z.boolean() }).optional(),
});
export type DeploymentRecord = z.infer<typeof DeploymentRecord>;

/** Machine with a runner alone, by `join`. */
const RunnerRecord = z.looseObject({ ...common, kind: z.literal('runner'), choices: RunnerChoices });
export type RunnerRecord = z.infer<typeof RunnerRecord>;

const InstallRecord = z.union([RunnerRecord, DeploymentRecord]);
export type InstallRecord = z.infer<typeof InstallRecord>;

/** The command of berth-server that brings such a machine up to date. */
export const commandOf = ({ kind }: Pick<InstallRecord, 'kind'>): 'up' | 'join' => (kind === 'runner' ? 'join' : 'up');

export const deploymentName = ({ domain, address }: Pick<Choices, 'domain' | 'address'>): string => domain ?? address;

/** Name that `uninstall --delete-data` asks for. */
export const installationName = (record: InstallRecord): string =>
  record.kind === 'runner' ? record.choices.name : deploymentName(record.choices);

export async function readRecord(path: string): Promise<InstallRecord | undefined> {
  const text = await readIfThere(path);
  return text === undefined ? undefined : InstallRecord.parse(parse(text));
}

export const writeRecord = (path: string, record: InstallRecord): Promise<void> =>
  writeWholeFile(
    path,
    `# Written by berth-server ${commandOf(record)}. Change it by running that command with other flags.\n${stringify(record)}`,
  );
