// Every tool, in the order of tools/list.
import type { Tool } from './tool.ts';
import { codegenCodebaseSearch } from './tools/codegen-codebase-search.ts';
import { codegenEditFile } from './tools/codegen-edit-file.ts';
import { codegenFileSearch } from './tools/codegen-file-search.ts';
import { codegenGrepSearch } from './tools/codegen-grep-search.ts';
import { codegenListDir } from './tools/codegen-list-dir.ts';
import { codegenParallelApply } from './tools/codegen-parallel-apply.ts';
import { codegenReadFileRange } from './tools/codegen-read-file-range.ts';
import { codegenReapply } from './tools/codegen-reapply.ts';
import { codegenRerank } from './tools/codegen-rerank.ts';
import { fsDeleteFileOrDirectory } from './tools/fs-delete-file-or-directory.ts';
import { fsEditFile } from './tools/fs-edit-file.ts';
import { fsGetWorkingDirectory } from './tools/fs-get-working-directory.ts';
import { fsListDirectory } from './tools/fs-list-directory.ts';
import { fsReadFile } from './tools/fs-read-file.ts';
import { fsWriteFile } from './tools/fs-write-file.ts';
import { processExecute } from './tools/process-execute.ts';
import { processGet } from './tools/process-get.ts';
import { processGetLogs } from './tools/process-get-logs.ts';
import { processKill } from './tools/process-kill.ts';
import { processStop } from './tools/process-stop.ts';
import { processesList } from './tools/processes-list.ts';

export const tools: readonly Tool[] = [
  processesList,
  processExecute,
  processGet,
  processGetLogs,
  processStop,
  processKill,
  fsGetWorkingDirectory,
  fsListDirectory,
  fsReadFile,
  fsWriteFile,
  fsEditFile,
  fsDeleteFileOrDirectory,
  codegenFileSearch,
  codegenCodebaseSearch,
  codegenGrepSearch,
  codegenReadFileRange,
  codegenListDir,
  codegenReapply,
  codegenParallelApply,
  codegenEditFile,
  codegenRerank,
];
