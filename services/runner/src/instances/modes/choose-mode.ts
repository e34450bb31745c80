import type { InstanceMode, ModeFactory, ModeOptions, ReachableInstance } from './mode.ts';
import { sandboxMode } from './sandbox.ts';
import { serveMode } from './serve.ts';

type ModeName = ReachableInstance['mode'];
type ModeTable = { readonly [Name in ModeName]: ModeFactory<Extract<ReachableInstance, { mode: Name }>> };

const modes: ModeTable = { serve: serveMode, sandbox: sandboxMode };

/**
 * An instance without a desired state is only removed. What it was is known from its records alone, which the sandbox
 * mode reads; without records it removes the instance like a server.
 */
export const chooseMode = (desired: ReachableInstance | undefined, options: ModeOptions): InstanceMode =>
  modes[desired?.mode ?? 'sandbox'](options);
