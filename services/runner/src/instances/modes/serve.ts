// An instance that serves: a new revision is a new instance, so a run is never changed. It is ready once its port
// accepts connections, and its connections drain before it is removed.
import type { ServeInstance } from '@berth/contract/node';
import { portClosed } from '../explain.ts';
import { isListening } from '../is-listening.ts';
import type { InstanceMode, ModeFactory } from './mode.ts';

const mode: InstanceMode<ServeInstance> = {
  name: 'serve',

  unavailable: undefined,
  isBackground: () => false,
  containerSpec: () => ({}),
  probe: ({ port }, address) => isListening(address, port),
  startTimeoutSeconds: ({ startTimeoutSeconds }) => startTimeoutSeconds,
  noAnswer: ({ port }, ports) => portClosed(port, ports),
  takeOver: async () => false,

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
};

export const serveMode: ModeFactory<ServeInstance> = () => mode;
