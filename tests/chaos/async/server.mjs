// An agent that counts its runs by call, and fails some of them. The body of a call is its number.
import { createServer } from 'node:http';
import { env } from 'node:process';
import { text } from 'node:stream/consumers';

const { PORT: port, HOST: host } = env;
const runs = new Map();

createServer(async (request, response) => {
  const [, id] = Object.entries(request.headers).find(([name]) => name.endsWith('-invocation-id')) ?? [];
  if (id === undefined) return response.end(JSON.stringify(Object.fromEntries(runs)));
  const number = Number(await text(request));
  runs.set(id, (runs.get(id) ?? 0) + 1);
  const fails = number % 7 === 0 || (number % 3 === 0 && runs.get(id) === 1);
  setTimeout(() => response.writeHead(fails ? 500 : 200).end(`call ${number}`), 50 + (number % 10) * 30);
}).listen(Number(port), host);
