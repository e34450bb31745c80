import { type Outcome, outcomeOf, startTally } from '../proxy/outcome.ts';
import type { Call } from '../proxy/serve.ts';

/** What a browser asks before the request itself: the answer is in its headers. */
export function answerPreflight({ request, response }: Call, headers: Readonly<Record<string, string>>): Outcome {
  const tally = startTally();
  // Whatever is left of a body is not read: the connection cannot be used again.
  if (!request.complete) response.shouldKeepAlive = false;
  response.writeHead(204, { ...headers }).end();
  tally.status = 204;
  return outcomeOf(tally, undefined);
}
