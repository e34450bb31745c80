// The line that makes another machine a runner. It says whom the machine trusts: the authority of the edge where that is no public one,
// the hash of the release, and inside the token the fingerprint of the authority of the nodes.
import type { ApiConfig } from '@berth/api';
import type { Installation } from '../install/installation.ts';
import { Fault } from '../machine/fault.ts';
import { hashOfFile } from '../machine/hash-of-file.ts';
import { readIfThere } from '../machine/write-file.ts';
import { edgeRoot } from '../settings/edge-authorities.ts';

const authorityFile = 'berth-ca.pem';

export interface JoinLineInput {
  readonly api: Pick<ApiConfig, 'publicUrl' | 'install'>;
  /** Roots of the certificate of the api, PEM; undefined for public ones. */
  readonly authority: string | undefined;
}

/** The line of a token. What is missing is said before there is a token. */
export async function prepareJoinLine({ api, authority }: JoinLineInput): Promise<(token: string) => string> {
  const { archive, nodeUrl } = api.install;
  if (api.publicUrl === undefined || archive === undefined || nodeUrl === undefined)
    throw new Fault(
      'This deployment takes no machines yet: api.publicUrl, api.install.archive or api.install.nodeUrl is not set.',
      'berth-server up --runners',
    );
  const hash = await hashOfFile(archive).catch((cause: unknown) => {
    throw new Fault(
      `The archive of the release is not at ${archive}.`,
      'berth-server up --runners --archive berth-VERSION-linux-x64.tar.gz',
      { cause },
    );
  });
  const trust = authority === undefined ? '' : `--cacert ${authorityFile} `;
  const url = `${api.publicUrl.replace(/\/$/, '')}/install/join`;
  const keepAuthority =
    authority === undefined ? [] : [`echo ${Buffer.from(authority).toString('base64')} | base64 -d >${authorityFile}`];
  return (token) =>
    [
      ...keepAuthority,
      `curl -fsS ${trust}-H 'Authorization: Bearer ${token}' -o berth-join.sh ${url}`,
      `sh berth-join.sh ${token} ${hash} ${trust}`.trimEnd(),
    ].join(' && ');
}

/** Roots that machines need beside the public ones to verify the edge of this installation. */
export async function authorityOf(installation: Pick<Installation, 'places' | 'record'>): Promise<string | undefined> {
  const record = installation.record();
  if (record?.kind !== 'deployment') return undefined;
  const path = edgeRoot(installation, record.choices);
  return path === undefined ? undefined : readIfThere(path);
}
