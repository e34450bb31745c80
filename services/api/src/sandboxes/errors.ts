// Errors of waking and freezing on request.
import { defineErrors } from '@berth/contract';

export const sandboxErrors = defineErrors({
  sandbox_not_deployed: {
    status: 409,
    message: 'The sandbox {name} does not run: it is {status}. Read it until it is DEPLOYED, then try again.',
  },
  sandbox_running: { status: 409, message: 'The sandbox {name} is already running. Use it as it is.' },
  sandbox_not_running: {
    status: 409,
    message: 'The sandbox {name} is not running: it sleeps already. Any request to it wakes it.',
  },
  sandbox_in_use: {
    status: 409,
    message: 'The sandbox {name} stays awake: {reason} Close what is open, then try again.',
  },
  sandbox_unreachable: {
    status: 503,
    message: 'The machine of the sandbox {name} does not answer right now. Try again in a moment.',
  },
});
