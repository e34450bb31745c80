// The converging part of a runner as its own process: it runs in the network namespace of its engine and can be killed.
// Desired instances come in as lines of the node protocol's stream; reports and output go out as lines.
import { createInterface } from 'node:readline';
import { PrioritySemaphore } from '@berth/concurrency';
import { defaultBrand } from '@berth/contract';
import { bytesPerMb, DesiredInstance, type LogBatch, StreamMessage } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { z } from 'zod';
import { RunnerConfig } from '../../../src/config.ts';
import { DiskWatch } from '../../../src/disk/disk-watch.ts';
import { logLayerLimit } from '../../../src/disk/layer-limit.ts';
import { createDockerDriver } from '../../../src/driver/docker-driver.ts';
import { FailureFiles } from '../../../src/failures/failure-files.ts';
import { createImageStore } from '../../../src/images/image-store.ts';
import { Converger } from '../../../src/instances/converger.ts';
import { TaskFiles } from '../../../src/instances/tasks/task-files.ts';
import { OutputShipper } from '../../../src/logs/output-shipper.ts';
import { createNetwork } from '../../../src/network/create-network.ts';
import { Orphans } from '../../../src/orphans/orphans.ts';
import { AdoptionFiles } from '../../../src/sandbox/adoption-files.ts';
import { openSandboxes } from '../../../src/sandbox/open-sandboxes.ts';

const Settings = z.object({
  runnerId: z.string(),
  dockerUrl: z.string(),
  stateFolder: z.string(),
  /** If absent, the runner offers no sandboxes. */
  guestFolder: z.string().optional(),
  /** If absent, the runner does not watch the disk. */
  diskMb: z.int().optional(),
});
const { runnerId, dockerUrl, stateFolder, guestFolder, diskMb } = Settings.parse(JSON.parse(process.argv[2] ?? ''));

const say = (line: unknown) => void process.stdout.write(`${JSON.stringify(line)}\n`);
const logger = createLogger({ role: 'runner' }, { level: 'error', destination: process.stderr });
const driver = createDockerDriver({ dockerUrl });
const adopted = new AdoptionFiles(stateFolder);
const network = await createNetwork({
  outgoing: RunnerConfig.shape.outgoing.parse({}),
  dockerUrl,
  runnerId,
  resolvers: ['9.9.9.9'],
  gateways: [],
  slots: 2,
  membershipOf: (instance) => adopted.find(instance),
  logger,
});
const pullLimits = { downloadBytes: 1e12, unpackedBytes: 1e12 };
const images = await createImageStore({
  driver,
  stateFolder,
  registries: [],
  limits: pullLimits,
  // Images that tests import into the engine; no registry has them.
  shared: ['docker.io/library/*'],
  maxAgeDays: 14,
  diskPressurePercent: 100,
  logger,
  now: () => new Date(),
});
const output = new OutputShipper({
  stateFolder,
  logger,
  onSent: () => {},
  rate: { bytesPerSecond: bytesPerMb, onDropped: () => {} },
  client: {
    async post(_path, body) {
      say({ output: body as LogBatch });
      return { status: 200, body: {} };
    },
  },
});
const sandboxes = await openSandboxes({
  config: { guestFolder, stateFolder, wakeReserveMb: 0 },
  ...{ driver, adopted, logger },
  brand: defaultBrand,
  recall: () => {},
  onActivity: (instance, news) => say({ news: { instance, ...news } }),
  onWake: () => {},
});
async function watchDisk(limitMb: number): Promise<DiskWatch> {
  const gvisorMb = await logLayerLimit(driver, limitMb, logger);
  return new DiskWatch({
    folder: await driver.dataFolder(),
    limits: { bytes: limitMb * bytesPerMb, files: 1e6 },
    gvisorBytes: gvisorMb === undefined ? undefined : gvisorMb * bytesPerMb,
    reservePercent: 1,
    workspaceOf: () => undefined,
    onShort: () => {},
    pullLimits,
    runningPulls: () => images.runningPulls(),
    onPullAborted: () => {},
    onCounted: () => say({ counted: true }),
    logger,
  });
}
const disk = diskMb === undefined ? undefined : await watchDisk(diskMb);
const orphans = new Orphans(stateFolder);
const converger = new Converger({
  runnerId,
  orphans,
  driver,
  network,
  images,
  output,
  failures: new FailureFiles(stateFolder),
  tasks: new TaskFiles(stateFolder),
  report: (instance, observation) => say({ report: { instance, ...observation } }),
  bringUps: new PrioritySemaphore(4, 1),
  sandboxes,
  ...(disk === undefined ? {} : { disk }),
  onBroughtUp: () => {},
  logger,
});
converger.start();
disk?.start((instance, failure) => converger.giveUp(instance, failure));

/**
 * Calls beside the stream, as from the api (`adopt`, `sleep`), gateways (`open`) and the disk watch (`endForDisk`); answers
 * carry the call's number.
 */
const Call = z.object({
  number: z.int(),
  adopt: DesiredInstance.optional(),
  open: z.uuid().optional(),
  sleep: z.uuid().optional(),
  endForDisk: z.uuid().optional(),
});

async function answer({ number, adopt, open, sleep, endForDisk }: z.infer<typeof Call>): Promise<void> {
  if (endForDisk !== undefined) {
    converger.giveUp(endForDisk, { code: 'disk_full', message: 'It wrote too much.' });
    return say({ answer: { number } });
  }
  const startedAt = performance.now();
  const asked = () => (sleep ? sandboxes.sleep.sleep(sleep) : converger.open(open ?? ''));
  const said = adopt ? await converger.adopt(adopt) : await asked();
  say({ answer: { number, said, ms: performance.now() - startedAt } });
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const said: unknown = JSON.parse(line);
  const call = Call.safeParse(said);
  if (call.success) return void answer(call.data);
  const message = StreamMessage.parse(said);
  if (message.type === 'welcome' && message.epoch !== undefined) orphans.meet(message.epoch);
  if (message.type === 'all') converger.all(message);
  if (message.type === 'set') converger.set(message.instance);
  if (message.type === 'unset') converger.unset(message.id, message.isLeaving);
  if (message.type === 'discard') converger.discard(message.orphans);
});
process.once('SIGTERM', async () => {
  await disk?.close();
  await converger.close();
  await output.close();
  await network.close();
  process.exit(0);
});
