// The converging part of a runner as a process of its own: it lives in the network namespace of its engine, and can be
// killed. What is wanted comes in as lines of the node protocol's stream; reports and output go out as lines.
import { createInterface } from 'node:readline';
import { type LogBatch, StreamMessage } from '@berth/contract';
import { Limit } from '@berth/pace';
import { createLogger } from '@berth/telemetry';
import { z } from 'zod';
import { Converger } from '../../../services/runner/src/converge/converger.ts';
import { FailureBook } from '../../../services/runner/src/converge/failure-book.ts';
import { createDockerDriver } from '../../../services/runner/src/driver/docker-driver.ts';
import { createImageStore } from '../../../services/runner/src/images/image-store.ts';
import { OutputShipper } from '../../../services/runner/src/logs/output-shipper.ts';
import { createNetwork } from '../../../services/runner/src/network/create-network.ts';

const Settings = z.object({ runnerId: z.string(), dockerUrl: z.string(), stateFolder: z.string() });
const { runnerId, dockerUrl, stateFolder } = Settings.parse(JSON.parse(process.argv[2] ?? ''));

const say = (line: unknown) => void process.stdout.write(`${JSON.stringify(line)}\n`);
const logger = createLogger({ role: 'runner' }, { level: 'error', destination: process.stderr });
const driver = createDockerDriver({ dockerUrl });
const network = await createNetwork({ dockerUrl, runnerId, resolvers: ['9.9.9.9'], gateways: [], slots: 2, logger });
const images = await createImageStore({
  driver,
  stateFolder,
  registries: [],
  maxAgeDays: 14,
  diskPressurePercent: 100,
  logger,
  now: () => new Date(),
});
const output = new OutputShipper({
  stateFolder,
  logger,
  onSent: () => {},
  client: {
    async post(_path, body) {
      say({ output: body as LogBatch });
      return { status: 200, body: {} };
    },
  },
});
const converger = new Converger({
  runnerId,
  driver,
  network,
  images,
  output,
  failures: new FailureBook(stateFolder),
  report: (instance, observation) => say({ report: { instance, ...observation } }),
  bringUps: new Limit(4),
  onBroughtUp: () => {},
  logger,
});
converger.start();

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = StreamMessage.parse(JSON.parse(line));
  if (message.type === 'all') converger.all(message);
  if (message.type === 'set') converger.set(message.instance);
  if (message.type === 'unset') converger.unset(message.id, message.isLeaving);
});
process.once('SIGTERM', async () => {
  await converger.close();
  await output.close();
  await network.close();
  process.exit(0);
});
