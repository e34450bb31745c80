import * as z from 'zod/mini';
import { MessageAnswer, ProcessLogRangeShape, ProcessLogsShape } from '../answers.ts';
import { ProcessShape } from '../mcp.ts';
import { ProcessInputRequest, ProcessRequest, ProcessSignalRequest } from '../processes.ts';
import { flag, json, operationWithTag } from './operation.ts';

const operation = operationWithTag('Processes');

const identifier = { identifier: 'A pid (digits), or the name of a process: the newest that has it.' };

export const processesOperations = {
  processList: operation({ summary: 'Lists processes.', answer: json(z.array(ProcessShape)), statuses: [] }),
  processStart: operation({
    summary: 'Starts a process; with Accept: text/event-stream its output is the answer.',
    query: {
      format: {
        type: 'string',
        enum: ['sse', 'events'],
        description: 'For a stream: frames of server-sent events, or exact events as of the route output.',
      },
      once: flag('With a name: a process that has it is not started again, and answers instead.'),
      offset: { type: 'integer', minimum: 0, default: 0, description: 'With format=events: where the output begins.' },
    },
    body: { json: ProcessRequest },
    answer: { json: [ProcessShape], types: ['application/x-ndjson', 'text/event-stream'] },
    statuses: [400, 413, 422],
  }),
  processGet: operation({
    summary: 'Shows a process with the newest of its output.',
    path: identifier,
    answer: json(ProcessShape),
    statuses: [404],
  }),
  processStop: operation({
    summary: 'Asks a process and its group to end, and kills what is left after the grace.',
    path: identifier,
    query: { grace: { type: 'integer', minimum: 0, default: 10, description: 'Seconds before the rest is killed.' } },
    answer: json(MessageAnswer),
    statuses: [400, 404],
  }),
  processKill: operation({
    summary: 'Kills a process and its group.',
    path: identifier,
    query: { once: flag('For a start with once that may still be on its way: it is refused when it arrives.') },
    answer: json(MessageAnswer),
    statuses: [404],
  }),
  processLogs: operation({
    summary: 'The newest output, or with stream, offset or limit a stretch of one stream.',
    path: identifier,
    query: {
      stream: { type: 'string', enum: ['stdout', 'stderr', 'logs'], description: 'Which one.' },
      offset: { type: 'integer', minimum: 0, description: 'Of the first byte.' },
      limit: { type: 'integer', minimum: 1, description: 'How many bytes at most.' },
    },
    answer: json(ProcessLogsShape, ProcessLogRangeShape),
    statuses: [400, 404],
  }),
  processLogStream: operation({
    summary: 'Streams all output from the beginning on, each line with the name of its stream before it.',
    path: identifier,
    answer: { types: ['text/plain'] },
    statuses: [404],
  }),
  processOutput: operation({
    summary:
      'Streams the exact output as events, one JSON object a line, each with the offset of the next; the last one has the exit code.',
    path: identifier,
    query: { offset: { type: 'integer', minimum: 0, default: 0, description: 'The last next that arrived.' } },
    answer: { types: ['application/x-ndjson'] },
    statuses: [400, 404],
  }),
  processInput: operation({
    summary: 'Writes to the input of a process that was started with stdin.',
    path: identifier,
    body: { json: ProcessInputRequest },
    answer: json(MessageAnswer),
    statuses: [400, 404, 413, 422],
  }),
  processSignal: operation({
    summary: 'Sends a signal to a process and its group.',
    path: identifier,
    body: { json: ProcessSignalRequest },
    answer: json(MessageAnswer),
    statuses: [400, 404],
  }),
};
