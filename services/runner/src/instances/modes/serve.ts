// An instance that serves: a new revision is a new instance, so a run is never changed. It is ready once its port
// accepts connections, and its connections drain before it is removed.
import { isListening } from '../is-listening.ts';
import type { InstanceMode, ModeFactory } from './mode.ts';

const mode: InstanceMode = {
  isFor: ({ sandbox }) => sandbox === undefined,

  unavailable: undefined,
  isBackground: () => false,
  containerSpec: () => ({}),
  probe: ({ port }, address) => isListening(address, port),
  takeOver: async () => false,

  acceptsCall: () => false,
  generation: 0,
  appliedRun: undefined,
  isBehind: () => false,
  needsNewContainer: () => false,
  apply: async () => {},

  isOpen: true,
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

export const serveMode: ModeFactory = { isFor: mode.isFor, create: () => mode };
