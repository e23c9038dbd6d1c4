import type { ModelPort } from '@parley/engine'
import type { Judge } from './judge.ts'
import { judgeByModel } from './judge-by-model.ts'
import { judgeByWords } from './judge-by-words.ts'

/** The agent's own model judges where there is one; offline, words are compared. */
export const judgeFor = (model: ModelPort): Judge =>
  model.provider === 'offline'
    ? async (criteria, { answer }) => judgeByWords(criteria, answer)
    : judgeByModel(model)
