// One task: reads its arguments, `{"name", "text"}` or `{"name", "url"}`, and prints the statistics of the text as a line
// of JSON. Every error ends the process with a code other than 0, which is how the platform knows that the task failed.
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { wordStatistics } from './word-statistics.mjs';

const pausesMs = [1_000, 2_000, 4_000];
const timeoutMs = 30_000;

/** The name of the variable begins with the name of the platform. */
const argumentsUrl = Object.entries(env).find(([name]) => name.endsWith('_EXECUTION_DATA_URL'))?.[1];
const { TASK_INDEX: index = '0' } = env;

async function read(url) {
  for (const pauseMs of [...pausesMs, undefined]) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (answer.ok) return answer.text();
    const isPassing = answer.status >= 500 || answer.status === 429;
    // Not the address of the arguments: it needs no credential and would be in the output.
    if (!isPassing || pauseMs === undefined) throw new Error(`A read was answered with ${answer.status}.`);
    await sleep(pauseMs);
  }
}

if (argumentsUrl === undefined)
  throw new Error('Run this as a task of a job: it reads its arguments from the platform.');
const { tasks } = JSON.parse(await read(argumentsUrl));
const { name = `text ${index}`, text, url } = tasks[index] ?? {};
if (text === undefined && url === undefined) throw new Error(`Task ${index} has neither a text nor a url.`);
console.log(JSON.stringify({ name, ...wordStatistics(text ?? (await read(url))) }));
