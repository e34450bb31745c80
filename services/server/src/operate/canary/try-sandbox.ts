// The proof that a deployment works: a sandbox is made through the api at the edge, answers a command through the edge, and is deleted.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newApiKey } from '@berth/identity';
import { z } from 'zod';
import { withDatabase } from '../../with-database.ts';
import type { Installation } from '../install/installation.ts';
import { readSettings } from '../install/read-settings.ts';
import { requireDeployment } from '../install/require-record.ts';
import { type EdgeAnswer, type EdgeRequest, requestEdge } from '../machine/edge-request.ts';
import { Fault } from '../machine/fault.ts';
import { edgeAuthorities } from '../settings/edge-authorities.ts';
import { edgeHosts } from '../settings/edge-hosts.ts';

/** Above the time for which a creation waits. */
const requestSeconds = 90;
const startSeconds = 120;
const lookMs = 500;
const settled = ['DEPLOYED', 'FAILED', 'TERMINATED'];
/** Ends the sandbox of a command that was killed. */
const lifetime = '10m';
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
  const { choices } = requireDeployment(installation);
  const base = `https://${edgeHosts(choices).api}/v0/sandboxes`;
  return withKey(installation, async (caller) => {
    const authorities = await edgeAuthorities(installation);
    const send = (wish: Omit<EdgeRequest, 'authorities' | 'headers'>): Promise<EdgeAnswer> =>
      requestEdge({ ...wish, authorities, headers: caller, timeoutSeconds: requestSeconds });
    const name = `berth-check-${randomBytes(4).toString('hex')}`;
    const url = `${base}/${name}`;
    const tryIt = async (): Promise<T> => {
      const body = { metadata: { name }, spec: { runtime: { memory: 512, ttl: lifetime } } };
      const { metadata } = await deployed(await send({ url: base, method: 'POST', body }), () => send({ url }));
      return work({ run: (command) => runIn(metadata.url, command, send) });
    };
    const result = await tryIt().catch(async (error: unknown) => {
      // The first failure says more than that of the removal.
      await send({ url, method: 'DELETE' }).catch(() => {});
      throw error;
    });
    await send({ url, method: 'DELETE' });
    return result;
  });
}

async function runIn(
  url: string,
  command: string,
  send: (wish: Omit<EdgeRequest, 'authorities' | 'headers'>) => Promise<EdgeAnswer>,
): Promise<string> {
  const body = { command, waitForCompletion: true, timeout: 60 };
  const answer = await send({ url: `${url}/process`, method: 'POST', body });
  if (answer.status !== 200)
    throw new Fault(`A sandbox does not answer at ${url}: ${shortly(answer)}`, 'berth-server doctor');
  return Ran.parse(JSON.parse(answer.body)).stdout;
}

const sandboxIn = ({ status, body }: EdgeAnswer): z.infer<typeof Sandbox> | undefined =>
  status === 200 || status === 201 ? Sandbox.parse(JSON.parse(body)) : undefined;

const shortly = ({ status, body }: EdgeAnswer): string => `status ${status}, ${body.slice(0, 500)}`;

/** The creation answers after a while in any case: a slow machine may still be starting the sandbox. */
async function deployed(made: EdgeAnswer, look: () => Promise<EdgeAnswer>): Promise<z.infer<typeof Sandbox>> {
  const giveUpAt = performance.now() + startSeconds * 1_000;
  let answer = made;
  let sandbox = sandboxIn(answer);
  while (sandbox !== undefined && !settled.includes(sandbox.status) && performance.now() < giveUpAt) {
    await sleep(lookMs);
    answer = await look();
    sandbox = sandboxIn(answer);
  }
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
