import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';

export function welcome(call: Call): void {
  answerJson(call, {
    message: 'Sandbox API',
    documentation: '/swagger',
    description: 'Files, processes, terminals and tools of this sandbox. GET /swagger describes every route.',
  });
}
