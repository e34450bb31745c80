// Tests that prove each requirement around a sandbox: R-nn are those of gateway and lifecycle, W-nn the wire checks
// through the gateway, with their halves about sleep. tests/checks/requirements.test.ts compares the list with the
// files.
import type { Requirements } from '../../../services/guest/test/e2e/requirements.ts';

export const sandboxRequirements: Requirements = {
  'R-60': [
    [
      'services/runner/test/e2e/sleep.test.ts',
      'R-60: a connection that is opened during a freeze waits, and is answered',
    ],
    [
      'services/gateway/test/sandbox-sleep.test.ts',
      'R-60: a wake of 11 seconds breaks nothing that was opened meanwhile',
    ],
  ],
  'R-61': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'R-61 wire check 15: the first call after creation and after sleep succeeds',
    ],
    ['services/gateway/test/sandbox-states.test.ts', 'R-61: the first call after a creation succeeds'],
  ],
  'R-62': [
    [
      'services/api/test/sandbox-create.test.ts',
      'R-62: a start that takes too long is answered with the record as it stands, and goes on',
    ],
    ['services/gateway/test/sandbox-states.test.ts', 'R-62: errors are JSON, never HTML'],
  ],
  'R-63': [
    [
      'services/api/test/sandbox-races.test.ts',
      '10 parallel creates of one name have one winner; the others are told 409 with a reason, and can read it',
    ],
    ['services/api/test/sandbox-races.test.ts', 'a create that lost to one still under way says CREATION_IN_PROGRESS'],
    [
      'services/api/test/sandbox-races.test.ts',
      'create during delete: it either comes too early and is told so, or gets a sandbox of its own',
    ],
    [
      'services/api/test/sandbox-races.test.ts',
      'delete during create: a sandbox created before the delete is gone, one created after it is complete',
    ],
    [
      'services/api/test/sandbox-races.test.ts',
      '500 random interleavings of create, createIfNotExist, delete, change and read over a few names',
    ],
  ],
  'R-65': [
    ['tests/e2e/sandbox/wire-checks.test.ts', 'R-65 wire check 4: a log stream gives 10 MiB without a newline'],
    ['services/gateway/test/sandbox-states.test.ts', 'R-65: its last bytes come without a newline'],
  ],
  'R-66': [['tests/e2e/sandbox/wire-checks.test.ts', 'R-66 wire check 5: a port that was waited for answers at once']],
  'W-01': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 1: all forms of a path mean the same through the gateway, awake and after sleep',
    ],
  ],
  'W-02': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 2: exec waits, gives exit codes, a timeout leaves the process running, and names are free after the end',
    ],
  ],
  'W-03': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 3: a streamed exec of more than 30 seconds has no blank line, no keepalive in its output and one result',
    ],
  ],
  'W-04': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'R-65 wire check 4: a log stream gives 10 MiB without a newline and every line once, also to who comes late',
    ],
  ],
  'W-05': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'R-66 wire check 5: a port that was waited for answers at once, also after sleep; loopback alone is never ready and gives 502',
    ],
  ],
  'W-06': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 6: a restart keeps pid and variables, and kill reaches what was restarted',
    ],
  ],
  'W-07': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 7: a file in parts of 5 MiB and a byte, out of order, sent again and across a sleep',
    ],
  ],
  'W-08': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 8: a search with far more hits than asked for ends, and 0 gives them all',
    ],
  ],
  'W-09': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 9: a watch sees what is made below new folders at once, and keeps the sandbox awake',
    ],
  ],
  'W-10': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 10: many chatty processes leave the API quick, and the workload is the victim of its own memory',
    ],
  ],
  'W-11': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 11: a keepAlive process keeps the sandbox awake, also when the guest is killed and starts again',
    ],
  ],
  'W-12': [
    [
      'tests/e2e/sandbox/preview-checks.ts',
      'wire check 12: a page of another origin uses a session, awake and after sleep, until it expires',
    ],
    [
      'services/gateway/test/preview-sessions.test.ts',
      'wire check 12: preflight, ls, a process that streams, and a watch, from a page of another origin',
    ],
  ],
  'W-13': [
    [
      'tests/e2e/sandbox/preview-checks.ts',
      'wire check 13: a preview keeps its address, is opened by 15 tokens, closed to others, and wakes its sandbox',
    ],
    [
      'services/gateway/test/previews.test.ts',
      'wire check 13: OPTIONS is answered with responseHeaders, without a token and without an app',
    ],
  ],
  'W-14': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 14: after a ttl of a second it is TERMINATED, gone at the gateway, and its name makes a fresh one',
    ],
    [
      'services/orchestrator/test/lifetimes.test.ts',
      'wire check 14: each ends by its rule within moments, in its words, and the name is free',
    ],
  ],
  'W-15': [
    [
      'tests/e2e/sandbox/wire-checks.test.ts',
      'wire check 15: an open stream and a terminal keep it awake; what was opened while it fell asleep is answered',
    ],
    [
      'services/runner/test/e2e/sleep.test.ts',
      'wire check 15: process, open file, listener and files are kept over sleep',
    ],
    ['tests/chaos/sandbox-sleep.test.ts', 'random sleeps and wakes over'],
  ],
};
