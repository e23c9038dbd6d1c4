const words = (list: string) => new Set(list.split(' '))
const BEFORE_A_NAME = words(
  'mr mrs ms dr prof st sen rep gov gen capt lt sgt rev hon vs cf approx ca e.g i.e',
)
const BEFORE_A_NUMBER = words(
  'no nos fig figs vol p pp ch sec art eq jan feb mar apr jun jul aug sep sept oct nov dec',
)

/** Whether a sentence may end with the stop that `upToStop` ends with, when `next` follows. */
export function mayEndSentence(upToStop: string, next: string): boolean {
  // What goes on in small letters is one sentence.
  if (/\p{Ll}/u.test(next)) return false
  if (!upToStop.endsWith('.')) return true

  const word = /[^\s("'“‘[*_]*(?=\.$)/u.exec(upToStop)?.[0] ?? ''
  const isNumberOfEntry = /^\d+\.$/u.test(upToStop)
  const isInitial = /^(?:\p{Lu}\.)*\p{Lu}$/u.test(word) && word !== 'I'
  if (isNumberOfEntry || isInitial) return false
  if (BEFORE_A_NUMBER.has(word.toLowerCase())) return !/\d/u.test(next)
  return !BEFORE_A_NAME.has(word.toLowerCase())
}
