import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ContainerLog, logFolders, type StoringApi, startStoringApi } from '../../test/test-logs.ts';
import { OutputShipper } from './output-shipper.ts';

const instance = '0199a0b0-0000-7000-8000-000000000001';
const logger = createLogger({ role: 'runner' }, { level: 'silent' });
const dayMs = 86_400_000;

let folders: Awaited<ReturnType<typeof logFolders>>;
let api: StoringApi;
let log: ContainerLog;
let shipper: OutputShipper;
let nowMs = Date.now();

let bytesPerSecond = bytesPerMb;
const open = () =>
  new OutputShipper({
    stateFolder: folders.state,
    client: api.client,
    logger,
    onSent: () => {},
    rate: { bytesPerSecond, onDropped: () => {} },
    now: () => nowMs,
  });
const container = (id = 'one', file = log.file) => ({ id, logFile: file });
const arrived = (texts: readonly string[]) => expect.poll(() => api.texts()).toEqual(texts);
const kept = () => readdir(join(folders.state, 'logs'));

beforeEach(async () => {
  nowMs = Date.now();
  folders = await logFolders();
  api = await startStoringApi();
  log = new ContainerLog(folders.engine, 'one');
  shipper = open();
});
afterEach(async () => {
  await shipper.close();
  await api[Symbol.asyncDispose]();
  await rm(folders.root, { recursive: true, force: true });
});

async function restart(): Promise<void> {
  await shipper.close();
  shipper = open();
}

test('lines arrive in order, numbered from the first', async () => {
  await log.write('a');
  shipper.follow(instance, container());
  await arrived(['a']);
  await log.write('b', 'stderr');
  await log.write('');
  await arrived(['a', 'b', '']);
  expect([...api.stored.keys()]).toEqual([0, 1, 2]);
  expect(api.stored.get(1)).toMatchObject({ stream: 'stderr', timeNs: expect.stringMatching(/^17\d{17}$/) });
});

test('an incomplete entry waits for its end, and a torn entry is skipped', async () => {
  await log.write('a');
  await appendFile(log.file, '{"log":"b\\n","stream":"std');
  shipper.follow(instance, container());
  await arrived(['a']);
  await appendFile(log.file, 'out","time":"2026-01-02T03:04:05Z"}\nnot an entry\n');
  await log.write('c');
  await arrived(['a', 'b', 'c']);
});

describe('batches', () => {
  test('hold a thousand lines at most', async () => {
    for (let line = 0; line < 2_500; line += 1) await log.write(`${line}`);
    shipper.follow(instance, container());
    await expect.poll(() => api.stored.size).toBe(2_500);
    expect(api.batches.map(({ lines }) => lines.length)).toEqual([1_000, 1_000, 500]);
    expect(api.texts()).toEqual(Array.from({ length: 2_500 }, (_, line) => `${line}`));
  });

  test('hold a megabyte at most', async () => {
    for (let line = 0; line < 12; line += 1) await log.write('x'.repeat(200_000));
    shipper.follow(instance, container());
    await expect.poll(() => api.stored.size).toBe(12);
    const sizes = api.batches.map(({ lines }) => lines.reduce((sum, { text }) => sum + text.length, 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(bytesPerMb);
  });
});

describe('rotation', () => {
  test('loses nothing: the old file is read to its end first', async () => {
    shipper.follow(instance, container());
    const written: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      for (let line = 0; line < 50; line += 1) {
        written.push(`${round}-${line}`);
        await log.write(`${round}-${line}`);
      }
      await log.rotate();
      await log.write(`after ${round}`);
      written.push(`after ${round}`);
      await expect.poll(() => api.stored.size).toBe(written.length);
    }
    expect(api.texts()).toEqual(written);
  });

  test('in the middle of a line does not cut it', async () => {
    shipper.follow(instance, container());
    await log.write('before');
    await log.writeEntry('x'.repeat(16_384));
    await arrived(['before']);
    await log.rotate();
    await log.writeEntry('y\n');
    await arrived(['before', `${'x'.repeat(16_384)}y`]);
  });

  test('while the api is unreachable is noted as a number of lost bytes, and sequences still grow', async () => {
    shipper.follow(instance, container());
    await log.write('first');
    await arrived(['first']);
    api.status = 503;
    await log.write('held');
    await expect.poll(() => api.batches.length).toBeGreaterThan(1);
    await log.rotate();
    await log.write('lost');
    await log.rotate();
    await sleep(1_500);
    for (const text of ['kept 1', 'kept 2']) {
      await log.write(text);
      await log.rotate();
    }
    await log.write('kept 3');
    await sleep(1_500);
    api.status = 200;
    const entryBytes = Buffer.byteLength(
      '{"log":"lost\\n","stream":"stdout","time":"2026-01-02T03:04:05.000123456Z"}\n',
    );
    const gap = `[${entryBytes} bytes of output were lost before they could be sent]`;
    await arrived(['first', 'held', gap, 'kept 1', 'kept 2', 'kept 3']);
    expect([...api.stored.keys()].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });
});

describe('a runner that starts again', () => {
  test('continues at its position, and sends nothing twice', async () => {
    await log.write('a');
    shipper.follow(instance, container());
    await arrived(['a']);
    await restart();
    await log.write('b');
    await log.rotate();
    await log.write('c');
    shipper.follow(instance, container());
    await arrived(['a', 'b', 'c']);
    expect(api.batches.flatMap(({ lines }) => lines)).toHaveLength(3);
  });

  test('gives a line that was not acknowledged the same number again', async () => {
    await log.write('a');
    shipper.follow(instance, container());
    await arrived(['a']);
    api.status = 503;
    await log.write('b');
    await expect.poll(() => api.batches.length).toBeGreaterThan(1);
    await restart();
    api.status = 200;
    await log.write('c');
    shipper.follow(instance, container());
    await arrived(['a', 'b', 'c']);
    expect(
      new Set(
        api.batches
          .flatMap(({ lines }) => lines)
          .filter(({ text }) => text === 'b')
          .map((line) => line.sequence),
      ),
    ).toEqual(new Set([1]));
  });

  test('says that output was lost when its file is gone, without a number it cannot know', async () => {
    await log.write('a');
    shipper.follow(instance, container());
    await arrived(['a']);
    await shipper.close();
    for (let round = 0; round < 4; round += 1) {
      await log.write(`round ${round}`);
      await log.rotate();
    }
    shipper = open();
    shipper.follow(instance, container());
    await arrived(['a', '[output was lost before it could be sent]', 'round 2', 'round 3']);
  });
});

describe('a removed container', () => {
  test('leaves its output until it is sent, and then nothing', async () => {
    api.status = 503;
    await log.write('a');
    await log.rotate();
    await log.write('last words');
    shipper.follow(instance, container());
    await shipper.keep(instance, container());
    shipper.end(instance);
    await log.remove();
    await restart();
    shipper.end(instance);
    api.status = 200;
    await arrived(['a', 'last words']);
    await expect.poll(kept).toEqual([]);
  });

  test('that is replaced keeps the numbering', async () => {
    await log.write('a');
    shipper.follow(instance, container());
    await arrived(['a']);
    await log.writeEntry('unfinished');
    await shipper.keep(instance, container());
    await log.remove();
    const second = new ContainerLog(folders.engine, 'two');
    await second.write('b');
    shipper.follow(instance, container('two', second.file));
    await arrived(['a', 'unfinished', 'b']);
    await restart();
    await second.write('c');
    shipper.follow(instance, container('two', second.file));
    await arrived(['a', 'unfinished', 'b', 'c']);
  });

  test('is archived once, however often that is requested', async () => {
    await log.write('a');
    await shipper.keep(instance, container());
    await shipper.keep(instance, container());
    await arrived(['a']);
    expect(api.batches).toHaveLength(1);
  });

  test('is dropped when its output could not be sent for three days', async () => {
    api.status = 503;
    await log.write('a');
    await shipper.keep(instance, container());
    shipper.end(instance);
    await expect.poll(() => api.batches.length).toBeGreaterThan(0);
    expect(await kept()).toEqual([instance]);
    nowMs += 3.1 * dayMs;
    await expect.poll(kept).toEqual([]);
  });

  test('on another file system is copied, and read on from the same place', async () => {
    const shm = '/dev/shm';
    if (!existsSync(shm)) return;
    const elsewhere = join(shm, `berth-logs-${process.pid}`);
    await mkdir(elsewhere);
    try {
      const far = new ContainerLog(elsewhere, 'far');
      await far.write('a');
      shipper.follow(instance, container('far', far.file));
      await arrived(['a']);
      await shipper.close();
      await far.write('b');
      shipper = open();
      await shipper.keep(instance, container('far', far.file));
      await rm(elsewhere, { recursive: true });
      await arrived(['a', 'b']);
      expect(api.batches.flatMap(({ lines }) => lines)).toHaveLength(2);
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });
});

test('a note of the runner is stored beside the lines and takes none of their numbers', async () => {
  await log.write('a');
  shipper.follow(instance, container());
  await arrived(['a']);
  shipper.note(instance, '[dropped]');
  await arrived(['a', '[dropped]']);
  await log.write('b');
  await arrived(['a', 'b', '[dropped]']);
  expect([...api.stored.keys()].sort((left, right) => left - right).slice(0, 2)).toEqual([0, 1]);
});

test('lines that the api refuses for good do not delay the others', async () => {
  api.status = 400;
  await log.write('bad');
  shipper.follow(instance, container());
  await expect.poll(() => api.batches.length).toBe(1);
  api.status = 200;
  await log.write('good');
  await arrived(['good']);
  expect([...api.stored.keys()]).toEqual([1]);
});

test('a container that prints at full speed is limited to its rate, with a note about dropped output, and continues afterwards', async () => {
  await shipper.close();
  bytesPerSecond = 1_000;
  try {
    shipper = open();
    // The fixture's clock advances by a millisecond per line.
    for (let line = 0; line < 300; line += 1) await log.write('x'.repeat(936));
    shipper.follow(instance, container());
    await shipper.keep(instance, container());
    await expect
      .poll(() => api.texts().at(-1))
      .toMatch(/^\[\d+ bytes of output in \d+ lines were dropped: more than 1000 bytes/);
    expect(api.texts().length).toBeLessThan(20);
    expect(Math.max(...api.stored.keys())).toBe(299);
  } finally {
    bytesPerSecond = bytesPerMb;
  }
});
