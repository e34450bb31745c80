// The part of a runner that handles sleep (sleeping-runner.ts) as its own process, so that it can be killed.
import { startSleepingRunner } from './sleeping-runner.ts';

const { options, sandboxes } = JSON.parse(process.argv[2] ?? '');
const sleeping = await startSleepingRunner(options);
for (const sandbox of sandboxes) sleeping.keep(sandbox);
process.send?.('ready');
setInterval(() => process.send?.({ news: sleeping.news.splice(0) }), 20);
process.on('disconnect', () => process.exit());
