export interface EvidenceText {
  readonly text: string
  readonly quote?: string | undefined
  readonly source: { readonly title: string }
}

export interface EvidenceUse<Item> {
  readonly used: readonly Item[]
  readonly unused: readonly Item[]
}

/**
 * Splits search results into those the answer uses and the rest. Each sentence is matched to the results that support it;
 * named sources win, then the best match. The person's own name does not count, since every source contains it.
 */
export function splitUsedResults<Item extends EvidenceText>(
  answer: string,
  items: readonly Item[],
  name: string,
): EvidenceUse<Item> {
  const assertions = splitSentences(answer)
    .filter((sentence) => !STATES_NOTHING.test(sentence))
    .join(' ')
  const isNamed = ({ source }: Item) => findTitle(assertions, source.title) !== undefined
  const named = items.filter(isNamed)
  const statements = splitSentences(removeTitles(assertions, named)).map((one) =>
    removeStems(toStems(one), toStems(name)),
  )
  const candidates = (FROM_MEMORY.test(assertions) ? named : items).map((item) => ({
    item,
    stems: toStems(`${item.text} ${item.quote ?? ''}`),
  }))
  const supporting = new Set(
    chooseStatements(statements).flatMap((stems) => findSupporting(stems, candidates, isNamed)),
  )
  // An answer may paraphrase or translate a source that it names.
  const isMissing = ({ source }: Item) => ![...supporting].some((item) => item.source.title === source.title)
  const used = new Set([...supporting, ...named.filter(isMissing)])
  return { used: items.filter((item) => used.has(item)), unused: items.filter((item) => !used.has(item)) }
}

/** The sentence of a passage that shares the most words with the answer; undefined if none. */
export function findSupportingWords(
  answer: string,
  passage: string,
  name: string,
): { readonly start: number; readonly end: number } | undefined {
  const answerStems = removeStems(toStems(answer), toStems(name))
  let most = 0
  let best: { start: number; end: number } | undefined
  for (const { segment, index } of SENTENCES.segment(passage)) {
    const shared = countShared(answerStems, toStems(segment))
    if (shared <= most) continue
    most = shared
    best = { start: index, end: index + segment.trimEnd().length }
  }
  return best
}

/** A sentence that says nothing is known, offers something else, or asks. */
const STATES_NOTHING =
  /\b(?:(?:find|found|have|know|see) (?:nothing|no)|(?:do not|don['’]t|did not|didn['’]t|cannot|can['’]t|could not|couldn['’]t) (?:know|find|have|see)|(?:could|can) tell you)\b|\?["”’)]*\s*$/i

/** Facts from the summary prompt were not searched for. */
const FROM_MEMORY = /\bmy dossier\b/i

type Stems = ReadonlySet<string>

/** A single shared word is too weak, unless it is the whole sentence. */
function chooseStatements(statements: readonly Stems[]): readonly Stems[] {
  const long = statements.filter(({ size }) => size > 1)
  return long.length > 0 ? long : statements.filter(({ size }) => size === 1)
}

/** The share of a sentence that its sources must contain, together and each. */
const MIN_TOGETHER = 0.5
const MIN_SHARE = 0.25

interface Candidate<Item> {
  readonly item: Item
  readonly stems: Stems
}

function findSupporting<Item>(
  sentence: Stems,
  candidates: readonly Candidate<Item>[],
  isNamed: (item: Item) => boolean,
): readonly Item[] {
  const chosen: Item[] = []
  let uncovered = sentence
  for (;;) {
    const minScore = Math.max(Math.min(2, sentence.size), sentence.size * MIN_SHARE)
    const matches = candidates
      .map((candidate) => ({ ...candidate, score: countShared(uncovered, candidate.stems) }))
      .filter(({ score }) => score >= minScore)
    const named = matches.filter(({ item, score }) => isNamed(item) && score >= sentence.size * MIN_TOGETHER)
    const preferred = named.length > 0 ? named : matches
    const maxScore = Math.max(...preferred.map(({ score }) => score))
    const best = preferred.filter(({ score }) => score === maxScore)
    if (best.length === 0) break
    chosen.push(...best.map(({ item }) => item))
    uncovered = best.reduce((rest, { stems }) => removeStems(rest, stems), uncovered)
  }
  return sentence.size - uncovered.size >= sentence.size * MIN_TOGETHER ? chosen : []
}

const countShared = (some: Stems, others: Stems): number =>
  [...some].filter((stem) => others.has(stem)).length

const removeStems = (some: Stems, others: Stems): Stems =>
  new Set([...some].filter((stem) => !others.has(stem)))

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' })
const WORDS = new Intl.Segmenter('en', { granularity: 'word' })

const splitSentences = (text: string): readonly string[] =>
  Array.from(SENTENCES.segment(text), ({ segment }) => segment.trim())

const toStems = (text: string): Stems =>
  new Set(
    Array.from(WORDS.segment(text.toLowerCase()))
      .filter(({ isWordLike, segment }) => isWordLike && !STOP_WORDS.has(segment))
      .map(({ segment }) => toStem(segment)),
  )

/** A crude stem: matches "lives" and "living" to "live". */
const toStem = (word: string): string =>
  word.replace(/(?<=\p{L}{3})(?:ing|ed|es|e|s|['’]s)$/u, '').slice(0, 7)

/** Shorter words occur in any text. */
const MIN_TITLE_LENGTH = 4

/** The position of a title as whole words. */
function findTitle(text: string, title: string): number | undefined {
  if (title.length < MIN_TITLE_LENGTH) return undefined
  const isWholeWord = (at: number) =>
    !/[\p{L}\p{N}]/u.test(`${text[at - 1] ?? ''}${text[at + title.length] ?? ''}`)
  for (let at = text.indexOf(title); at >= 0; at = text.indexOf(title, at + 1)) if (isWholeWord(at)) return at
  return undefined
}

const removeTitles = (text: string, named: readonly EvidenceText[]): string =>
  named.reduce((rest, { source: { title } }) => {
    const at = findTitle(rest, title)
    return at === undefined ? rest : `${rest.slice(0, at)} ${rest.slice(at + title.length)}`
  }, text)

/** Common words that say nothing about the source. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after again all also always an and any are as ask asked at be because been before being but by came can ' +
    'come could did do does done for from get give go good had has have he hello help her here hers him his how i if in ' +
    'into is it its just know like look made make may me might mine more most much must my never no not nothing now of ' +
    'off on once one only or other our out over said say says see she should so some source sources still sure tell ' +
    'than thank thanks that the their them then there these they thing things this those to told too under up us very ' +
    'was way we welcome well were what when whenever where which while who whom whose why will with would yes yet you ' +
    "your yours i'm i've i'd it's that's don't"
  ).split(' '),
)
