import * as z from 'zod/mini';
import { json, operationWithTag } from './operation.ts';

const operation = operationWithTag('MCP');

export const mcpOperations = {
  mcp: operation({
    summary: 'The tools of the sandbox by the Model Context Protocol.',
    body: { json: z.looseObject({}) },
    answer: json(z.looseObject({})),
    statuses: [202, 400, 406, 413, 415],
  }),
  mcpStream: operation({ summary: 'Refused: the server starts no streams.', statuses: [405] }),
};
