// The proof that a deployment works: a sandbox is made through the api at the edge, answers a command through the edge, and is deleted.
import { randomBytes } from 'node:crypto';
import { newApiKey } from '@berth/identity';
import { z } from 'zod';
import { withDatabase } from '../../with-database.ts';
import type { Installation } from '../install/installation.ts';
import { readSettings } from '../install/read-settings.ts';
import { requireRecord } from '../install/require-record.ts';
import { type EdgeAnswer, type EdgeRequest, requestEdge } from '../machine/edge-request.ts';
import { Fault } from '../machine/fault.ts';
import { edgeAuthorities } from '../settings/edge-authorities.ts';
import { edgeHosts } from '../settings/edge-hosts.ts';

const createSeconds = 90;
const keyMinutes = 10;

const Sandbox = z.looseObject({
  metadata: z.looseObject({ name: z.string(), url: z.url() }),
  status: z.string(),
  events: z.array(z.looseObject({ message: z.string().optional() })).default([]),
});
const Ran = z.looseObject({ exitCode: z.number().nullish(), stdout: z.string().default('') });

type Deployed = Pick<Installation, 'places' | 'record'>;

export interface TriedSandbox {
  /** Runs a command of a shell in the sandbox, through the edge; returns what it prints. */
  run(command: string): Promise<string>;
}

/** Gives a new sandbox to `work`, and deletes it afterwards in any case. */
export async function withSandbox<T>(installation: Deployed, work: (sandbox: TriedSandbox) => Promise<T>): Promise<T> {
  const { choices } = requireRecord(installation);
  const base = `https://${edgeHosts(choices).api}/v0/sandboxes`;
  return withKey(installation, async (caller) => {
    const authorities = await edgeAuthorities(installation);
    const send = (wish: Omit<EdgeRequest, 'authorities' | 'headers'>): Promise<EdgeAnswer> =>
      requestEdge({ ...wish, authorities, headers: caller, timeoutSeconds: createSeconds });
    const name = `berth-check-${randomBytes(4).toString('hex')}`;
    try {
      const made = await send({
        url: base,
        method: 'POST',
        body: { metadata: { name }, spec: { runtime: { memory: 512 } } },
      });
      const { metadata } = deployed(made);
      return await work({
        async run(command) {
          const body = { command, waitForCompletion: true, timeout: 60 };
          const answer = await send({ url: `${metadata.url}/process`, method: 'POST', body });
          if (answer.status !== 200)
            throw new Fault(`A sandbox does not answer at ${metadata.url}: ${shortly(answer)}`, 'berth-server doctor');
          return Ran.parse(JSON.parse(answer.body)).stdout;
        },
      });
    } finally {
      await send({ url: `${base}/${name}`, method: 'DELETE' });
    }
  });
}

const shortly = ({ status, body }: EdgeAnswer): string => `status ${status}, ${body.slice(0, 500)}`;

function deployed(answer: EdgeAnswer): z.infer<typeof Sandbox> {
  const sandbox = answer.status === 200 || answer.status === 201 ? Sandbox.parse(JSON.parse(answer.body)) : undefined;
  if (sandbox?.status === 'DEPLOYED') return sandbox;
  const why = sandbox?.events.map(({ message }) => message).join(' ') ?? shortly(answer);
  throw new Fault(`No sandbox could be made: ${why}`, 'journalctl --unit berth-runner --lines 30');
}

/** A key of the first admin that ends by itself, should it not be deleted. */
async function withKey<T>(
  { places }: Deployed,
  work: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const { postgres, api } = await readSettings(places);
  return withDatabase(postgres.url, async (database) => {
    const member = await database
      .selectFrom('account_members')
      .innerJoin('workspace_members', 'workspace_members.user_id', 'account_members.user_id')
      .innerJoin('workspaces', 'workspaces.id', 'workspace_members.workspace_id')
      .where('account_members.role', '=', 'admin')
      .orderBy('workspaces.created_at')
      .select(['account_members.user_id as userId', 'workspaces.name as workspace'])
      .limit(1)
      .executeTakeFirst();
    if (member === undefined)
      throw new Fault('No admin of the account is a member of a workspace.', 'make a workspace with a key of an admin');
    const { id, hash, value } = newApiKey(api.brand);
    await database
      .insertInto('api_keys')
      .values({
        ...{ id, hash, user_id: member.userId, created_by: member.userId, name: 'berth-server check' },
        expires_at: new Date(Date.now() + keyMinutes * 60_000),
      })
      .execute();
    try {
      return await work({ authorization: `Bearer ${value}`, [`x-${api.brand.long}-workspace`]: member.workspace });
    } finally {
      await database.deleteFrom('api_keys').where('id', '=', id).execute();
    }
  });
}
