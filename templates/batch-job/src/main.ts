import { countWords } from './count-words.ts';
import { taskArguments } from './task-arguments.ts';

const { url } = await taskArguments(process.env, process.argv.slice(2));
if (typeof url !== 'string') throw new Error('Give the task a url.');

const response = await fetch(url, { headers: { 'user-agent': process.env.USER_AGENT || 'batch-job' } });
if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
console.log(JSON.stringify({ url, words: countWords(await response.text()) }));
