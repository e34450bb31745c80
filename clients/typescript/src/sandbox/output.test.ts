import { expect, test } from 'vitest';
import type { OpenAnswer } from '../http/transport.ts';
import { followOutput, type OutputOrEnd } from './output.ts';

const process = { name: 'p', exitCode: 3 };
/** Stored form of six pieces, two of which are halves of a character. */
const lines = [
  { type: 'stdout', data: 'one\n', next: 9 },
  { type: 'keepalive' },
  { type: 'stderr', data: btoa('\xc3'), encoding: 'base64', next: 15 },
  { type: 'notice', data: '[restart]', next: 15 },
  { type: 'stderr', data: btoa('\xa9'), encoding: 'base64', next: 21 },
  { type: 'stdout', data: 'zwei ✓\n', next: 35 },
  { type: 'end', process },
];
const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A stream from an offset on, cut after a number of bytes. */
function answerFrom(offset: number, cutAfter: number): OpenAnswer {
  const at = lines.findIndex((line) => 'next' in line && line.next === offset);
  const rest = new TextEncoder().encode(
    lines
      .slice(offset === 0 ? 0 : at + 1)
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  let sent = cutAfter === 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      // An error drops what is not read yet.
      if (sent) controller.error(new Error('reset'));
      else controller.enqueue(rest.subarray(0, cutAfter));
      sent = true;
      if (cutAfter >= rest.length) controller.close();
    },
  });
  return { answer: new Response(body), close: () => {} };
}

async function follow(cuts: readonly number[]) {
  const waiting = [...cuts];
  const offsets: number[] = [];
  const events: OutputOrEnd[] = [];
  const open = async (offset: number) => {
    offsets.push(offset);
    return answerFrom(offset, waiting.shift() ?? Number.POSITIVE_INFINITY);
  };
  for await (const event of followOutput({ open, pauseMs: { first: 0, most: 0 } })) events.push(event);
  const of = (stream: string) =>
    new TextDecoder().decode(
      new Uint8Array(events.flatMap((event) => (event.type === stream && 'bytes' in event ? [...event.bytes] : []))),
    );
  return { offsets, stdout: of('stdout'), stderr: of('stderr'), ends: events.filter(({ type }) => type === 'end') };
}

test('a stream that is cut after any byte is continued without a byte lost or repeated', async () => {
  for (let cut = 0; cut < text.length; cut += 7) {
    const { stdout, stderr, ends } = await follow([cut]);
    expect([cut, stdout, stderr, ends]).toEqual([cut, 'one\nzwei ✓\n', 'é', [{ type: 'end', process }]]);
  }
});

test('it is continued at the last offset that arrived', async () => {
  const first = JSON.stringify(lines[0]).length + 1;
  expect((await follow([first + 3, 0])).offsets).toEqual([0, 9, 9]);
});

test('a stream that gives nothing again and again is given up', async () => {
  const open = async (offset: number) => answerFrom(offset, 0);
  await expect(async () => {
    for await (const _ of followOutput({ open, pauseMs: { first: 0, most: 0 } }));
  }).rejects.toThrow('The output broke off at 0');
});
