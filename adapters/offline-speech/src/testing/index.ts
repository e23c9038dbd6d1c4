/** What tests of speech measure by. */
export { wordErrorRate } from './word-error-rate.ts'
