import { PlatformError } from '@parley/contracts'
import type { RunCommand } from './command.ts'

/** `serve` by itself does not say what to serve. */
export const serve: RunCommand = async () => {
  throw new PlatformError('validation', {
    message: 'Say which program to serve: `parley serve api`, `parley serve worker` or `parley serve voice`.',
    mend: '`parley up` runs all of them together.',
  })
}
