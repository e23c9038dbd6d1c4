import type { HistoryOptions } from '@parley/history'
import type { Config } from '../config.ts'
import type { Io } from '../io.ts'
import { tell } from '../render/tell.ts'

/** The history whose key is meant; what is noticed goes beside the answer. */
export const keyOptions = ({ home, historyKey }: Config, io: Io): HistoryOptions => ({
  home,
  onNotice: (notice) => tell(io.stderr, `parley: ${notice}`),
  ...(historyKey !== undefined && { key: historyKey }),
})
