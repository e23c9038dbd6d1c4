/** Words that say the same as one in the question, and that its stem does not lead to. */
export function otherWords(words: readonly string[]): readonly string[] {
  const others = new Set(words.flatMap((word) => [...formsOf(word), ...(ALSO.get(word) ?? [])]))
  return [...others].filter((word) => !words.includes(word)).slice(0, MOST)
}

const MOST = 12

const formsOf = (word: string): readonly string[] => IRREGULAR.find((forms) => forms.includes(word)) ?? []

const IRREGULAR: readonly (readonly string[])[] =
  `meet met, write wrote written, buy bought, sell sold, teach taught, lose lost, win won, give gave given,
  become became, begin began begun, break broke broken, build built, fall fell fallen, keep kept, know knew known,
  pay paid, run ran, see saw seen, sing sang sung, speak spoke spoken, spend spent, swim swam swum, take took taken,
  tell told, think thought, drive drove driven, eat ate eaten, choose chose chosen, catch caught, bring brought,
  fight fought, grow grew grown, feel felt, sleep slept, send sent, steal stole stolen, draw drew drawn,
  fly flew flown, forget forgot forgotten, go went gone, hide hid hidden, lend lent, ride rode ridden, sink sank sunk`
    .split(',')
    .map((forms) => forms.trim().split(/\s+/))

/** What people ask by one word and mostly say by another. */
const ALSO: ReadonlyMap<string, readonly string[]> = new Map([
  ['job', ['work']],
  ['name', ['called']],
  ['mum', ['mother']],
  ['mom', ['mother']],
  ['dad', ['father']],
  ['kids', ['children']],
])
