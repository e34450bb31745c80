// The part of a runner that handles sleep (bed.ts) as its own process, so that it can be killed.
import { startSleeping } from './bed.ts';

const { options, sandboxes } = JSON.parse(process.argv[2] ?? '');
const sleeping = await startSleeping(options);
for (const sandbox of sandboxes) sleeping.keep(sandbox);
process.send?.('ready');
setInterval(() => process.send?.({ news: sleeping.news.splice(0) }), 20);
process.on('disconnect', () => process.exit());
