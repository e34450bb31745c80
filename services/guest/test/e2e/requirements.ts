// Tests that prove each requirement of the interface inside a sandbox: R-nn are its requirements, W-nn its wire checks
// (without the halves that need a gateway or sleep). A test is named by its file and the beginning of its title;
// tests/checks/requirements.test.ts compares the list with the files. The tests of services/guest/test run inside a
// container of gVisor, and with --full of both isolation classes (suites.test.ts).
type Shown = readonly [file: string, title: string];
export type Requirements = Readonly<Record<string, readonly Shown[]>>;

export const guestRequirements: Requirements = {
  'R-01': [
    ['services/guest/test/e2e/helper.test.ts', 'R-01 when memory runs out the workload goes, and the API stays'],
    ['services/guest/test/e2e/outlives.test.ts', 'R-01 a memory bomb ends itself, not the guest'],
    [
      'services/guest/test/helper-account.test.ts',
      'R-01 the out-of-memory killer takes the workload before the guest, and prefers the guest to no other process',
    ],
  ],
  'R-02': [
    ['services/guest/test/e2e/outlives.test.ts', 'R-02 200 chatty processes in 1 GB leave the guest small and quick'],
    [
      'services/guest/test/helper-output.test.ts',
      'R-02 two hundred processes that print without end leave the helper as small as before',
    ],
    [
      'services/guest/test/process-streams.test.ts',
      'R-02 R-05 a reader that does not read blocks nothing and costs no memory; the output it missed is a visible gap',
    ],
  ],
  'R-03': [
    [
      'services/guest/test/e2e/outlives.test.ts',
      'R-02 R-03 output without a newline costs its documented share, however long',
    ],
    [
      'services/guest/test/helper-output.test.ts',
      'R-03 the head of a long log is removed in whole files, and the rest keeps its offsets',
    ],
    ['services/guest/test/process-streams.test.ts', 'R-03 a reader that comes late is told that the head was released'],
  ],
  'R-04': [['services/guest/test/processes.test.ts', 'R-04 listing and getting give the newest 64 KiB of each stream']],
  'R-05': [
    [
      'services/guest/test/e2e/streams.test.ts',
      'R-05 R-06 R-07 each line once at 10 MiB a second, with readers that come late, leave and read slowly',
    ],
    [
      'services/guest/test/process-streams.test.ts',
      'R-05 readers that attach at any moment see every line once and in order',
    ],
    [
      'services/guest/src/processes/output/process-output.test.ts',
      'R-05 a reader that attaches anywhere and reads at any moment sees every byte once, in order',
    ],
  ],
  'R-06': [
    [
      'services/guest/test/e2e/streams.test.ts',
      'R-05 R-06 R-07 each line once at 10 MiB a second, with readers that come late, leave and read slowly',
    ],
    [
      'services/guest/test/process-streams.test.ts',
      'R-06 keepalives of a quiet stream are events of their own and never output',
    ],
    [
      'services/guest/src/processes/output/prefixed-lines.test.ts',
      'R-06 each line has its prefix once, wherever the pieces were cut',
    ],
  ],
  'R-07': [
    [
      'services/guest/test/e2e/streams.test.ts',
      'R-05 R-06 R-07 each line once at 10 MiB a second, with readers that come late, leave and read slowly',
    ],
    [
      'services/guest/test/helper-output.test.ts',
      'R-07 all output before the end is in the log when the end is reported, however it was written',
    ],
    [
      'services/guest/test/process-streams.test.ts',
      'R-07 a streamed process tells all its output, then exactly one result',
    ],
  ],
  'R-08': [
    [
      'services/guest/test/helper-output.test.ts',
      'R-08 hundreds of short processes leave no descriptor and no memory behind',
    ],
    ['services/guest/test/process-lifecycle.test.ts', 'R-08 hundreds of short processes leave no descriptor behind'],
  ],
  'R-09': [
    ['services/guest/test/e2e/survives.test.ts', 'R-09 R-19 R-23 killed'],
    [
      'services/guest/test/helper-guest.test.ts',
      'R-09 a killed guest takes no process with it: the next one is told of all of them, and their output goes on',
    ],
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-09 R-19 R-23 when the guest dies, processes run on, and the next guest knows all about them',
    ],
  ],
  'R-10': [['services/guest/test/e2e/long-streams.test.ts', 'R-10 R-55 quiet streams live beyond their keepalives']],
  'R-11': [
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-11 R-12 a restart keeps pid, variables and options, counts, and leaves its marks; kill then hits the new process',
    ],
    ['services/guest/src/live-environment.test.ts', 'R-11 the kept generation can be read by its owner alone'],
  ],
  'R-12': [
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-11 R-12 a restart keeps pid, variables and options, counts, and leaves its marks; kill then hits the new process',
    ],
  ],
  'R-13': [
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-13 a stopped process is stopped whatever its exit code, and is not restarted',
    ],
    [
      'services/guest/src/processes/end/restart-policy.test.ts',
      'R-13 an end that was asked for is no failure, whatever the exit code',
    ],
  ],
  'R-14': [
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-14 stop reaches children, and those that left the group or were adopted',
    ],
  ],
  'R-15': [
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-15 U-22 a stop that is ignored becomes a kill after its grace',
    ],
  ],
  'R-16': [
    [
      'services/guest/test/mcp-processes.test.ts',
      'R-16 a running name is refused through MCP as well, also when 10 ask at once, and free afterwards',
    ],
    [
      'services/guest/test/processes.test.ts',
      'R-16 of many starts under one name at once exactly one succeeds, and the name is free again after it',
    ],
  ],
  'R-17': [
    [
      'services/guest/test/mcp-processes.test.ts',
      'R-17 a wait for ports ends as soon as the process does, with its last output',
    ],
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-17 waiting for a port ends as soon as the process does, with its exit code and last output',
    ],
  ],
  'R-18': [
    [
      'services/guest/test/e2e/ports.test.ts',
      'R-18 on %s a server in the background of another session is ready, one on loopback is not, and the first is listed',
    ],
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-18 a server in the background counts, one on the loopback address alone does not',
    ],
    ['services/guest/src/ports/served-ports.test.ts', 'R-18 a port of another process does not make a process ready'],
  ],
  'R-19': [
    ['services/guest/test/e2e/survives.test.ts', 'R-09 R-19 R-23 killed'],
    ['services/guest/test/holds.test.ts', 'R-19 a hold outlives the guest'],
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-19 R-20 keepAlive with a timeout is killed after it, and the wait ends as timed out',
    ],
  ],
  'R-20': [
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-19 R-20 keepAlive with a timeout is killed after it, and the wait ends as timed out',
    ],
    [
      'services/guest/test/processes.test.ts',
      'R-20 a wait that takes too long is a 422, and the process keeps running',
    ],
  ],
  'R-21': [
    [
      'services/guest/test/processes.test.ts',
      'R-21 a missing working directory is a 422 that names command and folder',
    ],
  ],
  'R-22': [
    [
      'services/guest/test/processes.test.ts',
      'R-22 built-ins, pipes, background jobs and substitutions work: a command always goes through a shell',
    ],
  ],
  'R-23': [
    ['services/guest/test/e2e/survives.test.ts', 'R-09 R-19 R-23 killed'],
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-09 R-19 R-23 when the guest dies, processes run on, and the next guest knows all about them',
    ],
  ],
  'R-24': [
    ['services/guest/test/processes.test.ts', 'R-24 U-24 logs are the true interleaving of both streams'],
    [
      'services/guest/src/processes/output/process-output.test.ts',
      'R-24 the attempts of a process are one output, with markers at their exact places',
    ],
  ],
  'R-30': [
    [
      'services/guest/test/e2e/search.test.ts',
      'R-30 every line of every file as a result takes at most 100 MB more memory, and others are answered meanwhile',
    ],
    [
      'services/guest/test/search.test.ts',
      'R-30 far more hits than maxResults end the search at once, and 0 gives every one of them',
    ],
    [
      'services/guest/src/search/line-search.test.ts',
      'R-30 a long line is shown around its hit, without half a character',
    ],
  ],
  'R-31': [
    [
      'services/guest/test/e2e/watch.test.ts',
      'R-31 while archives are unpacked, the watch reports exactly what the kernel saw appear, each once',
    ],
    ['services/guest/test/watch.test.ts', 'R-31 each file of a new folder is reported once, however fast it was made'],
  ],
  'R-32': [
    [
      'services/guest/test/e2e/watch.test.ts',
      'R-32 a watch that may set no more watches says so, and goes on with those it has',
    ],
    ['services/guest/test/watch.test.ts', 'R-32 the stream ends with a line that says so when the folder disappears'],
  ],
  'R-33': [
    [
      'services/guest/test/e2e/files.test.ts',
      'R-33 an upload in parts, out of order, in parallel, some sent twice: equal hashes, flat memory',
    ],
    [
      'services/guest/test/files-write.test.ts',
      'R-33 a caller that leaves in the middle leaves no partial file and the old contents',
    ],
    [
      'services/guest/src/files/unfinished-transfers.test.ts',
      'R-33 the next guest deletes a file that a dead guest was writing',
    ],
  ],
  'R-34': [
    [
      'services/guest/test/e2e/files.test.ts',
      'R-33 R-34 a guest killed during transfers: the next one deletes the partial file and continues the upload',
    ],
  ],
  'R-35': [
    ['services/guest/test/files-read.test.ts', 'R-35 an empty one has empty lists'],
    ['services/guest/test/system.test.ts', 'none is mounted: the list is empty, never null (R-35)'],
  ],
  'R-36': [
    ['services/guest/test/files-read.test.ts', 'R-36 entries that come and go never fail a listing'],
    [
      'services/guest/test/search.test.ts',
      'R-36 unreadable folders, dangling links and names that are not UTF-8 fail no search',
    ],
    ['services/guest/src/files/list-directory.test.ts', 'R-36 a subdirectory that may not be read is shown, empty'],
  ],
  'R-37': [
    [
      'services/guest/test/e2e/files.test.ts',
      'R-37 its download, with a slow reader beside it: equal hashes, flat memory',
    ],
    ['services/guest/test/files-read.test.ts', 'R-37 more than 32 MiB is a 413 that says to download'],
  ],
  'R-38': [['services/guest/test/answers.test.ts', 'R-38 %s %s may not be cached, and a browser may read it']],
  'R-50': [
    ['services/guest/test/e2e/terminal.test.ts', 'R-50 it runs as the workload user'],
    [
      'services/guest/test/e2e/workload-user.test.ts',
      'R-50 as the workload user no route reads, lists, finds, writes or deletes what is root’s',
    ],
  ],
  'R-53': [
    [
      'services/guest/test/environment.test.ts',
      'R-53 more than 4000 characters arrive by file; existing variables win',
    ],
    ['services/guest/test/system.test.ts', 'R-53 sets what the document holds and unsets what a former one held'],
    ['services/guest/src/live-environment.test.ts', 'R-53 one bad variable does not lose the rest, and is named'],
  ],
  'R-54': [
    ['services/guest/test/terminal.test.ts', 'R-54 the credential in its address is not in the log'],
    ['services/guest/src/terminal/typed-lines.test.ts', 'R-54 what is typed at a password prompt is never reported'],
  ],
  'R-55': [
    ['services/guest/test/e2e/long-streams.test.ts', 'R-10 R-55 quiet streams live beyond their keepalives'],
    [
      'services/guest/test/mcp-every-tool.test.ts',
      'R-55 the official client lists and calls every tool of the guest as it is shipped, 50 at once',
    ],
    ['services/guest/test/mcp-files.test.ts', 'R-55 50 calls at once on one client each get their own answer'],
  ],
  'R-58': [['services/guest/test/ports.test.ts', 'R-58 a callback that hangs holds up neither its removal nor others']],
  'R-59': [
    ['services/guest/test/calls-nobody.test.ts', 'R-59 only the files that are known for it can open a connection'],
  ],
  'W-01': [
    ['services/guest/test/files-read.test.ts', 'wire check 1: the forms of a path'],
    [
      'services/guest/test/files-hostile.test.ts',
      'wire check 1: whichever form of the path wrote a file, every form reads it',
    ],
  ],
  'W-02': [
    [
      'services/guest/test/processes.test.ts',
      'R-07 a process that is waited for is answered with everything it printed and its exit code',
    ],
    [
      'services/guest/test/processes.test.ts',
      'R-20 a wait that takes too long is a 422, and the process keeps running',
    ],
    [
      'services/guest/test/processes.test.ts',
      'R-16 of many starts under one name at once exactly one succeeds, and the name is free again after it',
    ],
  ],
  'W-03': [
    ['services/guest/test/e2e/long-streams.test.ts', 'R-10 R-55 quiet streams live beyond their keepalives'],
    [
      'services/guest/test/process-streams.test.ts',
      'R-07 a streamed process tells all its output, then exactly one result',
    ],
  ],
  'W-04': [
    [
      'services/guest/test/process-streams.test.ts',
      'R-06 a log stream has one prefix for each line, also of ten megabytes without a newline',
    ],
    ['services/guest/test/e2e/streams.test.ts', 'R-05 R-06 R-07 each line once at 10 MiB a second'],
    ['services/guest/test/e2e/long-streams.test.ts', 'R-10 R-55 quiet streams live beyond their keepalives'],
  ],
  'W-05': [
    [
      'services/guest/test/process-lifecycle.test.ts',
      'R-18 a server in the background counts, one on the loopback address alone does not',
    ],
    ['services/guest/test/process-lifecycle.test.ts', 'R-17 waiting for a port ends as soon as the process does'],
  ],
  'W-06': [['services/guest/test/process-lifecycle.test.ts', 'R-11 R-12 a restart keeps pid, variables and options']],
  'W-07': [
    ['services/guest/test/uploads.test.ts', 'wire check 7: an upload in parts'],
    ['services/guest/test/e2e/files.test.ts', 'R-33 an upload in parts, out of order, in parallel, some sent twice'],
  ],
  'W-08': [
    [
      'services/guest/test/search.test.ts',
      'R-30 far more hits than maxResults end the search at once, and 0 gives every one of them',
    ],
  ],
  'W-09': [
    ['services/guest/test/e2e/watch.test.ts', 'R-31 a package install leaves nothing that was not reported'],
    [
      'services/guest/test/e2e/watch.test.ts',
      'R-31 while archives are unpacked, the watch reports exactly what the kernel saw appear',
    ],
  ],
  'W-10': [
    ['services/guest/test/e2e/outlives.test.ts', 'R-02 200 chatty processes in 1 GB leave the guest small and quick'],
    ['services/guest/test/e2e/outlives.test.ts', 'R-01 a memory bomb ends itself, not the guest'],
  ],
  'W-11': [
    ['services/guest/test/e2e/survives.test.ts', 'R-09 R-19 R-23 killed'],
    ['services/guest/test/holds.test.ts', 'R-19 a hold outlives the guest'],
  ],
  'W-16': [
    ['services/guest/test/mcp-every-tool.test.ts', 'R-55 the official client lists and calls every tool'],
    ['services/guest/test/e2e/long-streams.test.ts', 'R-10 R-55 quiet streams live beyond their keepalives'],
    ['services/guest/test/mcp-transport.test.ts', 'R-55 50 callers with the same id at once each get their own answer'],
  ],
};
