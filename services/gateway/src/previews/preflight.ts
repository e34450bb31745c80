import type { Call } from '../http/gateway-server.ts';
import { sendAnswer } from '../http/send-answer.ts';
import { type Outcome, outcomeOf, startTally } from '../proxy/outcome.ts';

/** Answers a CORS preflight; the answer is in the headers. */
export function answerPreflight(call: Call, headers: Readonly<Record<string, string>>): Outcome {
  const tally = startTally();
  sendAnswer(call, { status: 204, headers });
  tally.status = 204;
  return outcomeOf(tally, undefined);
}
