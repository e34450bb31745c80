// Images of an installation. `images.env` in the folder of --images replaces names: for machines without the internet, and for
// operators with a registry of their own.
import { Fault } from '../machine/fault.ts';
import type { InstallRecord } from './install-record.ts';

export type ImageNames = Readonly<Record<ImageVariable, string>>;
type ImageVariable = (typeof imageVariables)[number];

const imageVariables = [
  'BERTH_POSTGRES_IMAGE',
  'BERTH_RESTATE_IMAGE',
  'BERTH_CLICKHOUSE_IMAGE',
  'BERTH_CADDY_IMAGE',
  'BERTH_CONTROL_IMAGE',
  'BERTH_SANDBOX_IMAGE',
] as const;

const defaultImages = (version: string): ImageNames => ({
  BERTH_POSTGRES_IMAGE: 'postgres:18',
  BERTH_RESTATE_IMAGE: 'restatedev/restate:1.7',
  BERTH_CLICKHOUSE_IMAGE: 'clickhouse/clickhouse-server:26.3',
  BERTH_CADDY_IMAGE: 'caddy:2.11',
  BERTH_CONTROL_IMAGE: `berth:${version}`,
  BERTH_SANDBOX_IMAGE: `berth-sandbox-base:${version}`,
});

export const imageNames = (version: string, others: Readonly<Record<string, string>>): ImageNames => ({
  ...defaultImages(version),
  ...others,
});

/** Those that this installation runs. A runner alone knows the image of sandboxes from its deployment, which may have none. */
export function neededImages(record: InstallRecord, version: string): string[] {
  const { BERTH_SANDBOX_IMAGE: ofSandboxes } = record.images;
  if (record.kind === 'runner') return ofSandboxes === undefined ? [] : [ofSandboxes];
  const names = imageNames(version, record.images);
  const { withLogs } = record.choices;
  return imageVariables.filter((name) => withLogs || name !== 'BERTH_CLICKHOUSE_IMAGE').map((name) => names[name]);
}

/** Parses lines `NAME=value`; `#` begins a comment. */
export function parseImagesFile(text: string, path: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const pairs = lines.filter((line) => line !== '').map((line) => line.split(/=(.*)/s));
  return Object.fromEntries(
    pairs.map(([name = '', value = '']) => {
      if (!imageVariables.some((known) => known === name) || !/^[\w./:@-]+$/.test(value))
        throw new Fault(
          `${path} holds a line that names no image: ${name}`,
          `correct it: each line is one of ${imageVariables.join(', ')}, then = and the name of an image`,
        );
      return [name, value];
    }),
  );
}
