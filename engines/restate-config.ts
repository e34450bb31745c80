// Addresses and write settings of a data folder's Restate. Kept beside its data, so that a restart has the same
// addresses.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartOptions } from './engine.ts';
import { freePort } from './free-port.ts';

export type RestateOptions = StartOptions & {
  /** Text of the file, in place of the settings that tests and development have; its ports are replaced. */
  settings?: string;
};

export type RestateAddresses = { ingressUrl: string; adminUrl: string };

const portPattern = /^bind-address = "127\.0\.0\.1:(\d+)"$/gm;

export const configFile = (dataFolder: string): string => join(dataFolder, 'restate.toml');

/** Writes the file on the first start of a data folder; later starts read the ports from it. */
export async function prepareConfig({
  dataFolder,
  port,
  durable = true,
  settings,
}: RestateOptions): Promise<RestateAddresses> {
  const file = configFile(dataFolder);
  if (!existsSync(file)) {
    await mkdir(dataFolder, { recursive: true });
    const ports = [port ?? (await freePort()), await freePort(), await freePort()] as const;
    await writeFile(file, settings === undefined ? config(...ports, durable) : withPorts(settings, ports));
  }
  const [, ingress, admin] = [...(await readFile(file, 'utf8')).matchAll(portPattern)].map(([, number]) => number);
  return { ingressUrl: `http://127.0.0.1:${ingress}`, adminUrl: `http://127.0.0.1:${admin}` };
}

/** Ingress, admin and node, of which the last comes first in a file. */
const withPorts = (settings: string, [ingress, admin, node]: readonly [number, number, number]): string => {
  const order = [node, ingress, admin];
  return settings.replaceAll(portPattern, () => `bind-address = "127.0.0.1:${order.shift()}"`);
};

function config(ingressPort: number, adminPort: number, nodePort: number, durable: boolean): string {
  return `node-name = "berth"
cluster-name = "berth"
listen-mode = "tcp"
bind-address = "127.0.0.1:${nodePort}"
# One machine, one core or two: fewer partitions start sooner and take less memory. Fixed when the data is made.
default-num-partitions = ${durable ? 8 : 2}
rocksdb-total-memory-size = "256 MiB"
disable-telemetry = true
log-disable-ansi-codes = true
# At every start it asks a public host for the newest version, which no setting turns off; without a way there it goes on.
log-filter = "warn,octocrab=off"
shutdown-timeout = "10s"

[ingress]
bind-address = "127.0.0.1:${ingressPort}"

[admin]
bind-address = "127.0.0.1:${adminPort}"
disable-web-ui = ${!durable}

[log-server]
rocksdb-disable-wal-fsync = ${!durable}
`;
}
