// One call to a runner. It uses a channel of a connection to the runner, like a tunnel.
import { RunnerCallAnswer, type RunnerCallBody, type RunnerCallName, TunnelAnswer } from '@berth/contract/node';
import type { Channel } from './channel.ts';
import { NotDispatched } from './not-dispatched.ts';
import { parseLine } from './parse-line.ts';
import type { RunnerConnections, RunnerEndpoint } from './runner-connections.ts';

const maxAnswerBytes = 16_384;

/** Throws `NotDispatched` when the call did not reach the runner. After any other error its outcome is unknown. */
export async function callRunner<Name extends RunnerCallName>(
  connections: RunnerConnections,
  endpoint: RunnerEndpoint,
  name: Name,
  body: RunnerCallBody<Name>,
  answerMs: number,
): Promise<RunnerCallAnswer> {
  const bundle = await connections.connectionTo(endpoint);
  const { channel, answer } = bundle.open(JSON.stringify({ call: name }));
  channel.on('error', () => {});
  const timer = setTimeout(() => channel.destroy(), answerMs);
  try {
    const tunnelAnswer = parseLine(await answer, TunnelAnswer)?.tunnel;
    if (tunnelAnswer !== 'open')
      throw new NotDispatched(
        tunnelAnswer === 'unknown' || tunnelAnswer === 'refused' ? tunnelAnswer : 'unreachable',
        `the runner says ${tunnelAnswer ?? 'nothing of use'}`,
      );
    channel.end(JSON.stringify(body));
    const callAnswer = parseLine(await textOf(channel), RunnerCallAnswer);
    if (callAnswer === undefined) throw new Error(`The runner did not answer the call ${name} within ${answerMs} ms.`);
    return callAnswer;
  } finally {
    clearTimeout(timer);
    channel.destroy();
  }
}

async function textOf(channel: Channel): Promise<string | undefined> {
  let text = '';
  try {
    for await (const chunk of channel) {
      text += String(chunk);
      if (text.length > maxAnswerBytes) return undefined;
    }
    return text;
  } catch {
    return undefined;
  }
}
