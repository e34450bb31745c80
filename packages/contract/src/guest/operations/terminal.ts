import { operationWithTag, text } from './operation.ts';

const operation = operationWithTag('Terminal');

export const terminalOperations = {
  terminalPage: operation({
    summary: 'A terminal for the browser.',
    query: { sessionId: text('Which session.'), token: text('Credential for the gateway.') },
    answer: { types: ['text/html'] },
    statuses: [404, 501],
  }),
  terminalSocket: operation({
    summary: 'A terminal as a WebSocket of JSON frames.',
    query: {
      sessionId: { ...text('Which session; made when there is none.'), default: 'default' },
      cols: { type: 'integer', minimum: 1, maximum: 1000, default: 80, description: 'Width.' },
      rows: { type: 'integer', minimum: 1, maximum: 1000, default: 24, description: 'Height.' },
      shell: text('Program; else that of the environment or the image.'),
      workingDir: text('Where the shell begins.'),
      token: text('Credential for the gateway.'),
    },
    statuses: [101, 404, 426],
  }),
};
