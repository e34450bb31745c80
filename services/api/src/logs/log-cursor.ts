// The text of a follower's position. It is compressed, because it travels in the address of the next request.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { requestErrors } from '@berth/contract';
import type { LogPosition } from '@berth/usage';
import { z } from 'zod';
import { maxWindowMs } from './log-window.ts';

/** Source by source: the last place, and the milliseconds from `since` to its line. */
const Content = z.tuple([z.int(), z.record(z.string().max(64), z.tuple([z.int(), z.int()]))]);

const maxTextBytes = 64 * 1024;

export function writeLogCursor({ sinceMs, sources }: LogPosition): string {
  const content: z.input<typeof Content> = [
    sinceMs,
    Object.fromEntries(Object.entries(sources).map(([name, { place, atMs }]) => [name, [place, atMs - sinceMs]])),
  ];
  return deflateRawSync(JSON.stringify(content)).toString('base64url');
}

export function readLogCursor(text: string, nowMs: number): LogPosition {
  const [sinceMs, sources] = contentOf(text);
  return {
    sinceMs: Math.max(sinceMs, nowMs - maxWindowMs),
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, [place, after]]) => [name, { place, atMs: sinceMs + after }]),
    ),
  };
}

function contentOf(text: string): z.output<typeof Content> {
  try {
    const json = inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: maxTextBytes }).toString();
    return Content.parse(JSON.parse(json));
  } catch (error) {
    throw requestErrors.invalid_cursor({}, error);
  }
}
