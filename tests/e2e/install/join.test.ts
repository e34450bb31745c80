// A second machine joins by the line that the first one prints, and serves sandboxes through the first one's gateway.
import { connect } from 'node:tls';
import { nodePaths, nodeServerName } from '@berth/contract/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Box } from '../../../engines/box/box.ts';
import { imagesFolder } from '../../../engines/box/images/images.ts';
import { isFull } from '../../harness/size.ts';
import { askEdge } from './edge-client.ts';
import { domain, type InstallBox, media, startInstallBox } from './install-box.ts';
import { changes, listMachine, type MachineListing } from './machine-listing.ts';
import { openPorts } from './open-ports.ts';

const minutes = 60_000;
const api = `https://api.${domain}`;
const archive = '/opt/berth/archive/berth-linux-x64.tar.gz';
const Sandbox = z.looseObject({ status: z.string(), metadata: z.looseObject({ url: z.url() }) });

describe.skipIf(!isFull)('a second machine', { timeout: 10 * minutes }, () => {
  const made = new AsyncDisposableStack();
  let first: InstallBox;
  let second: Box;
  let before: MachineListing;
  let key = '';

  beforeAll(async () => {
    first = made.use(await startInstallBox({ name: 'first', number: 5, flags: '--runners' }));
    const images = await imagesFolder();
    second = made.use(
      await Box.start({ name: 'second', number: 6, memoryMb: 4_096, folders: { [media.images]: images } }),
    );
    first.box.connect(second, 7);
    await second.run(`echo '${first.box.address} api.${domain} run.${domain}' >>/etc/hosts`);
    before = await listMachine(second);
    const { code, output } = await first.box.exec(first.install);
    expect(code, output).toBe(0);
    key = /^ *key +(\S+)$/m.exec(output)?.[1] ?? '';
  }, 20 * minutes);
  afterAll(() => made.disposeAsync(), 2 * minutes);

  const newLine = async (): Promise<string> =>
    (await first.box.run('berth-server create-join-token --command 2>/dev/null')).trim();
  /** The printed line, with the flags of a machine that reaches no registry. Both boxes have the same host name. */
  const joinBy = (line: string) => second.exec(`${line} --name second --images ${media.images} --yes`);
  const list = (): Promise<string> => first.box.run('berth-server list-runners');
  const inDatabase = (statement: string): Promise<string> =>
    first.box.run(`docker exec berth-postgres-1 psql --username berth --dbname berth --quiet --command "${statement}"`);

  test('is refused with a changed byte in the release, an expired token and tokens of another deployment', async () => {
    const line = await newLine();
    const token = /Bearer (\S+)'/.exec(line)?.[1] ?? '';
    const [secret = '', fingerprint = ''] = token.split('.');
    expect(line).toContain('--cacert berth-ca.pem');

    await first.box.run(`cp ${archive} /root/kept && printf x | dd of=${archive} bs=1 seek=5000 conv=notrunc`);
    const changed = await joinBy(line);
    await first.box.run(`cp /root/kept ${archive}`);
    expect(changed.code).toBe(1);
    expect(changed.output).toContain('does not have the hash of the line');

    // The authority is compared before the secret is sent, so this token stays good.
    const elsewhere = await joinBy(line.replaceAll(fingerprint, 'a'.repeat(64)));
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.output).toContain('does not belong to the deployment that made the join token');

    for (const refused of [await joinBy(line.replaceAll(secret, 'A'.repeat(secret.length))), await expired(line)]) {
      expect(refused.code).not.toBe(0);
      expect(refused.output).toContain('401');
    }
    expect(await list()).not.toContain('second');
  });

  async function expired(line: string) {
    await inDatabase("update runner_tokens set expires_at = now() - interval '1 second'");
    return joinBy(line);
  }

  test('joins by the printed line, once, and is listed as up', async () => {
    const line = await newLine();
    const { code, output } = await joinBy(line);
    console.log(output);
    expect(code, output).toBe(0);
    expect(await list()).toMatch(/^second +local +up/m);
    const again = await joinBy(line);
    expect(again.code).not.toBe(0);
    expect(again.output).toContain('401');
    const later = [await second.exec('berth-server join'), await joinBy(await newLine())];
    for (const { code: laterCode, output: said } of later) {
      expect(laterCode, said).toBe(0);
      expect(said).toContain('deployment … already done');
      expect(said).toContain('runner … already done');
    }
  });

  test('serves a sandbox through the gateway of the first one', async () => {
    await first.box.run('systemctl stop berth-runner');
    await expect.poll(list, { timeout: 2 * minutes, interval: 1_000 }).toMatch(/^box +local +lost/m);
    const body = { metadata: { name: 'far' }, spec: { runtime: { memory: 512 } } };
    const created = await askEdge(first, `${api}/v0/sandboxes`, { key, method: 'POST', body });
    expect(created.status, created.body).toBeLessThan(300);
    const look = async () => Sandbox.parse(JSON.parse((await askEdge(first, `${api}/v0/sandboxes/far`, { key })).body));
    await expect.poll(async () => (await look()).status, { timeout: 2 * minutes, interval: 500 }).toBe('DEPLOYED');
    const { url } = (await look()).metadata;
    const ran = await askEdge(first, `${url}/process`, {
      ...{ key, method: 'POST' },
      body: { command: 'echo from afar', waitForCompletion: true, timeout: 60 },
    });
    expect(ran.status, ran.body).toBe(200);
    expect(JSON.parse(ran.body)).toMatchObject({ stdout: expect.stringContaining('from afar') });
    await askEdge(first, `${api}/v0/sandboxes/far`, { key, method: 'DELETE' });
    await first.box.run('systemctl start berth-runner');
    await expect.poll(list, { timeout: minutes, interval: 1_000 }).toMatch(/^box +local +up/m);
  });

  test('opens one port, as the first one does for it, and both refuse clients without a certificate', async () => {
    const listening = async (box: Box) => {
      const lines = await box.run("ss --no-header --listening --tcp --numeric | awk '{ print $4 }' | sed 's/.*://'");
      return [...new Set(lines.trim().split('\n').map(Number))];
    };
    expect(await openPorts(first.box.address, await listening(first.box))).toEqual([80, 443, 8081]);
    expect(await openPorts(second.address, await listening(second))).toEqual([8082]);
    expect(await answerTo(first.box.address, 8081)).toMatch(/^HTTP\/1\.1 401 /);
    expect(await answerTo(second.address, 8082)).not.toContain('HTTP/1.1 2');
  });

  test('is found healthy by the doctor of both, and a closed port by the check that names it', async () => {
    for (const box of [first.box, second]) {
      const { code, output } = await box.exec('berth-server doctor');
      expect(code, output).toBe(0);
    }
    const block = (verb: string) => second.run(`iptables --${verb} INPUT --protocol tcp --dport 8082 --jump REJECT`);
    await block('insert');
    const { code, output } = await first.box.exec('berth-server doctor');
    await block('delete');
    expect(code).toBe(1);
    expect(output).toContain('fault  reachable-runners: ');
    expect(output).toContain(`second (${second.address}:8082)`);
  });

  test('leaves by uninstall and remove-runner, with its data kept', async () => {
    const { code, output } = await second.exec('berth-server uninstall');
    expect(code, output).toBe(0);
    expect(output).toContain('berth-server remove-runner --name second');
    await first.box.run('berth-server remove-runner --name second');
    expect(await list()).not.toContain('second');
    // Docker keeps a cgroup of its own after its first container. Script and authority lie in the folder of the operator, which is not listed.
    const kept = /^\/(etc|var\/lib)\/berth[/ ]|^\/sys\/fs\/cgroup\/\w+\/docker$/;
    expect(changes(before, await listMachine(second), kept)).toEqual({});
  });
});

/** What a listener answers over TLS to a client that shows no certificate. */
async function answerTo(host: string, port: number): Promise<string> {
  const socket = connect({ host, port, servername: nodeServerName, rejectUnauthorized: false });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => {});
  socket.write(`POST ${nodePaths.heartbeat} HTTP/1.1\r\nHost: node\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}
