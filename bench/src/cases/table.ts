import type { BenchCase } from './bench-case.ts'
import { bootstrap } from './bootstrap.ts'
import { consolePages } from './console-pages.ts'
import { crowd } from './crowd.ts'
import { delta } from './delta.ts'
import { idle } from './idle.ts'
import { ingest } from './ingest.ts'
import { resume } from './resume.ts'
import { retrieve } from './retrieve.ts'
import { start } from './start.ts'
import { tools } from './tools.ts'
import { turn } from './turn.ts'

/** All cases, in the order of the run and the result. */
export const CASES: readonly BenchCase[] = [
  turn,
  delta,
  tools,
  resume,
  crowd,
  idle,
  start,
  bootstrap,
  ingest,
  retrieve,
  consolePages,
]
