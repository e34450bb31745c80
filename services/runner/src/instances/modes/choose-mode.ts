import type { DesiredInstance } from '@berth/contract/node';
import type { InstanceMode, ModeFactory, ModeOptions } from './mode.ts';
import { sandboxMode } from './sandbox.ts';
import { serveMode } from './serve.ts';

const modes: readonly ModeFactory[] = [serveMode, sandboxMode];

/**
 * An instance without a desired state is only removed. What it was is known from its records alone, which the sandbox
 * mode reads; without records it removes the instance like a server.
 */
export function chooseMode(desired: DesiredInstance | undefined, options: ModeOptions): InstanceMode {
  const chosen = desired === undefined ? sandboxMode : modes.find((mode) => mode.isFor(desired));
  return (chosen ?? serveMode).create(options);
}
