#!/usr/bin/env node
// The program `berth`.
import { runCommand } from './run-command.ts';

const interrupted = new AbortController();
process.on('SIGINT', () => interrupted.abort(new Error('interrupted')));
process.on('SIGTERM', () => interrupted.abort(new Error('ended')));
const streams = {
  out: (text: string) => void process.stdout.write(text),
  err: (text: string) => void process.stderr.write(text),
};
process.exitCode = await runCommand(process.argv.slice(2), streams, interrupted.signal);
