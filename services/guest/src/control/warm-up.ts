import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { requireRunner } from './require-runner.ts';

/**
 * Runs one command while the sandbox has no owner yet. If none can be started, as in an image without a shell, the
 * owner's own command will report it.
 */
export async function controlWarmUp(call: Call): Promise<void> {
  await requireRunner(call);
  const { warmUpProcess } = await import('../processes/routes/start-process.ts');
  const hasRun = await warmUpProcess(call.guest).then(
    () => true,
    () => false,
  );
  answerJson(call, { message: hasRun ? 'A command has run.' : 'No command runs in this image.' });
}
