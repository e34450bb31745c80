// The script that a new machine runs: deploy/join.sh behind the values of this deployment.
import { readFile } from 'node:fs/promises';
import { assetUrl } from '@berth/release';

export interface JoinValues {
  readonly apiUrl: string;
  readonly nodeUrl: string;
  readonly gateways: readonly { readonly address: string; readonly port: number }[];
  /** Image of sandboxes that name none; undefined where each has to name one. */
  readonly sandboxImage: string | undefined;
}

export async function joinScript({ apiUrl, nodeUrl, gateways, sandboxImage = '' }: JoinValues): Promise<string> {
  const values = {
    ...{ apiUrl: apiUrl.replace(/\/$/, ''), nodeUrl, sandboxImage },
    gateways: gateways.map(({ address, port }) => `${address}:${port}`).join(','),
  };
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quoted(value)}\n`);
  const body = await readFile(new URL('join.sh', assetUrl('deploy/')), 'utf8');
  return `#!/bin/sh\n${lines.join('')}${body}`;
}

/** As one word of the shell, whatever it holds. */
const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
