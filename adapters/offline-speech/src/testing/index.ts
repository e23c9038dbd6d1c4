/** Measures for speech tests. */
export { wordErrorRate } from './word-error-rate.ts'
