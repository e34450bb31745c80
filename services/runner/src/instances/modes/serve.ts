// An instance that serves: a new revision is a new instance, so a run is never changed. It is ready once its port
// accepts connections, and its connections drain before it is removed. It is metered from its first answer.
import type { ServeInstance } from '@berth/contract/node';
import { portClosed } from '../explain.ts';
import { runName } from '../instance-run.ts';
import { isListening } from '../is-listening.ts';
import type { ModeFactory } from './mode.ts';

export const serveMode: ModeFactory<ServeInstance> = ({ instance, deps: { meter } }) => ({
  name: 'serve',

  unavailable: undefined,
  isBackground: () => false,
  containerSpec: () => ({}),
  probe: ({ port }, address) => isListening(address, port),
  startTimeoutSeconds: ({ startTimeoutSeconds }) => startTimeoutSeconds,
  noAnswer: ({ port }, ports) => portClosed(port, ports),
  takeOver: async () => false,
  becameReady: ({ memoryMb }, state) =>
    meter?.begin(instance, { memoryMb, run: runName(state), pid: state.pid, continues: true }),

  acceptsCalls: false,
  generation: 0,
  appliedRun: undefined,
  isBehind: () => false,
  needsNewContainer: () => false,
  apply: async () => {},

  openPort: ({ port }) => port,
  async open(callers) {
    const { endpoint } = callers;
    return endpoint === undefined ? { is: 'unknown' } : { is: 'open', endpoint };
  },

  holdsFiles: false,
  isAwaited: () => false,
  restartNote: '',
  removal: 'drain',
  endRun: async () => {},
  forget: () => {},
});
