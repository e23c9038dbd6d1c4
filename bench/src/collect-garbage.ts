import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** So that nobody's time or memory holds what another has left. */
export const collectGarbage: () => void = runInNewContext('gc')
