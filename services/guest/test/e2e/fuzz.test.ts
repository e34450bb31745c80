// Every request to a sandbox gets an answer that its description declares, the guest does not restart, and nothing
// changes that the account of the sandbox may not change.
import { Agent, request } from 'node:http';
import { guestOperations } from '@berth/contract/guest';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guestClient } from '../../../../tests/harness/guest-client.ts';
import { type GuestContainer, startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { isFull, runtimesOf, seed } from '../../../../tests/harness/size.ts';
import { execInContainer } from './exec-in-container.ts';
import { type GuestFuzzRequest, guestFuzzRequest } from './fuzz-request.ts';
import { useGuestDocker } from './guest-docker.ts';

/** gVisor answers some fifty requests a second while other tests run. */
const requestsUnder = (runtime: 'runc' | 'runsc'): number => {
  if (!isFull) return 1_500;
  return runtime === 'runc' ? 50_000 : 20_000;
};
const atOnce = 8;
// Timeout that only ends a request that hangs.
const maxAnswerMs = 60_000;
// These routes stream for as long as there is something to report: here the head of the response counts as the answer.
const endless = new Set(['watch', 'processLogStream']);
/**
 * Statuses that every route may give: bad input, no such route (an odd segment makes another path), wrong method,
 * caller is not the runner, too large.
 */
const everywhere = [200, 400, 401, 403, 404, 405, 413, 414, 431];

const exceptNodesOption =
  '! -user node ! -path "/proc*" ! -path "/sys*" ! -path "/dev*" ! -path "/tmp/*" ! -path "/var/lib/sandbox*" ! -path /root/mark';
/** Files outside the account: a hash of their paths, types and permissions (`otherFilesCommand`), and changed ones (`changedFilesCommand`). */
const otherFilesCommand = `find / -xdev ${exceptNodesOption} -printf "%p %y %m %U %G\\n" | sort | sha256sum`;
const changedFilesCommand = `find / -xdev -type f -newer /root/mark ${exceptNodesOption}`;

const docker = useGuestDocker();

// The small size tests runc, where a harmful request would reach the machine's kernel.
describe.each(runtimesOf('runc'))('under %s', (runtime) => {
  const count = requestsUnder(runtime);
  test(`${count} requests made from the description: no crash, no hang, nothing of others touched`, {
    timeout: 900_000,
  }, async () => {
    await using container = await startGuestContainer(docker.url, {
      image: docker.image,
      runtime,
      memoryMb: 1_024,
      pids: 2_048,
      args: ['--user', 'node'],
    });
    const inside = (script: string) => execInContainer(docker.url, container.id, script);
    await inside('echo secret > /root/secret; chmod 700 /root; chmod 600 /root/secret');
    await inside(
      'mkdir -p /tmp/fuzz/c; echo a > /tmp/fuzz/a; ln -s /root/secret /tmp/fuzz/link; mkfifo /tmp/fuzz/pipe; chown -R node /tmp/fuzz; touch /root/mark',
    );
    const others = await inside(otherFilesCommand);
    const before = await guestClient(container.url).health();
    const bad = await sendAll(container, count);
    const after = await guestClient(container.url).health();
    expect(bad.slice(0, 5), `seed ${seed}, ${bad.length} bad answers`).toEqual([]);
    expect(after.startedAt, 'the guest is still the same').toBe(before.startedAt);
    expect(await inside(changedFilesCommand)).toBe('');
    expect(await inside(otherFilesCommand)).toBe(others);
    expect(await inside('cat /root/secret')).toContain('secret');
  });
});

async function sendAll({ url }: GuestContainer, count: number): Promise<string[]> {
  const requests = fc.sample(guestFuzzRequest, { numRuns: count, seed });
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const bad: string[] = [];
  let next = 0;
  const worker = async () => {
    for (;;) {
      const asked = requests[next++];
      if (asked === undefined) return;
      const complaint = await complaintAbout(asked, url, agent);
      if (complaint !== undefined)
        bad.push(`${asked.method} ${asked.path.slice(0, 200)} ${asked.body?.toString().slice(0, 200)}: ${complaint}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  agent.destroy();
  return bad;
}

async function complaintAbout(asked: GuestFuzzRequest, url: string, agent: Agent): Promise<string | undefined> {
  let answer: { status: number; text: string };
  try {
    answer = await send(asked, url, agent);
  } catch (error) {
    return String(error);
  }
  const { status, text } = answer;
  const { statuses } = guestOperations[asked.id as keyof typeof guestOperations];
  // 500 is allowed when it reports a refusal by the operating system. An unexpected error reads "The guest failed".
  const isTold = status === 500 && !text.includes('The guest failed');
  if (!isTold && ![...everywhere, ...statuses].includes(status)) return `${status} ${text.slice(0, 300)}`;
  if (status < 400 || asked.id === 'mcp') return undefined;
  try {
    const { error } = JSON.parse(text);
    return typeof error === 'string' && error.length > 0
      ? undefined
      : `${status} without a reason: ${text.slice(0, 200)}`;
  } catch {
    return `${status} that is not JSON: ${text.slice(0, 200)}`;
  }
}

function send(
  { id, method, path, headers, body }: GuestFuzzRequest,
  url: string,
  agent: Agent,
  again = true,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const length: Record<string, string> = body === undefined ? {} : { 'content-length': String(body.length) };
    const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${maxAnswerMs} ms`)), maxAnswerMs);
    const sent = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (answer) => {
      const status = answer.statusCode ?? 0;
      const chunks: Buffer[] = [];
      const done = () => {
        clearTimeout(timer);
        resolve({ status, text: Buffer.concat(chunks).toString() });
      };
      if (endless.has(id) && status === 200) {
        done();
        sent.destroy();
        return;
      }
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', done);
      answer.on('error', reject);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      // The server may close a kept-alive connection at the moment it is reused: that is not a failure of the request.
      if (again && sent.reusedSocket && error.code === 'ECONNRESET')
        send({ id, method, path, headers, body }, url, agent, false).then(resolve, reject);
      else reject(error);
    });
    sent.end(body);
  });
}
