import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Removes garbage of the previous measurement, so that it does not affect the next one. */
export const collectGarbage: () => void = runInNewContext('gc')
