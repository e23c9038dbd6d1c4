import { FIRST_FORMAT } from './format-1.ts'
import { SECOND_FORMAT } from './format-2.ts'
import { THIRD_FORMAT } from './format-3.ts'
import { FOURTH_FORMAT } from './format-4.ts'

/** The n-th brings a history from format n - 1 to n. Once released, one is never edited. */
export const MIGRATIONS: readonly string[] = [FIRST_FORMAT, SECOND_FORMAT, THIRD_FORMAT, FOURTH_FORMAT]
