// measure.mjs <address> <count>: sends requests to the guest there, one after the other on one connection, and prints
// their milliseconds as JSON.
import { Agent, get } from 'node:http';

const [address, count] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const taken = [];
for (let index = 0; index < Number(count); index += 1) {
  const startedAt = performance.now();
  await new Promise((resolve, reject) => {
    const asked = get({ host: address, port: 8080, path: '/health', agent, timeout: 30_000 }, (answer) => {
      answer.resume().on('end', resolve);
    });
    asked.on('error', reject).on('timeout', () => asked.destroy(new Error('no answer in 30 s')));
  });
  taken.push(performance.now() - startedAt);
  await new Promise((resolve) => setTimeout(resolve, 10));
}
console.log(JSON.stringify(taken));
process.exit(0);
