/** Measures for speech tests. */
export { computeWordErrorRate } from './word-error-rate.ts'
