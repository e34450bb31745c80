import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './is-alive.ts';
import { memoryFolder } from './memory-folder.ts';
import { type RunningRestate, restate } from './restate.ts';
import { configFile, prepareConfig, type RestateAddresses } from './restate-config.ts';

/** Restate for one test file, always at the same addresses. Declare it with `await using`, or dispose of it. */
export type TestRestate = AsyncDisposable &
  RestateAddresses & {
    start(): Promise<void>;
    stop(): Promise<void>;
    /** SIGKILL: nothing is flushed or handed over. */
    kill(): Promise<void>;
    /** Removes all its data; only while it is down. */
    wipe(): Promise<void>;
  };

/** Started only by files that need it (about half a second), so that other tests do not pay for it. */
export async function startTestRestate({ identityPem }: { identityPem?: string } = {}): Promise<TestRestate> {
  const dataFolder = await mkdtemp(join(await memoryFolder(), `${restate.name}-`));
  if (identityPem !== undefined) await signRequests(dataFolder, identityPem);
  let running: RunningRestate = await restate.start({ dataFolder, durable: false });
  const { ingressUrl, adminUrl } = running;
  return {
    ingressUrl,
    adminUrl,
    async start() {
      running = await restate.start({ dataFolder, durable: false });
    },
    stop: () => restate.stop(dataFolder),
    async kill() {
      process.kill(running.pid, 'SIGKILL');
      // The next process needs the ports and the lock on the data, which are released when this process ends.
      while (isAlive(running.pid)) await sleep(5);
    },
    wipe: () => rm(join(dataFolder, 'data'), { recursive: true, force: true }),
    async [Symbol.asyncDispose]() {
      await restate.stop(dataFolder);
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

/** Makes Restate sign its requests to handlers with this private key. */
async function signRequests(dataFolder: string, identityPem: string): Promise<void> {
  const file = join(dataFolder, 'identity.pem');
  await writeFile(file, identityPem, { mode: 0o600 });
  await prepareConfig({ dataFolder, durable: false });
  const config = await readFile(configFile(dataFolder), 'utf8');
  await writeFile(configFile(dataFolder), `request-identity-private-key-pem-file = "${file}"\n${config}`);
}
