import type { Message } from './conversation.ts';

interface Completion {
  readonly choices?: readonly { readonly message?: { readonly content?: string } }[];
}

/** The model's next message. */
export async function askModel(url: string, messages: readonly Message[]): Promise<string> {
  const { MODEL_NAME: model, MODEL_API_KEY: key } = process.env;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ messages, ...(model ? { model } : {}) }),
    signal: AbortSignal.timeout(90_000),
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}.`);
  const { choices } = (await response.json()) as Completion;
  const content = choices?.[0]?.message?.content;
  if (content === undefined) throw new Error('The model answered without a message.');
  return content;
}
