// One request to the model: sends the file and the edit, returns the merged file. Vendors of such models document these
// tags; a general model understands them once the prompt explains them.
import { bytesPerMb } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { Fault } from '../http/fault.ts';
import type { ApplyProvider } from './apply-provider.ts';

/** Below the 60 s after which an edge proxy closes a call without bytes. */
const maxWaitMs = 55_000;
const maxAnswerBytes = 16 * bytesPerMb;
const maxReasonCharacters = 500;

const applyInstructions =
  'You merge an edit into a file. The message holds the file in <code> and the edit in <update>; comments such as ' +
  '"... existing code ..." in the edit stand for parts that stay as they are. Answer with the whole merged file and with nothing else: ' +
  'no explanation, no fences.';

const Completion = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string() }), finish_reason: z.nullish(z.string()) }))
    .check(z.minLength(1)),
});

export type ApplyQuestion = { instruction: string; code: string; update: string; model: string | undefined };

/** Faults: 422 for every failure of the provider. */
export async function askProvider(
  provider: ApplyProvider,
  question: ApplyQuestion,
  left: AbortSignal,
): Promise<string> {
  const parsed = Completion.safeParse(asJson(await post(provider, question, left)));
  const [choice] = parsed.data?.choices ?? [];
  if (choice === undefined) throw failure(provider, 'its answer is not that of chat completions');
  if (choice.finish_reason === 'length') throw failure(provider, 'its answer was cut off, the file is too long for it');
  const merged = provider.isGeneral ? withoutFences(choice.message.content, question.code) : choice.message.content;
  if (merged.trim() === '') throw failure(provider, 'its answer is empty');
  return merged;
}

async function post(provider: ApplyProvider, question: ApplyQuestion, left: AbortSignal): Promise<string> {
  try {
    const response = await fetch(provider.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(provider.key === undefined ? {} : { authorization: `Bearer ${provider.key}` }),
      },
      body: JSON.stringify({
        model: question.model ?? provider.model,
        messages: messagesOf(provider, question),
        stream: false,
        temperature: 0,
      }),
      // A redirect would send the key and the file to another host.
      redirect: 'error',
      signal: AbortSignal.any([left, AbortSignal.timeout(maxWaitMs)]),
    });
    const text = await boundedText(response, provider);
    if (!response.ok) {
      throw failure(provider, `it answered ${response.status}: ${text.slice(0, maxReasonCharacters)}`);
    }
    return text;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw failure(provider, reasonOf(error), error);
  }
}

function messagesOf(provider: ApplyProvider, { instruction, code, update }: ApplyQuestion): object[] {
  const content = `<instruction>${instruction}</instruction>\n<code>${code}</code>\n<update>${update}</update>`;
  const question = { role: 'user', content };
  return provider.isGeneral ? [{ role: 'system', content: applyInstructions }, question] : [question];
}

async function boundedText(response: Response, provider: ApplyProvider): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw failure(provider, `its answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** General models put code into fences despite the prompt. A file that itself starts with a fence is left alone. */
function withoutFences(answer: string, original: string): string {
  const fenced = /^\s*```[^\n]*\n([\s\S]*?)\n?```\s*$/.exec(answer);
  if (fenced?.[1] === undefined || original.trimStart().startsWith('```')) return answer;
  return original === '' || original.endsWith('\n') ? `${fenced[1]}\n` : fenced[1];
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `it did not answer within ${maxWaitMs / 1000} seconds`;
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function failure(provider: ApplyProvider, reason: string, cause?: unknown): Fault {
  const message = `The provider ${provider.name} did not merge the edit: ${reason}. The file is as it was; try again, or write it whole.`;
  return new Fault(422, message, { cause });
}
