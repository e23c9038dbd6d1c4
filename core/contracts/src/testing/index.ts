/** What tests of every package need. */
export { anyLetter } from './any-letter.ts'
