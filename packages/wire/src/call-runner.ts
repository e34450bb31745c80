// One call to a runner. It uses a channel of a connection to the runner, like a tunnel.
import { RunnerCallAnswer, type RunnerCallBody, type RunnerCallName, TunnelAnswer } from '@berth/contract/node';
import type { Channel } from './channel.ts';
import { NotDispatched } from './not-dispatched.ts';
import { parseLine } from './parse-line.ts';
import type { RunnerLines, RunnerPlace } from './runner-lines.ts';

const mostAnswerBytes = 16_384;

/** Throws `NotDispatched` when the call did not reach the runner. After any other error its outcome is unknown. */
export async function callRunner<Name extends RunnerCallName>(
  lines: RunnerLines,
  place: RunnerPlace,
  name: Name,
  body: RunnerCallBody<Name>,
  answerMs: number,
): Promise<RunnerCallAnswer> {
  const bundle = await lines.to(place);
  const { channel, answer } = bundle.open(JSON.stringify({ call: name }));
  channel.on('error', () => {});
  const timer = setTimeout(() => channel.destroy(), answerMs);
  try {
    const said = parseLine(await answer, TunnelAnswer)?.tunnel;
    if (said !== 'open')
      throw new NotDispatched(
        said === 'unknown' || said === 'refused' ? said : 'unreachable',
        `the runner says ${said ?? 'nothing of use'}`,
      );
    channel.end(JSON.stringify(body));
    const heard = parseLine(await textOf(channel), RunnerCallAnswer);
    if (heard === undefined) throw new Error(`The runner did not answer the call ${name} within ${answerMs} ms.`);
    return heard;
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
      if (text.length > mostAnswerBytes) return undefined;
    }
    return text;
  } catch {
    return undefined;
  }
}
