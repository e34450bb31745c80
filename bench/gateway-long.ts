// One stream of events for twelve minutes, through gateway and runner with default settings: longer than any timer on
// the way except the gateway's own limits, and mostly silent, so that only events keep it open.
import { type Fleet, startFleet } from '../engines/fleet/fleet.ts';
import { buildEchoImage, echoImage } from '../tests/harness/echo-image.ts';
import { agent, clientOf, settled } from '../tests/harness/workloads.ts';
import type { Bench } from './bench.ts';

const pauseSeconds = 30;
const minutes = 12;
/** A pause follows every event, also the last, so that this many events last for `minutes`. */
const events = (minutes * 60) / pauseSeconds;

export const gatewayLong: Bench = {
  name: 'gateway-long',
  about: `one stream of ${minutes} minutes, an event every ${pauseSeconds} s, through gateway and runner / what was sent`,
  async *run() {
    await using fleet = await startFleet({ name: 'bench-long', workspaces: ['main'], machines: 1, gateways: 1 });
    const [machine] = fleet.machines;
    if (machine === undefined) throw new Error('the fleet has no machine');
    await buildEchoImage(machine.dockerUrl);
    await deploy(fleet);
    const { arrived, seconds, longestGap, end } = await read(fleet);
    const detail = { sent: events, end };
    yield { name: 'events that arrived', value: arrived, unit: 'events', bound: { atLeast: events }, detail };
    yield { name: 'length of the stream', value: seconds, unit: 's', bound: { atLeast: minutes * 60 - 1 } };
    // A gap above the pause between events means that the stream stalled on the way.
    const bound = { atMost: pauseSeconds + 2 };
    yield { name: 'longest gap', value: longestGap, unit: 's', bound, detail: { sent: pauseSeconds } };
  },
};

async function deploy(fleet: Fleet): Promise<void> {
  const client = clientOf(fleet);
  await client.post('/agents', agent('long', { image: echoImage, generation: 'mk2', memory: 256 }));
  await settled(client, '/agents/long', ['DEPLOYED']);
}

/** For a broken stream `end` holds the error, beside the events that had arrived. */
async function read(fleet: Fleet) {
  const url = `${fleet.gateways[0]?.url}/main/agents/long/events?count=${events}&pause=${pauseSeconds * 1_000}`;
  const startedAt = performance.now();
  let lastAt = startedAt;
  let text = '';
  let longestGap = 0;
  let end = 'whole';
  try {
    const { body, status } = await fetch(url, { headers: { authorization: `Bearer ${fleet.key}` } });
    if (status !== 200 || body === null) throw new Error(`it was answered ${status}`);
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      longestGap = Math.max(longestGap, (performance.now() - lastAt) / 1_000);
      lastAt = performance.now();
      text += chunk;
    }
  } catch (error) {
    end = error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);
  }
  const arrived = text.split('\n\n').filter((event, index) => event === `data: ${index}`).length;
  return { arrived, longestGap, end, seconds: (performance.now() - startedAt) / 1_000 };
}
